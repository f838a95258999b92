package dev.bide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.Reply;
import dev.bide.task.Due;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class StoreTimeTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void anExactReadingTellsTheMillisecondAndWhenItIsReached() {
    StoreTime time = new StoreTime(5_000, 0, 0);
    assertEquals(5_000, time.storeMillis(0));
    assertEquals(5_000, time.storeMillis(999_999));
    assertEquals(5_001, time.storeMillis(1_000_000));
    assertEquals(7 * 1_000_000, time.nanosAt(5_007));
    assertEquals(0, time.nanosAt(4_000), "long ago");
  }

  /** The reply was decided anywhere between question and answer: the estimate is the earliest, so no call is early. */
  @Test
  void theWayOfAReplyMakesTheEstimateLateAndNeverEarly() {
    StoreTime time = new StoreTime(5_000, 0, 100_000_000);
    assertEquals(5_000, time.storeMillis(100_000_000));
    assertEquals(101_000_000, time.nanosAt(5_001));
  }

  @Test
  void aQuickReplyNarrowsWhatASlowOneHasTold() {
    StoreTime time = new StoreTime(5_000, 0, 2 * SECOND);
    assertEquals(5_000, time.storeMillis(2 * SECOND));
    time.learn(6_500, 2 * SECOND, 2 * SECOND);
    assertEquals(6_500, time.storeMillis(2 * SECOND));
    time.learn(7_000, 2 * SECOND, 4 * SECOND);
    assertEquals(8_499, time.storeMillis(4 * SECOND), "a slow one takes nothing away but the drift");
  }

  @Test
  void aSlowReplyThatAgreesTakesNothingAwayHoweverTheEnginesClockStands() {
    for (long engine : new long[]{-3_600 * SECOND, 0, 3_600 * SECOND}) {
      StoreTime time = new StoreTime(5_000, engine, engine);
      time.learn(4_500, engine - SECOND, engine);
      assertEquals(5_000, time.storeMillis(engine));
      time.learn(4_999, engine, engine);
      assertEquals(5_000, time.storeMillis(engine), "4,999 was over as it came");
    }
  }

  @Test
  void clocksOfDifferentSpeedAreFollowed() {
    StoreTime time = new StoreTime(0, 0, 0);
    for (long minute = 1; minute <= 600; minute++) {
      long engine = minute * 60 * SECOND;
      long store = Math.round(minute * 60_000 * 0.9999);
      time.learn(store, engine, engine);
      assertTrue(Math.abs(time.storeMillis(engine) - store) <= 25, "after " + minute + " minutes");
    }
  }

  @Test
  void aStepOfTheStoresClockIsFollowedAtOnceInBothDirections() {
    StoreTime time = new StoreTime(1_000_000, 0, 0);
    time.learn(5_000_000, SECOND, SECOND);
    assertEquals(5_000_000, time.storeMillis(SECOND));
    time.learn(Reply.of(2_000_000, ""), 2 * SECOND, 2 * SECOND);
    assertEquals(2_000_000, time.storeMillis(2 * SECOND));
  }

  @Test
  void momentsBeyondAllNanosecondsAreNever() {
    for (StoreTime time : new StoreTime[]{new StoreTime(0, 0, 0), new StoreTime(0, 0, 3_600 * SECOND),
        new StoreTime(Instant.parse("2026-03-01T10:00:00Z").toEpochMilli(), 0, 0)}) {
      assertEquals(Duty.NEVER, time.nanosAt(Due.NEVER));
      assertEquals(Duty.NEVER, time.nanosAt(Due.LAST));
      for (long millis = 9_223_372_036_000L; millis < 9_223_372_038_000L; millis++) {
        assertTrue(time.nanosAt(millis) > 7_000_000_000L * 1_000_000, "at " + millis);
      }
    }
  }
}
