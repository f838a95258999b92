package dev.bide.timer;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Nanoseconds since a start. Thread-safe. The one class of this module that reads a clock.
 *
 * <p>Never negative, even where the source went back behind the start; right where the source's numbers wrap, since only
 * differences count.
 */
final class MonotonicTime {
  /** The longest delay: 146 years, so that a deadline is a {@code long} for as long again. */
  private static final long LONGEST_DELAY = 1L << 62;

  private final LongSupplier source;
  private final long start;

  MonotonicTime(LongSupplier source) {
    this.source = source;
    start = source.getAsLong();
  }

  /** Returns the time of {@link System#nanoTime}, from now on. */
  static MonotonicTime start() {
    return new MonotonicTime(System::nanoTime);
  }

  /** Returns what has passed since the start. */
  long now() {
    return Math.max(source.getAsLong() - start, 0);
  }

  /** Returns when {@code delay} will have passed: now if it is not positive, in 2^62 ns if it is longer than that. */
  long after(long delay, TimeUnit unit) {
    return now() + Math.min(Math.max(unit.toNanos(delay), 0), LONGEST_DELAY);
  }
}
