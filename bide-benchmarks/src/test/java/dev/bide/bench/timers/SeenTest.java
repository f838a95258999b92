package dev.bide.bench.timers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SeenTest {
  private static final long FAR = 1_000_000_000_000L;

  private final List<Callback> scheduled = new ArrayList<>();
  private final Seen seen = new Seen(3);

  @Test
  void whatIsCalledByDeadlineIsInOrder() throws Exception {
    schedule(0, FAR, 2 * FAR);
    call(2, 1, 0);
    seen.await();
    assertEquals(0, seen.outOfOrder());
  }

  @Test
  void whatIsCalledAfterALaterDeadlineIsOutOfOrder() throws Exception {
    schedule(0, FAR, 2 * FAR);
    call(1, 2, 0);
    seen.await();
    assertEquals(1, seen.outOfOrder());
  }

  @Test
  void aCallBeforeTheDeadlineIsEarlyAndOneAfterItIsNot() throws Exception {
    schedule(-FAR, 0, FAR);
    call(0, 1, 2);
    long last = seen.await();
    assertTrue(last - System.nanoTime() <= 0);
    assertTrue(seen.lateNanos(0) < 0);
    assertTrue(seen.lateNanos(1) > 0);
  }

  /** Schedules three timers, which are due so much ago. */
  private void schedule(long... agos) {
    for (int timer = 0; timer < agos.length; timer++) {
      seen.schedule(new Manual(), timer, System.nanoTime() - agos[timer]);
    }
  }

  private void call(int... timers) {
    for (int timer : timers) {
      scheduled.get(timer).run();
    }
  }

  private final class Manual implements Clockwork {
    @Override
    public void schedule(int slot, long delayNanos, Callback callback) {
      scheduled.add(callback);
    }

    @Override
    public void cancel(int slot) {
      throw new AssertionError();
    }

    @Override
    public void close() {}
  }
}
