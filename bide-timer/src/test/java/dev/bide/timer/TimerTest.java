package dev.bide.timer;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A timer whose ticker is the test: time stands still until it is set, and each turn is a call. */
class TimerTest {
  private static final long ORIGIN = 1_000;
  /** Nothing is due, so it looks only whether a callback takes long. */
  private static final long LOOK = SECONDS.toNanos(10) / 4;

  private long source = ORIGIN;
  private final List<Integer> called = Collections.synchronizedList(new ArrayList<>());
  private final Queue<Runnable> submitted = new ArrayDeque<>();
  private int refusals;

  private final Executor executor = batch -> {
    if (refusals > 0) {
      refusals--;
      throw new RejectedExecutionException("full");
    }
    submitted.add(batch);
  };

  private Timer timer(TimerBuilder builder) {
    return new Timer(builder, new MonotonicTime(() -> source));
  }

  private Timer timer() {
    return timer(Timer.on(executor));
  }

  private Runnable call(int number) {
    return () -> called.add(number);
  }

  /** Lets the ticker look at a time, and runs what it has submitted; returns when it wants to look again. */
  private long at(Timer timer, long now) {
    source = ORIGIN + now;
    long wake = timer.turn(now);
    for (Runnable batch = submitted.poll(); batch != null; batch = submitted.poll()) {
      batch.run();
    }
    return wake;
  }

