package dev.bide.bench.pullpush;

import java.time.Duration;

/**
 * How much is done.
 *
 * @param far tasks that wait all the time, and are not due
 * @param idle for how long calls are counted while nothing is due
 * @param steady for how long tasks come due at the steady rate
 * @param burst for how long they come due at ten times that
 * @param heapGrowth megabytes of heap that a burst may take; far less than its tasks have
 */
record Sizes(int far, Duration idle, Duration steady, Duration burst, double heapGrowth) {

  static final Sizes REDUCED = new Sizes(10_000, Duration.ofSeconds(5), Duration.ofSeconds(8), Duration.ofSeconds(1),
      2);

  static final Sizes FULL = new Sizes(100_000, Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(5),
      2);
}
