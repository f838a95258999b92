package dev.bide;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How much is claimed ahead, by what is heard of the handlers. */
class PrefetchTest {
  private static final int HANDLERS = 16;
  private static final long LEASE = Duration.ofSeconds(30).toNanos();

  private final Prefetch prefetch = new Prefetch(null, HANDLERS, 8, LEASE);

  private static long micros(long micros) {
    return micros * 1_000;
  }

  private static int most(long micros, long leaseNanos) {
    Prefetch prefetch = new Prefetch(null, HANDLERS, 8, leaseNanos);
    prefetch.ended(micros(micros));
    for (int i = 0; i < 20; i++) {
      prefetch.claimed(true, true);
    }
    return prefetch.tasks();
  }

  @Test
  void nothingIsClaimedAheadBeforeATaskHasEnded() {
    prefetch.claimed(true, true);
    assertEquals(0, prefetch.tasks());
  }

  @Test
  void itDoublesEachTimeAllCameAndFoundAHandlerIdle() {
    prefetch.ended(micros(50));
    List<Integer> tasks = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      tasks.add(prefetch.tasks());
      prefetch.claimed(true, true);
    }
    assertEquals(List.of(0, 16, 32, 64, 128, 256, 512, 1_000), tasks);
    assertEquals(1_000, prefetch.tasks());
  }

  @Test
  void itStaysAsLongAsNoHandlerIsIdle() {
    prefetch.ended(micros(50));
    prefetch.claimed(true, true);
    prefetch.claimed(true, false);
    assertEquals(16, prefetch.tasks());
  }

  @Test
  void itIsHalvedWhenThereWasLessToClaim() {
    prefetch.ended(micros(50));
    prefetch.claimed(true, true);
    prefetch.claimed(true, true);
    prefetch.claimed(false, true);
    assertEquals(16, prefetch.tasks());
  }

  @Test
  void itIsNeverMoreThanTheHandlersStartWithinFiftyMillisecondsAndTwoForEachAtLeast() {
    assertEquals(1_000, most(0, LEASE));
    assertEquals(800, most(1_000, LEASE));
    assertEquals(160, most(5_000, LEASE));
    assertEquals(32, most(25_000, LEASE));
    assertEquals(0, most(25_001, LEASE));
  }

  @Test
  void norWithinATenthOfTheLease() {
    long lease = Duration.ofMillis(100).toNanos();
    assertEquals(32, most(5_000, lease));
    assertEquals(0, most(5_001, lease));
  }

  @Test
  void norMoreThanSixteenMegabytesOfPayload() {
    prefetch.ended(micros(50));
    for (int i = 0; i < 8; i++) {
      prefetch.claimed(true, true);
    }
    for (int i = 0; i < 100; i++) {
      prefetch.carried(16 * 1024);
    }
    assertEquals(1_000, prefetch.tasks());
    for (int i = 0; i < 100; i++) {
      prefetch.carried(256 * 1024);
    }
    assertEquals(64, prefetch.tasks());
  }

  @Test
  void aSlowTaskCountsAtOnceAndFastOnesByAndBy() {
    prefetch.ended(micros(50));
    for (int i = 0; i < 8; i++) {
      prefetch.claimed(true, true);
    }
    prefetch.ended(micros(100_000));
    assertEquals(0, prefetch.tasks());
    prefetch.ended(micros(50));
    assertEquals(32, prefetch.tasks());
    for (int i = 0; i < 100; i++) {
      prefetch.ended(micros(50));
    }
    assertEquals(1_000, prefetch.tasks());
  }

  @Test
  void failuresLeaveNothingAhead() {
    prefetch.ended(micros(50));
    for (int i = 0; i < 8; i++) {
      prefetch.claimed(true, true);
    }
    prefetch.failed();
    assertEquals(48, prefetch.tasks());
    prefetch.failed();
    prefetch.failed();
    assertEquals(0, prefetch.tasks());
  }

  @Test
  void tasksWithOneAttemptAreNotClaimedAheadUnlessTheirNumberIsFixed() {
    Prefetch once = new Prefetch(null, HANDLERS, 1, LEASE);
    once.ended(micros(50));
    once.claimed(true, true);
    assertEquals(0, once.tasks());
    assertEquals(7, new Prefetch(7, HANDLERS, 1, LEASE).tasks());
  }

  @Test
  void whatIsFixedStays() {
    Prefetch fixed = new Prefetch(7, HANDLERS, 8, LEASE);
    assertEquals(7, fixed.tasks());
    fixed.ended(micros(100_000_000));
    fixed.claimed(false, false);
    assertEquals(7, fixed.tasks());
    assertEquals(Duty.NEVER, fixed.patienceNanos());
  }
}
