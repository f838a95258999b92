package dev.bide.bench.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Tasks with numbers in order, their due times drawn evenly from a span. The same seed draws the same. Thread-safe. */
final class Supply {
  static final int BATCH = 1_000;
  static final long SEED = 42;
  static final Duration MONTH = Duration.ofDays(30);
  static final String WORDS = "ids of 12 digits in order, payloads of " + Given.PAYLOAD_BYTES
      + " B, due times drawn evenly over 30 days unless said otherwise, seed " + SEED;

  // Both guarded by this.
  private final SplittableRandom random = new SplittableRandom(SEED);
  private long number;
  private final long fromMillis;
  private final long spanMillis;

  private Supply(long number, long fromMillis, Duration span) {
    this.number = number;
    this.fromMillis = fromMillis;
    spanMillis = span.toMillis();
  }

  /**
   * Tasks that come due in a span.
   *
   * @param number of the first
   * @param fromMillis begin of the span in epoch milliseconds
   */
  static Supply of(long number, long fromMillis, Duration span) {
    return new Supply(number, fromMillis, span);
  }

  /** Tasks that come due in the month after next, so that none does meanwhile. */
  static Supply overAMonth() {
    return new Supply(0, System.currentTimeMillis() + MONTH.toMillis(), MONTH);
  }

  /** Returns the next task. */
  synchronized Given next() {
    return new Given(number++, fromMillis + random.nextLong(spanMillis));
  }

  /** Returns the next {@code count} tasks in batches of {@value #BATCH}. */
  List<List<Given>> batches(int count) {
    List<List<Given>> batches = new ArrayList<>();
    for (int left = count; left > 0; left -= BATCH) {
      List<Given> batch = new ArrayList<>();
      for (int i = 0; i < Math.min(BATCH, left); i++) {
        batch.add(next());
      }
      batches.add(batch);
    }
    return batches;
  }
}
