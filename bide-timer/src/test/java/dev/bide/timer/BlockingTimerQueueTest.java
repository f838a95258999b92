package dev.bide.timer;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.timer.Await.Call;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BlockingTimerQueueTest {
  private static final long HOUR = HOURS.toNanos(1);

  private final AtomicLong clock = new AtomicLong(1_000);
  private final BlockingTimerQueue<String> queue = on(new IndexedHeap());
  private final BlockingTimerQueue<String> waited = new BlockingTimerQueue<>();

  /** Returns an empty queue whose clock stands still until the test turns it. */
  private BlockingTimerQueue<String> on(TimerQueue beneath) {
    return new BlockingTimerQueue<>(new ObjectTimers<>(beneath), new MonotonicTime(clock::get));
  }

  private long put(String element, long nanos) {
    return queue.put(element, nanos, NANOSECONDS);
  }

  private List<Call<String>> takers(int count) {
    List<Call<String>> takers = Stream.generate(() -> Await.call(waited::take)).limit(count).toList();
    takers.forEach(Call::sleeping);
    return takers;
  }

  private static long timed(List<? extends Call<?>> calls) {
    return calls.stream().filter(Call::timed).count();
  }

  // What does not wait.

  @Test
  void anElementLeavesWhenItsDelayHasPassedAndNotBefore() {
    assertNotEquals(0, put("a", 100));
    clock.addAndGet(99);
    assertNull(queue.poll());
    assertEquals(List.of(), queue.drain(9));
    assertEquals(1, queue.size());
    clock.addAndGet(1);
    assertEquals("a", queue.poll());
    assertNull(queue.poll());
    assertEquals(0, queue.size());
  }

  @Test
  void elementsLeaveInTheOrderInWhichTheirDelaysEndAndThenInWhichTheyCame() {
    put("late", 6);
    put("a", 5);
    put("b", 5);
    put("early", 4);
    put("c", 5);
    clock.addAndGet(6);
    assertEquals(List.of("early", "a", "b", "c", "late"), queue.drain(9));
  }

  @Test
  void aCancelledElementNeverLeaves() {
    put("a", 5);
    long handle = put("b", 5);
    assertTrue(queue.cancel(handle));
    assertFalse(queue.cancel(handle));
    assertFalse(queue.move(handle, 0, NANOSECONDS));
    clock.addAndGet(5);
    assertEquals(List.of("a"), queue.drain(9));
  }

  @Test
  void anElementThatHasLeftIsNotCancelledOrMoved() {
    long handle = put("a", 0);
    assertEquals("a", queue.poll());
    assertFalse(queue.cancel(handle));
    assertFalse(queue.move(handle, 5, NANOSECONDS));
    assertEquals(0, queue.size());
  }

  @Test
  void aMovedElementLeavesWhenItsNewDelayHasPassedSinceTheMove() {
    long later = put("later", 10);
    long earlier = put("earlier", 100);
    clock.addAndGet(9);
    assertTrue(queue.move(later, 10, NANOSECONDS));
    assertTrue(queue.move(earlier, 5, NANOSECONDS));
    clock.addAndGet(4);
    assertNull(queue.poll());
    clock.addAndGet(1);
    assertEquals(List.of("earlier"), queue.drain(9));
    clock.addAndGet(4);
    assertNull(queue.poll());
    clock.addAndGet(1);
    assertEquals(List.of("later"), queue.drain(9));
  }

  @Test
  void anElementThatIsDueIsPutOffByAMove() {
    long handle = put("a", 0);
    assertTrue(queue.move(handle, 1, NANOSECONDS));
    assertNull(queue.poll());
    clock.addAndGet(1);
    assertEquals("a", queue.poll());
  }

  @Test
  void afterAPauseOfHoursWhatIsDueComesInCallsOfTheLimit() {
    IntStream.range(0, 1_000).forEach(i -> put("" + i, i));
    put("not yet", 10 * HOUR);
    clock.addAndGet(5 * HOUR);
    List<String> due = new ArrayList<>();
    for (int call = 0; call < 10; call++) {
      List<String> some = queue.drain(100);
      assertEquals(100, some.size());
      due.addAll(some);
    }
    assertEquals(List.of(), queue.drain(100));
    assertEquals(IntStream.range(0, 1_000).mapToObj(i -> "" + i).toList(), due);
    assertEquals(1, queue.size());
  }

  @Test
  void aLimitOf0DrainsNothingAndANegativeOneIsRefused() {
    put("a", 0);
    assertEquals(List.of(), queue.drain(0));
    assertThrows(IllegalArgumentException.class, () -> queue.drain(-1));
    assertEquals(1, queue.size());
  }

  @Test
  @SuppressWarnings("NullAway") // a careless caller
  void nullIsRefusedAndChangesNothing() {
    assertThrows(NullPointerException.class, () -> queue.put(null, 1, SECONDS));
    assertThrows(NullPointerException.class, () -> queue.put("b", 1, null));
    assertEquals(0, queue.size());
  }

  @Test
  void aQueueThatIsNotExactOrNotEmptyIsRefused() {
    IndexedHeap used = new IndexedHeap();
    used.schedule(1, 1);
    TimerQueue coarse = (TimerQueue) Proxy.newProxyInstance(getClass().getClassLoader(),
        new Class<?>[]{TimerQueue.class},
        (proxy, method, arguments) -> method.getName().equals("spec") ? new TimerQueue.Spec(0, 10) : 0);
    assertThrows(IllegalArgumentException.class, () -> new BlockingTimerQueue<>(used));
    assertThrows(IllegalArgumentException.class, () -> new BlockingTimerQueue<>(coarse));
  }

  @Test
  void aClockThatGoesBackMakesNothingEarlyAndLosesNothing() {
    clock.addAndGet(1_000);
    put("a", 10);
    clock.addAndGet(-500);
    put("b", 10);
    clock.addAndGet(9);
    assertNull(queue.poll());
    clock.addAndGet(1);
    assertEquals(List.of("b"), queue.drain(9));
    clock.addAndGet(499);
    assertNull(queue.poll());
    clock.addAndGet(1);
    assertEquals(List.of("a"), queue.drain(9));
  }

  @Test
  void delaysHoldWhereTheNumbersOfTheClockWrap() {
    clock.set(Long.MAX_VALUE - 5);
    BlockingTimerQueue<String> wrapping = on(new IndexedHeap());
    wrapping.put("b", 20, NANOSECONDS);
    wrapping.put("a", 3, NANOSECONDS);
    clock.addAndGet(2);
    assertNull(wrapping.poll());
    clock.addAndGet(17);
    assertEquals(List.of("a"), wrapping.drain(9));
    clock.addAndGet(1);
    assertTrue(clock.get() < 0);
    assertEquals(List.of("b"), wrapping.drain(9));
  }

  @Test
  void hugeDelaysAreNotDueAndNegativeOnesAre() {
    for (TimerQueue beneath : List.of(new IndexedHeap(), new HierarchicalWheel())) {
      BlockingTimerQueue<String> any = on(beneath);
      any.put("huge", Long.MAX_VALUE, DAYS);
      any.put("past", Long.MIN_VALUE, DAYS);
      any.put("now", 0, DAYS);
      clock.addAndGet(DAYS.toNanos(50_000));
      assertEquals(List.of("past", "now"), any.drain(9));
      assertEquals(1, any.size());
    }
  }

  // What waits.

  @Test
  void aTakerWaitsWhileTheNumbersOfTheClockWrap() throws Exception {
    long offset = Long.MAX_VALUE - 10_000_000 - System.nanoTime();
    BlockingTimerQueue<String> wrapping = new BlockingTimerQueue<>(new ObjectTimers<>(new IndexedHeap()),
        new MonotonicTime(() -> System.nanoTime() + offset));
    long start = System.nanoTime();
    wrapping.put("a", 30, MILLISECONDS);
    assertEquals("a", wrapping.take());
    assertTrue(System.nanoTime() - start >= 30_000_000, "early");
    assertTrue(System.nanoTime() + offset < 0);
  }

  @Test
  void pollGivesUpWhenItsTimeoutEndsAndNotBefore() throws Exception {
    waited.put("a", 1, HOURS);
    long start = System.nanoTime();
    assertNull(waited.poll(10, MILLISECONDS));
    assertTrue(System.nanoTime() - start >= 10_000_000, "early");
    assertNull(waited.poll(-1, DAYS));
    assertEquals(1, waited.size());
  }

  @Test
  void pollWithoutTimeDoesNotWaitThoughTheClockStands() throws Exception {
    assertNull(Await.call(() -> queue.poll(0, SECONDS)).result());
    put("a", 1);
    assertNull(Await.call(() -> queue.poll(-5, SECONDS)).result());
    put("b", 0);
    assertEquals("b", Await.call(() -> queue.poll(0, SECONDS)).result());
  }

  @Test
  void nobodySleepsTimedWhileNothingIsThere() throws Exception {
    List<Call<String>> takers = takers(3);
    assertEquals(0, timed(takers));
    for (int i = 0; i < 3; i++) {
      waited.put("" + i, 0, SECONDS);
    }
    for (Call<String> taker : takers) {
      taker.result();
    }
  }

  @Test
  void oneTakerSleepsTimedAndTheOthersUntilTheyAreTold() throws Exception {
    waited.put("a", 1, HOURS);
    List<Call<String>> takers = takers(4);
    assertEquals(1, timed(takers));
    waited.put("earlier", 50, SECONDS);
    Await.until("one leads", () -> timed(takers) == 1);
    waited.put("now", 0, SECONDS);
    Await.until("one has it", () -> takers.stream().anyMatch(Call::ended));
    Await.until("another leads", () -> timed(takers) == 1);
    interrupt(takers);
  }

  @Test
  void aTakerThatIsInterruptedHandsItsPlaceOn() {
    waited.put("a", 1, HOURS);
    List<Call<String>> takers = takers(3);
    for (int left = 3; left > 0; left--) {
      Await.until("one leads", () -> timed(takers) == 1);
      interrupt(takers.stream().filter(Call::timed).toList());
    }
    assertEquals(1, waited.size());
  }

  @Test
  void oneThatWillNotWaitLongEnoughDoesNotLeadButHandsOn() throws Exception {
    Call<String> poller = Await.call(() -> waited.poll(100, MILLISECONDS)).sleeping();
    List<Call<String>> takers = takers(2);
    waited.put("a", 1, HOURS);
    assertNull(poller.result());
    Await.until("one leads", () -> timed(takers) == 1);
    interrupt(takers);
  }

  @Test
  void aMoveToAnEarlierTimeReachesTheTaker() throws Exception {
    long handle = waited.put("a", 1, HOURS);
    Call<String> taker = takers(1).get(0);
    assertTrue(waited.move(handle, 1, MILLISECONDS));
    assertEquals("a", taker.result());
  }

  @Test
  void aCancelLetsTheTakerWaitOn() throws Exception {
    long start = System.nanoTime();
    long handle = waited.put("a", 10, SECONDS);
    Call<String> taker = takers(1).get(0);
    waited.put("b", 10_050, MILLISECONDS);
    assertTrue(waited.cancel(handle));
    waited.put("c", 50, MILLISECONDS);
    assertEquals("c", taker.result());
    assertTrue(System.nanoTime() - start >= 50_000_000, "early");
  }

  @Test
  void aTakerWhoseElementIsGoneWhenItWakesHearsOfTheNext() throws Exception {
    long handle = put("a", 20_000_000);
    Call<String> taker = Await.call(queue::take).sleeping();
    assertTrue(queue.cancel(handle));
    Await.until("it woke for nothing", () -> taker.thread.getState() == Thread.State.WAITING);
    clock.addAndGet(30_000_000);
    put("b", 0);
    assertEquals("b", taker.result());
  }

  @Test
  void anEarlierElementReachesTheTakerWhereTheWheelOnlyGuessesItsNext() throws Exception {
    BlockingTimerQueue<String> guessing = on(new HierarchicalWheel(40));
    long slot = 1L << 40;
    for (int i = 0; i < 16; i++) {
      guessing.put("later", slot + 1_000_000, NANOSECONDS);
    }
    Call<String> taker = Await.call(guessing::take).sleeping();
    // One more, and the wheel's next is the beginning of the slot.
    guessing.put("one more", slot + 2_000_000, NANOSECONDS);
    clock.addAndGet(slot + 500_000);
    guessing.put("now", 0, NANOSECONDS);
    assertEquals("now", taker.result());
  }

  @Test
  void nobodyHoldsWhatHasLeftOrWasCancelled() {
    List<Call<String>> takers = takers(2);
    Fresh taken = putFresh(queue, 0);
    assertNotNull(queue.poll());
    Fresh cancelled = putFresh(waited, HOUR);
    Await.until("one leads", () -> timed(takers) == 1);
    assertTrue(waited.cancel(cancelled.handle));
    Await.until("they are let go", () -> {
      System.gc();
      return taken.gone() && cancelled.gone();
    });
    interrupt(takers);
  }

  /** Puts an element of which nobody else knows. */
  private static Fresh putFresh(BlockingTimerQueue<String> queue, long nanos) {
    String fresh = Long.toString(System.nanoTime());
    return new Fresh(queue.put(fresh, nanos, NANOSECONDS), new WeakReference<>(fresh));
  }

  private record Fresh(long handle, WeakReference<String> element) {
    boolean gone() {
      return element.get() == null;
    }
  }

  private static void interrupt(List<? extends Call<?>> calls) {
    for (Call<?> call : calls) {
      if (!call.ended()) {
        call.thread.interrupt();
        assertInstanceOf(InterruptedException.class, assertThrows(ExecutionException.class, call::result).getCause());
      }
    }
  }
}
