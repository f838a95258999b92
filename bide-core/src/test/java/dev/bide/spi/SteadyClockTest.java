package dev.bide.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SteadyClockTest {
  private static final long START = 1_800_000_000_000L;
  private static final long MS = 1_000_000;

  private long wallMillis = START;
  // Any origin: this one overflows soon.
  private long monotonicNanos = Long.MAX_VALUE - MS;
  private final List<String> alarms = new ArrayList<>();
  private final SteadyClock clock = new SteadyClock(() -> wallMillis, () -> monotonicNanos, alarms::add);

  static List<Long> seeds() {
    Long only = Long.getLong("bide.seed");
    return only != null ? List.of(only) : new Random().longs(50).boxed().toList();
  }

  /** Both clocks run; reads once at the end. */
  private long run(long millis) {
    wallMillis += millis;
    monotonicNanos += millis * MS;
    return clock.getAsLong() - START;
  }

  /** The same, read every {@code everyMillis}. */
  private long run(long millis, long everyMillis) {
    for (long i = 0; i < millis; i += everyMillis) {
      run(everyMillis);
    }
    return clock.getAsLong() - START;
  }

  @Test
  void startsAtTheWallClockAndRunsWithIt() {
    assertEquals(START, clock.getAsLong());
    assertEquals(1, run(1));
    assertEquals(1_001, run(1_000));
    assertEquals(86_401_001, run(86_400_000));
    assertEquals(List.of(), alarms);
  }

  @Test
  void partsOfAMillisecondAreNeitherRoundedUpNorLost() {
    monotonicNanos += MS - 1;
    assertEquals(START, clock.getAsLong());
    monotonicNanos += 1;
    assertEquals(START + 1, clock.getAsLong());
    for (int i = 0; i < 10; i++) {
      monotonicNanos += MS / 4;
      clock.getAsLong();
    }
    // The wall clock stands still meanwhile, so and its lag is too young to be approached.
    assertEquals(START + 3, clock.getAsLong());
    for (int i = 0; i < 4; i++) {
      monotonicNanos += 3 * MS / 4;
      clock.getAsLong();
    }
    assertEquals(START + 6, clock.getAsLong());
  }

  @Test
  void aSmallLeadIsApproachedAtATenth() {
    wallMillis += 1_000;
    assertEquals(9, run(9));
    assertEquals(11, run(1));
    assertEquals(1_100, run(990, 1));
    assertEquals(11_000, run(9_000, 9));
    assertEquals(12_000, run(1_000));
    assertEquals(List.of(), alarms);
  }

  @Test
  void aSmallLagIsApproachedAtATenth() {
    wallMillis -= 1_000;
    assertEquals(9, run(9));
    assertEquals(9, run(1));
    assertEquals(900, run(990, 1));
    assertEquals(9_000, run(9_000));
    assertEquals(10_000, run(1_000));
    assertEquals(List.of(), alarms);
  }

  @Test
  void timeInAgreementIsNotSavedUpToApproachFaster() {
    wallMillis += 1;
    run(1_000_000);
    wallMillis += 1_000;
    long before = clock.getAsLong() - START;
    assertEquals(before + 110, run(100, 1));
  }

  @Test
  void aJumpIsFollowedOnlyAfterASecondReading() {
    wallMillis += 1_001;
    assertEquals(1, run(1));
    assertEquals(2_000, run(1_999));
    assertEquals(List.of(), alarms);
    assertEquals(1_001 + 2_001, run(1));
    assertEquals(1, alarms.size());
    assertEquals(1_001 + 3_001, run(1_000));
    assertEquals(1, alarms.size());
  }

  @Test
  void aJumpThatIsTakenBackMakesNothingEarly() {
    wallMillis += 3_600_000;
    assertEquals(1_000, run(1_000));
    wallMillis -= 3_600_000;
    assertEquals(61_000, run(60_000, 100));
    assertEquals(List.of(), alarms);
  }

  @Test
  void twoReadingsThatDisagreeAreNotFollowed() {
    wallMillis += 3_600_000;
    run(1);
    wallMillis += 1_001;
    assertEquals(2_001, run(2_000));
    assertEquals(4_000, run(1_999));
    assertEquals(List.of(), alarms);
    assertEquals(4_001 + 3_601_001, run(1));
    assertEquals(1, alarms.size());
  }

  @Test
  void aJumpForgottenInBetweenMustBeSeenTwiceAgain() {
    wallMillis += 5_000;
    run(1);
    wallMillis -= 5_000;
    run(10_000);
    wallMillis += 5_000;
    assertEquals(10_002, run(1));
    assertEquals(List.of(), alarms);
  }

  @Test
  void aSuspendedMachineIsFollowed() {
    run(500);
    // The monotonic clock stood still meanwhile.
    wallMillis += 28_800_000;
    assertEquals(600, run(100));
    assertEquals(28_802_600, run(2_000));
    assertEquals(1, alarms.size());
  }

  @Test
  void aWallClockSetBackIsWaitedForAndReportedOnce() {
    wallMillis -= 10_000;
    assertEquals(0, clock.getAsLong() - START);
    assertEquals(90, run(100, 10));
    assertEquals(1, alarms.size());
    assertEquals(90_000, run(99_900, 10));
    assertEquals(100_000, run(10_000, 10));
    assertEquals(1, alarms.size());
    wallMillis -= 10_000;
    run(1);
    assertEquals(2, alarms.size());
  }

  @Test
  void aFloorRaisesItAndNeverLowersIt() {
    assertEquals(START, clock.atLeast(START - 5));
    assertEquals(START + 60_000, clock.atLeast(START + 60_000));
    assertEquals(60_009, run(10));
    assertEquals(START + 60_009, clock.atLeast(0));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void neverGoesBackWhateverTheWallClockDoes(long seed) {
    Random random = new Random(seed);
    long before = START;
    for (int i = 0; i < 2_000; i++) {
      wallMillis += random.nextInt(5) == 0 ? random.nextLong() % 10_000 : random.nextInt(50);
      monotonicNanos += random.nextInt(50 * (int) MS) - MS;
      long now = clock.getAsLong();
      assertTrue(now >= before, "went from " + before + " to " + now);
      before = now;
    }
  }
}
