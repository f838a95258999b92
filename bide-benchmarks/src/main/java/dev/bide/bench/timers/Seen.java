package dev.bide.bench.timers;

import java.util.concurrent.CountDownLatch;

/**
 * Timers that are due soon, and when they went off. Callbacks come from one thread at a time.
 *
 * <p>The library reads its own clock, between two looks at ours; so its deadlines are known to lie between two moments,
 * and what is called early or out of order here is so wherever between them they lie.
 */
final class Seen {
  private final long[] notBefore;
  private final long[] notAfter;
  // By call, so that those who keep to the order of deadlines do not pay for it here.
  private final long[] calledAt;
  private final int[] order;
  private final CountDownLatch all = new CountDownLatch(1);
  private int called;

  Seen(int timers) {
    notBefore = new long[timers];
    notAfter = new long[timers];
    calledAt = new long[timers];
    order = new int[timers];
  }

  private record Noted(Seen seen, int timer) implements Callback {
    @Override
    public void run() {
      seen.note(timer);
    }
  }

  private void note(int timer) {
    calledAt[called] = System.nanoTime();
    order[called] = timer;
    called++;
    if (called == order.length) {
      all.countDown();
    }
  }

  /** Schedules one for a moment of {@link System#nanoTime}. */
  void schedule(Clockwork clockwork, int timer, long deadline) {
    notBefore[timer] = deadline;
    long before = System.nanoTime();
    clockwork.schedule(timer, deadline - before, new Noted(this, timer));
    notAfter[timer] = deadline + System.nanoTime() - before;
  }

  /** Waits for the last, and returns when it was called. */
  long await() throws InterruptedException {
    all.await();
    return calledAt[calledAt.length - 1];
  }

  /** Returns how many were called after one of a later deadline. */
  int outOfOrder() {
    int count = 0;
    long latest = notBefore[order[0]];
    for (int timer : order) {
      if (notAfter[timer] - latest < 0) {
        count++;
      }
      latest = Math.max(latest, notBefore[timer]);
    }
    return count;
  }

  /** Returns how long after its deadline the timer of the nth call was called, at most. */
  long lateNanos(int call) {
    return calledAt[call] - notBefore[order[call]];
  }
}
