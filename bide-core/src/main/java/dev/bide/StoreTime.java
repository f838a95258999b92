package dev.bide;

import dev.bide.spi.Reply;

/**
 * What this node knows of the store's clock: it decides when to wake and how long a call may take, never what is due.
 *
 * <p>A reply decided at {@code now}, asked for at {@code sent} and come back at {@code received}, says that the difference
 * (store's clock − engine's clock) is at least {@code now − received} and at most {@code now + 1 ms − sent}. Bounds of
 * several replies are intersected; both widen with time, since clocks run at different rates; when they contradict each
 * other, the store's clock was stepped, and the latest reply alone counts. The idea is Marzullo's (Maintaining the Time
 * in a Distributed System, 1983).
 *
 * <p>Thread-safe. Moments of the engine are nanoseconds of its monotonic clock, those of the store epoch milliseconds.
 */
final class StoreTime {
  private static final long NANOS = 1_000_000;
  /** Clocks of machines differ by less than 200 ppm. */
  private static final long DRIFT = 5_000;

  // Nanoseconds to be added to the engine's clock; guarded by this.
  private long low;
  private long high;
  private long takenAt;

  /** Starts from one reading of the store's clock. */
  StoreTime(long storeNow, long sent, long received) {
    low = storeNow * NANOS - received;
    high = (storeNow + 1) * NANOS - sent;
    takenAt = received;
  }

  /** Learns from a reply. */
  synchronized void learn(long storeNow, long sent, long received) {
    long drift = Math.max(0, received - takenAt) / DRIFT;
    long newLow = storeNow * NANOS - received;
    long newHigh = (storeNow + 1) * NANOS - sent;
    low = Math.max(low - drift, newLow);
    high = Math.min(high + drift, newHigh);
    takenAt = received;
    if (low > high) {
      low = newLow;
      high = newHigh;
    }
  }

  /** As {@link #learn(long, long, long)}. */
  void learn(Reply<?> reply, long sent, long received) {
    learn(reply.now(), sent, received);
  }

  /**
   * Returns how long a span of the store's clock lasts at least by the engine's: a millisecond less, since the store
   * counts from a whole one, and a little less again, since its clock may run faster.
   */
  static long leastNanos(long storeMillis) {
    long nanos = (storeMillis - 1) * NANOS;
    return nanos - nanos / DRIFT;
  }

  /** Returns the earliest that the store's clock can show when the engine's shows {@code nanos}. */
  synchronized long storeMillis(long nanos) {
    return Math.floorDiv(nanos + low, NANOS);
  }

  /**
   * Returns when the store's clock will surely have reached {@code storeMillis}; at least 0, {@link Duty#NEVER} for
   * what is beyond all nanoseconds.
   */
  synchronized long nanosAt(long storeMillis) {
    if (storeMillis > (Long.MAX_VALUE + Math.min(low, 0)) / NANOS) {
      return Duty.NEVER;
    }
    return Math.max(0, storeMillis * NANOS - low);
  }
}
