package dev.bide.bench.timers;

/** Random numbers, the same for all. Not thread-safe. */
final class Delays {
  static final String WORDS = "from 69 s to 74 min, drawn evenly, so that none is due meanwhile; seed 42";
  static final long SEED = 42;
  /** No delay is shorter. */
  static final long LEAST_NANOS = 1L << 36;
  private static final int RANGE_BITS = 42;

  private long state = SEED;

  /** Returns a delay in nanoseconds. */
  long next() {
    return LEAST_NANOS + (random() >>> Long.SIZE - RANGE_BITS);
  }

  /** Returns a number from 0 to {@code bound}, exclusive. */
  int below(int bound) {
    return (int) ((random() >>> 32) * bound >>> 32);
  }

  /** G. Marsaglia, "Xorshift RNGs" (2003), with a multiplication behind, so that no bits are poor. */
  private long random() {
    state ^= state >>> 12;
    state ^= state << 25;
    state ^= state >>> 27;
    return state * 0x2545_f491_4f6c_dd1dL;
  }
}
