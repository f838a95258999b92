package dev.bide.timer;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.timer.Await.Call;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoopTimerTest {
  private static final int ALL = Integer.MAX_VALUE;
  private static final long MILLI = 1_000_000;

  private final AtomicLong clock = new AtomicLong();
  private final List<String> called = new ArrayList<>();
  private final List<Throwable> thrown = new ArrayList<>();
  private int wakeups;
  private final LoopTimer timer = on(new HierarchicalWheel());

  private LoopTimer on(TimerQueue queue) {
    return new LoopTimer(queue, () -> wakeups++, thrown::add, new MonotonicTime(clock::get));
  }

  private long schedule(String name, long nanos) {
    return timer.schedule(nanos, NANOSECONDS, () -> called.add(name));
  }

  private List<String> runDue() {
    called.clear();
    assertEquals(called.size(), timer.runDue(0));
    assertEquals(timer.runDue(ALL), called.size());
    return List.copyOf(called);
  }

  @Test
  void aCallbackIsCalledAtTheEndOfItsTickAndNotBefore() {
    schedule("a", 5 * MILLI + 1);
    clock.set(5 * MILLI + 1);
    assertEquals(List.of(), runDue());
    clock.set(6 * MILLI - 1);
    assertEquals(List.of(), runDue());
    clock.set(6 * MILLI);
    assertEquals(List.of("a"), runDue());
    assertEquals(List.of(), runDue());
    assertEquals(0, timer.pending());
  }

  @Test
  void aDelayOfWholeTicksFromTheBeginningOfATickIsNotLate() {
    schedule("a", 5 * MILLI);
    assertEquals(5, timer.millisToNext());
    clock.set(5 * MILLI);
    assertEquals(List.of("a"), runDue());
  }

  @Test
  void callbacksOfATickAreCalledByDeadlineAndThenAsTheyCame() {
    schedule("late", MILLI);
    schedule("a", 10);
    schedule("b", 10);
    schedule("early", 9);
    schedule("c", 10);
    clock.set(MILLI);
    assertEquals(List.of("early", "a", "b", "c", "late"), runDue());
  }

  @Test
  void aCancelledCallbackIsNotCalled() {
    schedule("a", 0);
    long handle = schedule("b", 0);
    assertNotEquals(0, handle);
    assertTrue(timer.cancel(handle));
    assertFalse(timer.cancel(handle));
    assertFalse(timer.move(handle, Duration.ZERO));
    assertEquals(List.of("a"), runDue());
  }

  @Test
  void aMovedCallbackIsCalledAtItsNewTime() {
    long earlier = schedule("earlier", 100 * MILLI);
    long later = schedule("later", 1);
    assertTrue(timer.move(earlier, Duration.ofMillis(50)));
    assertTrue(timer.move(later, Duration.ofMillis(70)));
    clock.set(50 * MILLI - 1);
    assertEquals(List.of(), runDue());
    clock.set(50 * MILLI);
    assertEquals(List.of("earlier"), runDue());
    assertFalse(timer.move(earlier, Duration.ZERO));
    clock.set(70 * MILLI);
    assertEquals(List.of("later"), runDue());
  }

  // How long the loop sleeps.

  @Test
  void theLoopMaySleepForEverWhileNothingIsPending() {
    assertEquals(Long.MAX_VALUE, timer.millisToNext());
    timer.cancel(schedule("a", 0));
    assertEquals(Long.MAX_VALUE, timer.millisToNext());
  }

  @Test
  void millisToNextIsRoundedUpAnd0IfATimerIsDue() {
    schedule("a", 3 * MILLI);
    assertEquals(3, timer.millisToNext());
    clock.set(1);
    assertEquals(3, timer.millisToNext());
    clock.set(MILLI);
    assertEquals(2, timer.millisToNext());
    clock.set(3 * MILLI - 1);
    assertEquals(1, timer.millisToNext());
    clock.set(3 * MILLI);
    assertEquals(0, timer.millisToNext());
    clock.set(HOURS.toNanos(1));
    assertEquals(0, timer.millisToNext());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 999_999, 1_000_000, 1_000_001, 123_456_789})
  void whoSleepsAsLongAsToldFindsATimerDue(long delay) {
    clock.set(777_777);
    schedule("a", delay);
    clock.addAndGet(timer.millisToNext() * MILLI);
    assertEquals(0, timer.millisToNext());
    assertEquals(List.of("a"), runDue());
    assertTrue(clock.get() >= 777_777 + delay, "early");
  }

  @Test
  void aThousandTimersOfOneTickWakeTheLoopOnceAndAreOneBatch() {
    assertEquals(Long.MAX_VALUE, timer.millisToNext());
    IntStream.range(0, 1_000).forEach(i -> schedule("" + i, 7 * MILLI - i * 100));
    assertEquals(1, wakeups);
    assertEquals(List.of(), runDue());
    assertEquals(7, timer.millisToNext());
    clock.set(7 * MILLI - 1);
    assertEquals(1, timer.millisToNext());
    clock.set(7 * MILLI);
    assertEquals(1_000, runDue().size());
    assertEquals(Long.MAX_VALUE, timer.millisToNext());
    assertEquals(1, wakeups);
  }

  // The wake-up.

  @Test
  void theLoopIsWokenForWhatIsEarlierThanItWasTold() {
    schedule("a", 50 * MILLI);
    assertEquals(50, timer.millisToNext());
    schedule("later", 51 * MILLI);
    schedule("same tick", 49 * MILLI + 1);
    assertEquals(0, wakeups);
    schedule("earlier", 49 * MILLI);
    assertEquals(1, wakeups);
  }

  @Test
  void theLoopIsWokenOnceUntilItLooks() {
    assertEquals(Long.MAX_VALUE, timer.millisToNext());
    schedule("a", 50 * MILLI);
    schedule("b", 40 * MILLI);
    schedule("c", 30 * MILLI);
    assertEquals(1, wakeups);
    runDue();
    schedule("d", 20 * MILLI);
    assertEquals(1, wakeups);
    assertEquals(20, timer.millisToNext());
    schedule("e", 10 * MILLI);
    assertEquals(2, wakeups);
  }

  @Test
  void theLoopIsNotWokenBeforeItWasToldToSleep() {
    schedule("a", 0);
    assertEquals(0, wakeups);
    assertEquals(1, timer.runDue(1));
    schedule("b", 0);
    assertEquals(0, timer.millisToNext(), "it will not sleep");
    schedule("c", 0);
    assertEquals(0, wakeups);
  }

  @Test
  void theLoopIsNotWokenWhileItIsAwake() {
    schedule("a", 50 * MILLI);
    assertEquals(50, timer.millisToNext());
    assertEquals(List.of(), runDue());
    schedule("b", 10 * MILLI);
    assertEquals(0, wakeups);
    assertEquals(10, timer.millisToNext());
  }

  @Test
  void aMoveToAnEarlierTimeWakesTheLoop() {
    long handle = schedule("a", 50 * MILLI);
    timer.millisToNext();
    timer.move(handle, Duration.ofMillis(60));
    assertEquals(0, wakeups);
    timer.move(handle, Duration.ofMillis(40));
    assertEquals(1, wakeups);
    timer.millisToNext();
    assertTrue(timer.cancel(handle));
    assertFalse(timer.move(handle, Duration.ZERO));
    assertEquals(1, wakeups);
  }

  @Test
  void theLoopIsWokenWhereTheWheelOnlyGuessesItsNext() {
    long slot = 1L << 40;
    LoopTimer guessing = on(new HierarchicalWheel(40));
    for (int i = 0; i < 16; i++) {
      guessing.schedule(slot + 100 * MILLI, NANOSECONDS, () -> {});
    }
    guessing.millisToNext();
    guessing.schedule(slot + 200 * MILLI, NANOSECONDS, () -> {});
    assertEquals(0, wakeups);
    guessing.schedule(slot + 50 * MILLI, NANOSECONDS, () -> {});
    assertEquals(1, wakeups);
  }

  @Test
  void whatTheWakeupThrowsGoesToTheCallerAndTheTimerIsThere() {
    RejectedExecutionException over = new RejectedExecutionException("over");
    LoopTimer failing = new LoopTimer(() -> {
      throw over;
    });
    failing.millisToNext();
    assertSame(over, assertThrows(RejectedExecutionException.class,
        () -> failing.schedule(Duration.ofHours(1), () -> called.add("a"))));
    assertEquals(1, failing.pending());
    // The loop may still sleep, so the next one tries again, though it is due later.
    assertSame(over, assertThrows(RejectedExecutionException.class,
        () -> failing.schedule(Duration.ofHours(2), () -> called.add("b"))));
    assertEquals(2, failing.pending());
  }

  // What callbacks do.

  @Test
  void aCallbackThatThrowsDoesNotStopTheOthers() {
    IllegalStateException mishap = new IllegalStateException("mishap");
    AssertionError error = new AssertionError("error");
    schedule("a", 0);
    timer.schedule(Duration.ZERO, () -> {
      throw mishap;
    });
    timer.schedule(Duration.ZERO, () -> {
      throw error;
    });
    schedule("b", 0);
    assertEquals(4, timer.runDue(ALL));
    assertEquals(List.of("a", "b"), called);
    assertEquals(List.of(mishap, error), thrown);
  }

  @Test
  void anErrorOfTheVirtualMachineGoesToTheLoopAndTheOthersAreStillThere() {
    StackOverflowError fatal = new StackOverflowError();
    timer.schedule(Duration.ZERO, () -> {
      throw fatal;
    });
    schedule("b", 0);
    assertSame(fatal, assertThrows(StackOverflowError.class, () -> timer.runDue(ALL)));
    assertEquals(List.of("b"), runDue());
  }

  @Test
  void whatACallbackSchedulesOrMovesIsCalledNextTimeAtTheEarliest() {
    long other = schedule("moved", MILLI);
    timer.schedule(Duration.ZERO, () -> {
      schedule("scheduled", 0);
      timer.move(other, Duration.ofDays(-1));
    });
    clock.set(MILLI);
    assertEquals(1, timer.runDue(ALL));
    assertEquals(1, timer.millisToNext());
    clock.set(2 * MILLI);
    assertEquals(List.of("scheduled", "moved"), runDue());
  }

  @Test
  void aCallbackCancelsAnotherOfItsTick() {
    long[] other = new long[1];
    timer.schedule(Duration.ZERO, () -> assertTrue(timer.cancel(other[0])));
    other[0] = schedule("other", 0);
    schedule("third", 0);
    assertEquals(2, timer.runDue(ALL));
    assertEquals(List.of("third"), called);
  }

  @Test
  void aCallbackIsNotCancelledWhileItRuns() {
    long[] own = new long[1];
    own[0] = timer.schedule(Duration.ZERO, () -> {
      assertFalse(timer.cancel(own[0]));
      called.add("a");
    });
    assertEquals(List.of("a"), runDue());
    assertEquals(List.of(), thrown);
  }

  @Test
  void aCallbackDoesNotRunTheOthers() {
    timer.schedule(Duration.ZERO, () -> assertThrows(IllegalStateException.class, () -> timer.runDue(1)));
    schedule("b", 0);
    assertEquals(2, timer.runDue(ALL));
    assertEquals(List.of("b"), called);
    assertEquals(List.of(), thrown);
  }

  @Test
  void othersScheduleWhileACallbackRuns() throws Exception {
    List<Call<Long>> calls = new ArrayList<>();
    timer.schedule(Duration.ZERO, () -> {
      calls.add(Await.call(() -> schedule("other", 0)));
      Await.until("it is scheduled", () -> timer.pending() == 1);
    });
    assertEquals(1, timer.runDue(ALL));
    assertTrue(timer.cancel(calls.get(0).result()));
    assertEquals(List.of(), thrown);
  }

  @Test
  void nullAndNegativeLimitsAreRefused() {
    assertThrows(NullPointerException.class, () -> new LoopTimer(nothing()));
    assertThrows(NullPointerException.class, () -> timer.schedule(Duration.ZERO, nothing()));
    assertThrows(IllegalArgumentException.class, () -> timer.runDue(-1));
    assertEquals(0, timer.pending());
    IndexedHeap used = new IndexedHeap();
    used.schedule(1, 1);
    assertThrows(IllegalArgumentException.class, () -> on(used));
  }

  @SuppressWarnings("NullAway") // a careless caller
  private static Runnable nothing() {
    return null;
  }

  // Time that behaves badly.

  @Test
  void afterAPauseOfHoursWhatIsDueIsCalledInRunsOfTheLimit() {
    IntStream.range(0, 1_000).forEach(i -> schedule("" + i, i * MILLI));
    clock.set(HOURS.toNanos(5));
    for (int run = 0; run < 10; run++) {
      assertEquals(0, timer.millisToNext());
      assertEquals(100, timer.runDue(100));
    }
    assertEquals(0, timer.runDue(100));
    assertEquals(IntStream.range(0, 1_000).mapToObj(i -> "" + i).toList(), called);
  }

  @Test
  void aClockThatGoesBackMakesNothingEarlyAndLosesNothing() {
    clock.set(1_000 * MILLI);
    schedule("a", 10 * MILLI);
    clock.set(500 * MILLI);
    schedule("b", 10 * MILLI);
    assertEquals(10, timer.millisToNext());
    clock.set(510 * MILLI);
    assertEquals(List.of("b"), runDue());
    assertEquals(500, timer.millisToNext());
    clock.set(-5_000 * MILLI);
    assertEquals(List.of(), runDue());
    assertEquals(1_010, timer.millisToNext());
    clock.set(1_010 * MILLI);
    assertEquals(List.of("a"), runDue());
  }

  @Test
  void delaysHoldWhereTheNumbersOfTheClockWrap() {
    clock.set(Long.MAX_VALUE - MILLI);
    LoopTimer wrapping = on(new HierarchicalWheel());
    wrapping.schedule(2, MILLISECONDS, () -> called.add("a"));
    assertEquals(2, wrapping.millisToNext());
    clock.addAndGet(2 * MILLI - 1);
    assertTrue(clock.get() < 0);
    assertEquals(0, wrapping.runDue(ALL));
    assertEquals(1, wrapping.millisToNext());
    clock.addAndGet(1);
    assertEquals(1, wrapping.runDue(ALL));
  }

  @Test
  void hugeDelaysAreNotDueAndNegativeOnesAre() {
    timer.schedule(Long.MAX_VALUE, DAYS, () -> called.add("huge"));
    timer.schedule(Duration.ofSeconds(Long.MAX_VALUE), () -> called.add("huge too"));
    assertEquals((1L << 62) / MILLI + 1, timer.millisToNext());
    timer.schedule(Duration.ofSeconds(Long.MIN_VALUE), () -> called.add("past"));
    assertEquals(List.of("past"), runDue());
    clock.set(DAYS.toNanos(50_000));
    assertEquals(List.of(), runDue());
    assertEquals(2, timer.pending());
  }

  // A selector that sleeps.

  @Test
  void selectSleepsUntilATimerIsDue() throws Exception {
    try (Selector selector = Selector.open()) {
      LoopTimer real = new LoopTimer(selector::wakeup);
      long start = System.nanoTime();
      real.schedule(Duration.ofMillis(20), () -> called.add("a"));
      while (real.runDue(1) == 0) {
        real.select(selector);
      }
      assertTrue(System.nanoTime() - start >= 20 * MILLI, "early");
    }
  }

  @Test
  void selectDoesNotSleepWhileATimerIsDue() throws Exception {
    try (Selector selector = Selector.open()) {
      LoopTimer real = new LoopTimer(selector::wakeup);
      real.schedule(Duration.ZERO, () -> called.add("a"));
      Await.until("it is due", () -> real.millisToNext() == 0);
      assertEquals(0, real.select(selector));
      assertEquals(1, real.runDue(1));
    }
  }

  @Test
  void anotherThreadWakesTheSelectorThatSleepsForEver() throws Exception {
    try (Selector selector = Selector.open()) {
      LoopTimer real = new LoopTimer(selector::wakeup);
      Call<Integer> loop = Await.call(() -> {
        int run = 0;
        while (run == 0) {
          real.select(selector);
          run = real.runDue(9);
        }
        return run;
      });
      real.schedule(Duration.ofMillis(1), () -> called.add("a"));
      assertEquals(1, loop.result());
      assertEquals(List.of("a"), called);
    }
  }
}
