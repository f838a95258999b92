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
  static final long LONGEST_DELAY = 1L << 62;

  private final LongSupplier source;
  private final long start;

  MonotonicTime(LongSupplier source) {
    this(source, 0);
  }

  /** Makes it {@code now}, which must not be negative. */
  MonotonicTime(LongSupplier source, long now) {
    this.source = source;
    start = source.getAsLong() - now;
  }

  /** Returns the time of {@link System#nanoTime}, from now on. */
  static MonotonicTime start() {
    return startAt(0);
  }

  /** Returns the time of {@link System#nanoTime}, which is {@code now} now. */
  static MonotonicTime startAt(long now) {
    return new MonotonicTime(System::nanoTime, now);
  }

  /** Returns what has passed since the start. */
  long now() {
    return Math.max(source.getAsLong() - start, 0);
  }

  /** Returns when {@code delay} will have passed: now if it is not positive, in 2^62 ns if it is longer than that. */
  long after(long delay, TimeUnit unit) {
    return after(Math.max(unit.toNanos(delay), 0));
  }

  /** Returns when {@code nanos} will have passed, or when they had if that is negative: not before 0. */
  long after(long nanos) {
    return Math.max(now() + Math.min(nanos, LONGEST_DELAY), 0);
  }
}
