package dev.bide.tck;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * What becomes of calls on their way to a store and back, while it storms. Each world draws for itself which mishaps
 * there are and how often: a rare one is found where it is not drowned by all the others.
 */
final class Weather {
  private static final long MILLI = 1_000_000;
  /** Longer than a node waits for an answer. */
  private static final long LOST_NANOS = Duration.ofSeconds(11).toNanos();

  private final SplittableRandom random;
  private final int slow;
  private final int lostRequest;
  private final int lostReply;
  private final int broken;
  private final int duplicate;
  private final int late;
  private final long slowNanos;
  private boolean storm = true;

  Weather(SplittableRandom random) {
    this.random = random;
    slow = percent();
    lostRequest = percent();
    lostReply = percent();
    broken = percent();
    duplicate = percent();
    late = percent();
    slowNanos = MILLI << random.nextInt(2, 14);
  }

  private int percent() {
    return random.nextInt(3) == 0 ? random.nextInt(1, 15) : 0;
  }

  /** Ends the storm: from now on calls take a few milliseconds. */
  void calm() {
    storm = false;
  }

  /**
   * The fate of one call.
   *
   * @param there how long it takes to the store
   * @param back how long the reply takes
   * @param executed whether the store does it
   * @param answer what the caller hears
   * @param again when the store does it once more, after the first time or instead of it; 0 for never
   */
  record Fate(long there, long back, boolean executed, Answer answer, long again) {}

  /** What a caller hears. */
  enum Answer {
    /** What the store says. */
    REPLY,
    /** That the call failed. */
    FAILURE,
    /** Nothing, until it has long given up. */
    SILENCE
  }

  /** Draws the fate of the next call. */
  Fate fate() {
    long there = random.nextLong(3 * MILLI);
    long back = random.nextLong(3 * MILLI);
    if (!storm) {
      return new Fate(there, back, true, Answer.REPLY, 0);
    }
    if (chance(slow)) {
      there += random.nextLong(slowNanos);
    }
    if (chance(slow)) {
      back += random.nextLong(slowNanos);
    }
    if (chance(lostRequest)) {
      return new Fate(there, LOST_NANOS, false, unheard(), 0);
    }
    if (chance(lostReply)) {
      return new Fate(there, back, true, unheard(), 0);
    }
    if (chance(broken)) {
      return new Fate(there, back, false, Answer.FAILURE, 0);
    }
    if (chance(late)) {
      return new Fate(there, back, false, Answer.FAILURE, random.nextLong(1, LOST_NANOS));
    }
    return new Fate(there, back, true, Answer.REPLY, chance(duplicate) ? random.nextLong(1, LOST_NANOS) : 0);
  }

  private Answer unheard() {
    return random.nextBoolean() ? Answer.SILENCE : Answer.FAILURE;
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }
}