  /** Has {@code action} done by another thread each time, so that the timers go to different stripes. */
  private static void inThreads(int count, java.util.function.IntConsumer action) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      int number = i;
      Thread thread = new Thread(() -> action.accept(number));
      thread.start();
      thread.join();
    }
  }

  @Test
  void aCallbackIsCalledAtItsTimeAndNotBefore() {
    Timer timer = timer();
    timer.schedule(100, NANOSECONDS, call(1));
    assertEquals(100, at(timer, 0));
    assertEquals(100, at(timer, 99));
    assertEquals(List.of(), called);
    assertEquals(100 + LOOK, at(timer, 100));
    assertEquals(Long.MAX_VALUE, at(timer, 100 + LOOK));
    assertEquals(List.of(1), called);
  }

  @Test
  void aDelayCountsFromTheCall() {
    Timer timer = timer();
    source = ORIGIN + 500;
    timer.schedule(Duration.ofNanos(100), call(1));
    at(timer, 599);
    assertEquals(List.of(), called);
    at(timer, 600);
    assertEquals(List.of(1), called);
  }

  @Test
  void aDelayThatIsNotPositiveIsDueAtOnce() {
    Timer timer = timer();
    timer.schedule(-5, SECONDS, call(1));
    timer.schedule(Duration.ofSeconds(Long.MIN_VALUE), call(2));
    timer.schedule(Long.MIN_VALUE, TimeUnit.DAYS, call(3));
    at(timer, 0);
    assertEquals(List.of(1, 2, 3), called);
  }

  @Test
  void hugeDelaysAreCutAndOrderHolds() {
    Timer timer = timer(Timer.on(executor).stripes(1));
    timer.schedule(Duration.ofSeconds(Long.MAX_VALUE), call(2));
    timer.schedule(Long.MAX_VALUE, TimeUnit.DAYS, call(3));
    timer.schedule((1L << 62) - 1, NANOSECONDS, call(1));
    at(timer, (1L << 62) - 1);
    assertEquals(List.of(1), called);
    at(timer, 1L << 62);
    assertEquals(List.of(1, 2, 3), called);
  }

  @Test
  void theClockMayWrap() {
    source = Long.MAX_VALUE - 50;
    Timer timer = timer();
    timer.schedule(100, NANOSECONDS, call(1));
    source += 60;
    assertTrue(source < 0);
    timer.schedule(100, NANOSECONDS, call(2));
    assertEquals(100, timer.turn(timer.now()));
    source += 40;
    assertEquals(160, timer.turn(timer.now()));
    source += 60;
    assertEquals(100 + LOOK, timer.turn(timer.now()));
    submitted.forEach(Runnable::run);
    assertEquals(List.of(1, 2), called);
  }

  @Test
  void aClockThatGoesBackCallsNothingEarly() {
    Timer timer = timer();
    at(timer, 1_000);
    timer.schedule(100, NANOSECONDS, call(1));
    at(timer, 900);
    timer.schedule(50, NANOSECONDS, call(2));
    at(timer, 949);
    assertEquals(List.of(), called);
    at(timer, 950);
    assertEquals(List.of(2), called);
    at(timer, 1_100);
    assertEquals(List.of(2, 1), called);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 16})
  void whatIsDueIsCalledByDeadlineOverAllStripes(int stripes) throws InterruptedException {
    Timer timer = timer(Timer.on(executor).stripes(stripes).batch(7));
    inThreads(20, thread -> IntStream.range(0, 300)
        .forEach(i -> timer.schedule((i * 7_919 + thread * 31) % 10_007, NANOSECONDS,
            call((i * 7_919 + thread * 31) % 10_007))));
    at(timer, 10_007);
    assertEquals(6_000, called.size());
    assertEquals(called.stream().sorted().toList(), called);
  }

  @Test
  void withOneStripeThoseOfOneDeadlineAreCalledInTheOrderOfAllThreads() throws InterruptedException {
    Timer timer = timer(Timer.on(executor).stripes(1));
    inThreads(50, thread -> timer.schedule(100, NANOSECONDS, call(thread)));
    at(timer, 100);
    assertEquals(IntStream.range(0, 50).boxed().toList(), called);
  }

  @Test
  void aCancelledCallbackIsNotCalledWhateverItsStripe() throws InterruptedException {
    Timer timer = timer(Timer.on(executor).stripes(16));
    long[] handles = new long[40];
    inThreads(40, thread -> handles[thread] = timer.schedule(100, NANOSECONDS, call(thread)));
    for (int i = 0; i < 40; i += 2) {
      assertTrue(timer.cancel(handles[i]));
      assertFalse(timer.cancel(handles[i]));
    }
    at(timer, 100);
    assertEquals(IntStream.range(0, 20).map(i -> 2 * i + 1).boxed().toList(), called.stream().sorted().toList());
    LongStream.of(handles).forEach(handle -> assertFalse(timer.cancel(handle)));
    assertEquals(0, timer.pending());
  }

  @Test
  void aMovedCallbackIsCalledAtItsNewTimeFromNow() {
    Timer timer = timer();
    long handle = timer.schedule(100, NANOSECONDS, call(1));
    source = ORIGIN + 90;
    assertTrue(timer.move(handle, Duration.ofNanos(100)));
    at(timer, 189);
    assertEquals(List.of(), called);
    assertTrue(timer.move(handle, 5, NANOSECONDS));
    at(timer, 194);
    assertEquals(List.of(1), called);
    assertFalse(timer.move(handle, 5, NANOSECONDS));
  }

  @Test
  void handlesNeverGivenHitNothing() {
    Timer timer = timer();
    long handle = timer.schedule(100, NANOSECONDS, call(1));
    for (long never : new long[]{0, -1, 1, ~handle, handle + 1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertFalse(timer.cancel(never));
      assertFalse(timer.move(never, 1, SECONDS));
    }
    assertEquals(1, timer.pending());
  }

  @Test
  void theLimitRefusesAndHoldsOverAllStripes() throws InterruptedException {
    Timer timer = timer(Timer.on(executor).limit(10).stripes(4));
    inThreads(10, thread -> timer.schedule(100 + thread, NANOSECONDS, call(thread)));
    assertThrows(RejectedExecutionException.class, () -> timer.schedule(1, NANOSECONDS, call(99)));
    assertEquals(10, timer.pending());
    at(timer, 100);
    inThreads(1, thread -> timer.schedule(100, NANOSECONDS, call(20)));
    assertThrows(RejectedExecutionException.class, () -> timer.schedule(1, NANOSECONDS, call(99)));
    at(timer, 1_000);
    assertEquals(11, called.size());
    assertFalse(called.contains(99));
    assertEquals(0, timer.pending());
  }

  @Test
  void oneThreadMayHaveAllThatTheLimitAllows() throws InterruptedException {
    int limit = 5_000;
    Timer timer = timer(Timer.on(executor).limit(limit).stripes(4));
    // Other stripes have taken permits that they do not use.
    inThreads(4, thread -> timer.cancel(timer.schedule(1, SECONDS, call(thread))));
    for (int i = 0; i < limit; i++) {
      timer.schedule(1, SECONDS, call(i));
    }
    assertThrows(RejectedExecutionException.class, () -> timer.schedule(1, SECONDS, call(0)));
  }

  @Test
  void whatTheExecutorHasNotBegunIsPending() {
    Timer timer = timer(Timer.on(executor).limit(2));
    timer.schedule(0, NANOSECONDS, call(1));
    timer.schedule(0, NANOSECONDS, call(2));
    timer.turn(0);
    assertEquals(2, timer.pending());
    assertThrows(RejectedExecutionException.class, () -> timer.schedule(0, NANOSECONDS, call(3)));
    submitted.remove().run();
    assertEquals(0, timer.pending());
    timer.schedule(0, NANOSECONDS, call(3));
  }

  @Test
  void aThousandTimersOfOneTickAreOneWakeUpAndOneSubmission() {
    long tick = 1_000_000;
    Timer timer = timer(Timer.on(executor).tick(Duration.ofNanos(tick)));
    for (int i = 0; i < 1_000; i++) {
      timer.schedule(1 + i * 999, NANOSECONDS, call(i));
    }
    assertEquals(tick, timer.turn(0));
    assertEquals(0, submitted.size());
    source = ORIGIN + tick;
    assertEquals(tick + LOOK, timer.turn(tick));
    assertEquals(1, submitted.size());
    submitted.remove().run();
    assertEquals(IntStream.range(0, 1_000).boxed().toList(), called);
  }

  @Test
  void batchesAreBounded() {
    Timer timer = timer(Timer.on(executor).batch(100));
    for (int i = 0; i < 250; i++) {
      timer.schedule(10, NANOSECONDS, call(i));
    }
    source = ORIGIN + 10;
    timer.turn(10);
    assertEquals(3, submitted.size());
    submitted.remove().run();
    assertEquals(100, called.size());
  }

  @Test
  void whatComesDueDuringALongPauseIsCaughtUpInOneTurn() {
    Timer timer = timer();
    for (int i = 0; i < 10_000; i++) {
      timer.schedule(i, SECONDS, call(i));
    }
    long now = Duration.ofHours(12).toNanos();
    assertEquals(now + LOOK, at(timer, now));
    assertEquals(IntStream.range(0, 10_000).boxed().toList(), called);
  }

  @Test
  void anExecutorThatRefusesIsOfferedTheSameAgainWithBackoff() {
    refusals = 3;
    long ms = 1_000_000;
    Timer timer = timer(Timer.on(executor).batch(2));
    for (int i = 0; i < 5; i++) {
      timer.schedule(0, NANOSECONDS, call(i));
    }
    assertEquals(ms, at(timer, 0));
    assertEquals(1, timer.refused());
    assertEquals(ms, at(timer, ms - 1));
    assertEquals(1, timer.refused());
    assertEquals(3 * ms, at(timer, ms));
    assertEquals(7 * ms, at(timer, 3 * ms));
    assertEquals(3, timer.refused());
    assertEquals(5, timer.pending());
    at(timer, 7 * ms);
    assertEquals(List.of(0, 1, 2, 3, 4), called);
    assertEquals(0, timer.pending());
    // The next time it begins at 1 ms again.
    refusals = 1;
    timer.schedule(0, NANOSECONDS, call(5));
    assertEquals(8 * ms, at(timer, 7 * ms));
  }

  @Test
  void theBackoffEndsAtASecond() {
    refusals = 100;
    Timer timer = timer();
    timer.schedule(0, NANOSECONDS, call(1));
    long now = 0;
    for (int i = 0; i < 30; i++) {
      now = at(timer, now);
    }
    assertEquals(SECONDS.toNanos(1), at(timer, now) - now);
  }

  @Test
  void aCallbackThatFailsDoesNotKeepTheOthersFromBeingCalled() {
    Timer timer = timer();
    timer.schedule(0, NANOSECONDS, call(1));
    timer.schedule(0, NANOSECONDS, () -> {
      throw new IllegalStateException("wanted by this test");
    });
    timer.schedule(0, NANOSECONDS, () -> {
      throw new AssertionError("wanted by this test");
    });
    timer.schedule(0, NANOSECONDS, call(2));
    at(timer, 0);
    assertEquals(List.of(1, 2), called);
  }

  @Test
  void anErrorOfTheMachineGoesOnUpWhenTheOthersHaveBeenCalled() {
    Timer timer = timer();
    timer.schedule(0, NANOSECONDS, () -> {
      throw new StackOverflowError("wanted by this test");
    });
    timer.schedule(0, NANOSECONDS, call(2));
    timer.turn(0);
    assertThrows(StackOverflowError.class, submitted.remove()::run);
    assertEquals(List.of(2), called);
  }

  @Test
  void aCallbackThatTakesLongIsReportedOnceAndAfterOneAndAHalfOfTheLimitAtMost() {
    long look = SECONDS.toNanos(1) / 4;
    Timer timer = timer(Timer.on(executor).slowAfter(Duration.ofSeconds(1)));
    List<Long> slow = new ArrayList<>();
    timer.schedule(0, NANOSECONDS, () -> {
      // It hangs while the ticker goes on.
      for (int i = 1; i <= 8; i++) {
        source = ORIGIN + i * look;
        assertEquals((i + 1) * look, timer.turn(i * look));
        slow.add(timer.slow());
      }
    });
    assertEquals(look, timer.turn(0));
    submitted.remove().run();
    assertEquals(List.of(0L, 0L, 0L, 0L, 1L, 1L, 1L, 1L), slow);
    assertEquals(Long.MAX_VALUE, timer.turn(9 * look));
  }

  @Test
  void whatWaitsInTheExecutorIsNotSlow() {
    long limit = SECONDS.toNanos(1);
    Timer timer = timer(Timer.on(executor).slowAfter(Duration.ofSeconds(1)));
    timer.schedule(0, NANOSECONDS, call(1));
    for (int i = 0; i < 5; i++) {
      timer.turn(i * limit);
    }
    assertEquals(0, timer.slow());
  }

  @Test
  void aCallbackMayCallTheTimer() {
    Timer timer = timer(Timer.on(Runnable::run));
    long[] handle = new long[1];
    timer.schedule(10, NANOSECONDS, () -> {
      assertTrue(timer.cancel(handle[0]));
      timer.schedule(10, NANOSECONDS, call(2));
    });
    handle[0] = timer.schedule(15, NANOSECONDS, call(1));
    at(timer, 10);
    at(timer, 20);
    assertEquals(List.of(2), called);
  }

  @Test
  void wrongSettingsAreRefused() {
    for (int stripes : new int[]{0, -1, 3, 32}) {
      assertThrows(IllegalArgumentException.class, () -> Timer.on(executor).stripes(stripes));
    }
    assertThrows(IllegalArgumentException.class, () -> Timer.on(executor).limit(0));
    assertThrows(IllegalArgumentException.class, () -> Timer.on(executor).limit((1 << 27) + 1));
    assertThrows(IllegalArgumentException.class, () -> Timer.on(executor).batch(0));
    assertThrows(IllegalArgumentException.class, () -> Timer.on(executor).tick(Duration.ZERO));
    assertThrows(IllegalArgumentException.class, () -> Timer.on(executor).tick(Duration.ofSeconds(Long.MAX_VALUE)));
    assertThrows(IllegalArgumentException.class, () -> Timer.on(executor).slowAfter(Duration.ofNanos(-1)));
  }

  @Test
  @Timeout(30)
  void theTickerSleepsUntilTheFirstAndWakesForAnEarlierOne() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(2);
    long start = System.nanoTime();
    try (Timer timer = Timer.on(Runnable::run).start()) {
      timer.schedule(1, TimeUnit.HOURS, () -> called.add(0));
      timer.schedule(20, TimeUnit.MILLISECONDS, done::countDown);
      timer.schedule(10, TimeUnit.MILLISECONDS, done::countDown);
      done.await();
    }
    assertTrue(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(20));
    assertEquals(List.of(), called);
  }

  @Test
  @Timeout(30)
  void aClosedTimerCallsNothingAndRefuses() throws InterruptedException {
    Timer timer = Timer.on(Runnable::run).start();
    CountDownLatch called = new CountDownLatch(1);
    timer.schedule(0, NANOSECONDS, called::countDown);
    called.await();
    long handle = timer.schedule(1, TimeUnit.HOURS, called::countDown);
    timer.close();
    timer.close();
    assertThrows(RejectedExecutionException.class, () -> timer.schedule(0, NANOSECONDS, called::countDown));
    assertNotEquals(0, handle);
  }

  @Test
  @Timeout(30)
  void aCallbackMayCloseTheTimer() throws InterruptedException {
    CountDownLatch closed = new CountDownLatch(1);
    Timer timer = Timer.on(Runnable::run).start();
    timer.schedule(0, NANOSECONDS, () -> {
      timer.close();
      closed.countDown();
    });
    closed.await();
    timer.close();
  }

  @Test
  @Timeout(30)
  void aQueueThatFailsDoesNotEndTheTicker() throws InterruptedException {
    CountDownLatch called = new CountDownLatch(1);
    AtomicInteger failures = new AtomicInteger(2);
    class Failing extends Delegating {
      Failing() {
        super(new IndexedHeap());
      }

      @Override
      public int drain(long now, int limit, Sink sink) {
        if (failures.getAndDecrement() > 0) {
          throw new OutOfMemoryError("wanted by this test");
        }
        return super.drain(now, limit, sink);
      }
    }
    try (Timer timer = Timer.on(Runnable::run).stripes(1).queues(Failing::new).start()) {
      timer.schedule(0, NANOSECONDS, called::countDown);
      called.await();
    }
  }

  @Test
  void aBatchThatIsAcceptedWithAnExceptionRunsOnce() {
    Executor throwing = batch -> {
      submitted.add(batch);
      if (refusals-- > 0) {
        throw new IllegalStateException("wanted by this test");
      }
    };
    refusals = 2;
    Timer timer = timer(Timer.on(throwing).limit(10));
    timer.schedule(0, NANOSECONDS, call(1));
    at(timer, 10);
    at(timer, SECONDS.toNanos(1));
    at(timer, SECONDS.toNanos(2));
    assertEquals(List.of(1), called);
    assertEquals(0, timer.pending());
  }

  @Test
  void futuresComeOneByOneInTheirPlace() {
    Timer timer = timer();
    timer.schedule(1, NANOSECONDS, call(1));
    timer.schedule(2, NANOSECONDS, new FutureTask<>(call(2), null));
    timer.schedule(3, NANOSECONDS, new FutureTask<>(call(3), null));
    timer.schedule(4, NANOSECONDS, call(4));
    timer.schedule(5, NANOSECONDS, call(5));
    source = ORIGIN + 5;
    timer.turn(5);
    assertEquals(4, submitted.size());
    submitted.forEach(Runnable::run);
    assertEquals(List.of(1, 2, 3, 4, 5), called);
  }

  @Test
  void anInterruptedCallbackDoesNotInterruptTheNext() {
    Timer timer = timer();
    timer.schedule(1, NANOSECONDS, () -> Thread.currentThread().interrupt());
    timer.schedule(1, NANOSECONDS, () -> called.add(Thread.currentThread().isInterrupted() ? 1 : 0));
    source = ORIGIN + 1;
    timer.turn(1);
    submitted.remove().run();
    // The thread is whoever's it is.
    assertTrue(Thread.interrupted());
    assertEquals(List.of(0), called);
  }

  @Test
  @Timeout(30)
  void anInterruptedTickerSleepsAllTheSame() throws InterruptedException {
    AtomicInteger looks = new AtomicInteger();
    MonotonicTime time = new MonotonicTime(() -> {
      looks.incrementAndGet();
      return System.nanoTime();
    });
    Thread[] ticker = new Thread[1];
    CountDownLatch called = new CountDownLatch(1);
    try (Timer timer = new Timer(Timer.on(Runnable::run), time).start()) {
      timer.schedule(0, NANOSECONDS, () -> {
        ticker[0] = Thread.currentThread();
        ticker[0].interrupt();
        called.countDown();
      });
      called.await();
      Await.until("it sleeps", () -> switch (ticker[0].getState()) {
        case WAITING, TIMED_WAITING -> !ticker[0].isInterrupted();
        default -> false;
      });
      int before = looks.get();
      Thread.sleep(20);
      assertTrue(looks.get() - before < 10, "it does not sleep");
    }
  }

  @Test
  void whatComesDueWithinATickWaitsForItsEnd() {
    Timer timer = timer(Timer.on(executor).tick(Duration.ofNanos(100)));
    timer.schedule(0, NANOSECONDS, call(0));
    at(timer, 0);
    assertEquals(List.of(0), called);
    source = ORIGIN + 110;
    timer.schedule(0, NANOSECONDS, call(1));
    timer.schedule(30, NANOSECONDS, call(2));
    assertEquals(200, at(timer, 150));
    assertEquals(List.of(0), called);
    at(timer, 200);
    assertEquals(List.of(0, 1, 2), called);
  }

  @Test
  void oneQueueForSeveralStripesIsRefused() {
    TimerQueue one = new IndexedHeap();
    assertThrows(IllegalArgumentException.class, () -> timer(Timer.on(executor).stripes(2).queues(() -> one)));
  }

  @Test
  void nothingIsPendingWhenItIsClosed() {
    Timer timer = timer();
    long handle = timer.schedule(1, SECONDS, call(1));
    timer.close();
    assertEquals(0, timer.pending());
    assertFalse(timer.cancel(handle));
  }

  /** A timer queue that asks another one. */
  private abstract static class Delegating implements TimerQueue {
    private final TimerQueue queue;

    Delegating(TimerQueue queue) {
      this.queue = queue;
    }

    @Override
    public Spec spec() {
      return queue.spec();
    }

    @Override
    public long schedule(long deadline, long cookie) {
      return queue.schedule(deadline, cookie);
    }

    @Override
    public boolean cancel(long handle) {
      return queue.cancel(handle);
    }

    @Override
    public boolean move(long handle, long deadline) {
      return queue.move(handle, deadline);
    }

    @Override
    public int drain(long now, int limit, Sink sink) {
      return queue.drain(now, limit, sink);
    }

    @Override
    public long nextDeadline() {
      return queue.nextDeadline();
    }

    @Override
    public int size() {
      return queue.size();
    }
  }
}
