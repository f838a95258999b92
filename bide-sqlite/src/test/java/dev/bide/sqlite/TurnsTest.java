package dev.bide.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class TurnsTest {
  private static final long MILLI = 1_000_000;
  private static final long GAP = 2 * MILLI;

  /** Any origin: the monotonic clock may be about to overflow. */
  private long now = Long.MAX_VALUE - 5 * MILLI;
  private final Turns turns = new Turns(now);

  @Test
  void aProcessThatMeetsNobodyLeavesNoGaps() {
    for (int i = 0; i < 1000; i++) {
      assertEquals(0, write(MILLI));
    }
  }

  @Test
  void onceAnotherWasMetAGapFollowsEveryTenMilliseconds() {
    turns.refused(now);
    for (int round = 0; round < 100; round++) {
      for (int i = 0; i < 10; i++) {
        assertEquals(0, write(MILLI));
      }
      assertEquals(GAP, write(0));
    }
  }

  @Test
  void aGapThatCameByItselfCounts() {
    turns.refused(now);
    for (int i = 0; i < 9; i++) {
      write(MILLI);
    }
    now += GAP;
    for (int i = 0; i < 10; i++) {
      assertEquals(0, write(MILLI));
    }
    assertEquals(GAP, write(MILLI));
  }

  @Test
  void tenSecondsAfterTheLastMeetingThereAreNoGapsAnyMore() {
    turns.refused(now);
    long met = now;
    write(5_000 * MILLI);
    assertEquals(GAP, write(0));
    now = met + 10_000 * MILLI - 1;
    turns.ended(now);
    assertEquals(GAP, write(1));
    assertEquals(0, write(100 * MILLI));
    assertEquals(0, write(100 * MILLI));
    turns.refused(now);
    assertEquals(0, write(10 * MILLI));
    assertEquals(GAP, write(0));
  }

  @Test
  void pausesAreUnevenAndShorterThanAGap() {
    long shortest = Long.MAX_VALUE;
    long longest = 0;
    for (int i = 0; i < 1000; i++) {
      long pause = turns.refused(now += 17_389);
      shortest = Math.min(shortest, pause);
      longest = Math.max(longest, pause);
    }
    assertTrue(shortest >= 700_000 && shortest < 750_000, "shortest " + shortest);
    assertTrue(longest > 1_250_000 && longest < GAP, "longest " + longest);
  }

  /** A transaction that begins at once and takes {@code nanos}; returns the gap before it. */
  private long write(long nanos) {
    long gap = turns.gap(now);
    now += gap + nanos;
    turns.ended(now);
    return gap;
  }
}
