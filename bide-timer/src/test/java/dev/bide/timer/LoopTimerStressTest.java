package dev.bide.timer;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.timer.Await.Call;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Many threads schedule, cancel and move while a loop sleeps in a selector: each callback is called once or cancelled,
 * none early, and the loop never sleeps on. Short by default, longer with {@code -Dbide.long=true}.
 */
class LoopTimerStressTest {
  private static final int THREADS = 3;
  private static final int TIMERS = Boolean.getBoolean("bide.long") ? 300_000 : 5_000;
  private static final int LONGEST_NANOS = 3_000_000;

  private final AtomicInteger called = new AtomicInteger();
  private final AtomicInteger gone = new AtomicInteger();
  private final List<Throwable> thrown = new ArrayList<>();

  @Test
  void eachCallbackIsCalledOnceOrCancelledAndNotBeforeItsTime() throws Exception {
    try (Selector selector = Selector.open()) {
      LoopTimer timer = new LoopTimer(selector::wakeup, thrown::add);
      Call<Object> loop = Await.call(() -> {
        while (gone.get() < THREADS * TIMERS) {
          timer.select(selector);
          timer.runDue(50);
        }
        return thrown;
      });
      List<Call<Integer>> others = IntStream.range(0, THREADS).mapToObj(i -> Await.call(() -> schedule(timer, i)))
          .toList();
      int cancelled = 0;
      for (Call<Integer> other : others) {
        cancelled += other.result();
      }
      // The one that is cancelled last does not wake the loop.
      selector.wakeup();
      assertEquals(List.of(), loop.result());
      assertEquals(THREADS * TIMERS, called.get() + cancelled);
      assertEquals(0, timer.pending());
    }
  }

  /** Returns how many were cancelled. One timer at a time is left to itself, so that the loop does fall asleep. */
  private int schedule(LoopTimer timer, int seed) {
    Random random = new Random(seed);
    int cancelled = 0;
    for (int i = 0; i < TIMERS; i++) {
      Callback callback = new Callback();
      int delay = random.nextInt(LONGEST_NANOS);
      callback.notBefore = System.nanoTime() + delay;
      long handle = timer.schedule(delay, NANOSECONDS, callback);
      switch (random.nextInt(100)) {
        case 0 -> Await.until("it is called", callback.called::get);
        case 1, 2, 3, 4, 5, 6, 7, 8, 9 -> {
          if (timer.cancel(handle)) {
            cancelled++;
            gone.incrementAndGet();
            assertFalse(callback.called.get());
            callback.cancelled = true;
          }
        }
        case 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 -> move(timer, callback, handle, random.nextInt(LONGEST_NANOS));
        default -> {
        }
      }
    }
    return cancelled;
  }

  private static void move(LoopTimer timer, Callback callback, long handle, int delay) {
    long before = callback.notBefore;
    long after = System.nanoTime() + delay;
    callback.notBefore = before - after < 0 ? before : after;
    if (timer.move(handle, delay, NANOSECONDS)) {
      callback.notBefore = after;
    }
  }

  private final class Callback implements Runnable {
    final AtomicBoolean called = new AtomicBoolean();
    volatile long notBefore;
    volatile boolean cancelled;

    @Override
    public void run() {
      assertTrue(System.nanoTime() - notBefore >= 0, "early");
      assertFalse(cancelled, "cancelled");
      assertFalse(called.getAndSet(true), "twice");
      LoopTimerStressTest.this.called.incrementAndGet();
      gone.incrementAndGet();
    }
  }
}
