package dev.bide.timer;

import java.util.concurrent.atomic.AtomicInteger;

/** What is left of a limit. Thread-safe. */
final class Permits {
  private final AtomicInteger left;

  Permits(int limit) {
    left = new AtomicInteger(limit);
  }

  /** Takes {@code most}, or what is left; returns how many that is. */
  int take(int most) {
    int found = left.get();
    while (found > 0) {
      int taken = Math.min(found, most);
      int seen = left.compareAndExchange(found, found - taken);
      if (seen == found) {
        return taken;
      }
      found = seen;
    }
    return 0;
  }

  /** Takes one, even if none is left: then there are less than none until some are given back. */
  void force() {
    left.decrementAndGet();
  }

  void giveBack(int count) {
    left.addAndGet(count);
  }

  int left() {
    return left.get();
  }
}
