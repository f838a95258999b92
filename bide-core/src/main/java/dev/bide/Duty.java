package dev.bide;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * A part of the engine's work: a step that never blocks, reads no clock and starts no thread.
 *
 * <p>Used by one thread, the engine's. Moments are nanoseconds of the engine's own monotonic clock, which starts near 0,
 * so that they may be compared; {@link Long#MAX_VALUE} means never.
 */
interface Duty {
  /** No moment at all. */
  long NEVER = Long.MAX_VALUE;

  /**
   * Returns {@code millis} in nanoseconds, a hundred years at most: longer than any process lives, and no moment
   * overflows by it.
   */
  static long nanos(long millis) {
    return Math.min(millis, Duration.ofDays(36_525).toMillis()) * 1_000_000;
  }

  /**
   * Does what is to be done at {@code now}.
   *
   * @param out takes what is to be asked of the store; the answer comes back by {@link StoreRequest#answered} or
   * {@link StoreRequest#failed}
   * @return when this must be called again at the latest; it may be called at any time before
   */
  long turn(long now, Consumer<StoreRequest<?>> out);
}
