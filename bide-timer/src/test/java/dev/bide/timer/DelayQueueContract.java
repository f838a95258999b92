package dev.bide.timer;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.timer.Await.Call;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What {@link java.util.concurrent.DelayQueue} does, in so far as ours does it too; run on both. Where nothing waits,
 * elements and queue have a clock that stands still until the test turns it.
 */
abstract class DelayQueueContract {
  private static final long HOUR = 3_600_000_000_000L;

  /** Something whose delay ends when its clock shows {@code end}. */
  record Item(String name, long end, LongSupplier clock) implements Delayed {
    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(end - clock.getAsLong(), NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.signum(end - ((Item) other).end);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  final AtomicLong clock = new AtomicLong(1_000);
  private final LongSupplier shown = clock::get;
  final BlockingQueue<Item> queue = create(shown);
  private final BlockingQueue<Item> waited = create(System::nanoTime);

  /** Returns an empty queue; if it has a clock of its own, this one. */
  abstract BlockingQueue<Item> create(LongSupplier clock);

  /** Returns a queue with these elements, and a real clock. */
  abstract BlockingQueue<Item> create(Collection<Item> elements);

  /** Returns an element that is due in {@code delay} turns of the clock. */
  final Item item(String name, long delay) {
    return new Item(name, clock.get() + delay, shown);
  }

  final Item added(String name, long delay) {
    Item item = item(name, delay);
    assertTrue(queue.offer(item));
    return item;
  }

  /** Returns an element that is due in {@code delay} real nanoseconds. */
  private static Item real(String name, long delay) {
    return new Item(name, System.nanoTime() + delay, System::nanoTime);
  }

  private static boolean due(Item item) {
    return item.getDelay(NANOSECONDS) <= 0;
  }

  private Call<Item> taker() {
    return Await.call(waited::take);
  }

  private Call<@Nullable Item> poller(long timeout, TimeUnit unit) {
    return Await.call(() -> waited.poll(timeout, unit));
  }

  private static void assertInterrupted(Call<?> call) {
    assertInstanceOf(InterruptedException.class, assertThrows(ExecutionException.class, call::result).getCause());
  }

  // What does not wait.

  @Test
  final void anEmptyQueueHasNothing() {
    assertEquals(0, queue.size());
    assertTrue(queue.isEmpty());
    assertNull(queue.peek());
    assertNull(queue.poll());
    assertEquals(0, queue.drainTo(new ArrayList<>()));
    assertFalse(queue.iterator().hasNext());
    assertEquals(0, queue.toArray().length);
    assertThrows(NoSuchElementException.class, queue::element);
    assertThrows(NoSuchElementException.class, queue::remove);
  }

  @Test
  final void anElementLeavesWhenItsDelayEndsAndNotBefore() {
    Item item = added("a", 100);
    clock.addAndGet(99);
    assertNull(queue.poll());
    assertThrows(NoSuchElementException.class, queue::remove);
    assertEquals(0, queue.drainTo(new ArrayList<>()));
    clock.addAndGet(1);
    assertSame(item, queue.poll());
    assertNull(queue.poll());
    assertEquals(0, queue.size());
  }

  @Test
  final void anElementLeavesHoweverLateOneLooks() {
    Item item = added("a", 100);
    clock.addAndGet(HOUR);
    assertSame(item, queue.remove());
  }

  @Test
  final void peekShowsTheFirstElementBeforeItIsDue() {
    added("later", 200);
    Item first = added("first", 100);
    assertSame(first, queue.peek());
    assertSame(first, queue.element());
    assertEquals(2, queue.size());
    clock.addAndGet(150);
    assertSame(first, queue.peek());
    assertSame(first, queue.poll());
  }

  @Test
  final void elementsLeaveInTheOrderInWhichTheirDelaysEnd() {
    for (int delay : new int[]{5, 3, 9, 1, 7, 8, 2, 6, 4}) {
      added("" + delay, delay);
    }
    clock.addAndGet(9);
    assertEquals("123456789", drained());
  }

  @Test
  final void elementsWhoseDelaysEndedBeforeTheyCameLeaveInTheOrderOfTheirEnds() {
    added("5 ago", -5);
    added("an hour ago", -HOUR);
    added("now", 0);
    added("6 ago", -6);
    assertEquals("an hour ago", queue.remove().name);
    assertEquals("6 ago", queue.remove().name);
    assertEquals("5 ago", queue.remove().name);
    assertEquals("now", queue.remove().name);
  }

  @Test
  final void everyWayToAddAdds() throws InterruptedException {
    assertTrue(queue.add(item("a", 1)));
    assertTrue(queue.offer(item("b", 2)));
    assertTrue(queue.offer(item("c", 3), 1, SECONDS));
    queue.put(item("d", 4));
    assertTrue(queue.addAll(List.of(item("e", 5), item("f", 6))));
    clock.addAndGet(6);
    assertEquals("abcdef", drained());
  }

  @Test
  @SuppressWarnings("NullAway") // a careless caller
  final void nullIsRefusedAndChangesNothing() {
    assertThrows(NullPointerException.class, () -> queue.add(null));
    assertThrows(NullPointerException.class, () -> queue.offer(null));
    assertThrows(NullPointerException.class, () -> queue.offer(null, 1, SECONDS));
    assertThrows(NullPointerException.class, () -> queue.put(null));
    assertThrows(NullPointerException.class, () -> queue.addAll(null));
    assertThrows(NullPointerException.class, () -> queue.addAll(Arrays.asList(item("a", 1), null)));
    assertEquals(1, queue.size());
  }

  @Test
  @SuppressWarnings("ModifyingCollectionWithItself") // a careless caller
  final void aQueueIsNotAddedToItself() {
    added("a", 1);
    assertThrows(IllegalArgumentException.class, () -> queue.addAll(queue));
    assertEquals(1, queue.size());
  }

  @Test
  final void aQueueMayBeMadeWithElements() {
    BlockingQueue<Item> made = create(List.of(real("b", -1), real("a", -HOUR), real("c", HOUR)));
    assertEquals(3, made.size());
    assertEquals("a", made.remove().name);
    assertEquals("b", made.remove().name);
    assertNull(made.poll());
    assertThrows(NullPointerException.class, () -> create(Arrays.asList(real("a", 1), null)));
  }

  @Test
  final void sizeCountsWhatIsNotDue() {
    added("a", 0);
    added("b", HOUR);
    assertEquals(2, queue.size());
    assertFalse(queue.isEmpty());
  }

  @Test
  final void thereIsAlwaysRoom() {
    added("a", 0);
    assertEquals(Integer.MAX_VALUE, queue.remainingCapacity());
  }

  @Test
  final void oneElementMayBeAddedTwice() {
    Item item = added("a", 1);
    queue.add(item);
    assertEquals(2, queue.size());
    assertTrue(queue.remove(item));
    assertEquals(1, queue.size());
    assertTrue(queue.remove(item));
    assertFalse(queue.remove(item));
  }

  @Test
  final void drainToTakesWhatIsDueInItsOrder() {
    added("c", 3);
    added("a", 1);
    added("d", 4);
    added("b", 2);
    clock.addAndGet(3);
    List<Item> due = new ArrayList<>(List.of(item("before", 0)));
    assertEquals(3, queue.drainTo(due));
    assertEquals("[before, a, b, c]", due.toString());
    assertEquals("[d]", queue.toString());
  }

  @Test
  final void drainToTakesNoMoreThanItsLimit() {
    Stream.of("a", "b", "c").forEach(name -> added(name, 0));
    List<Item> due = new ArrayList<>();
    assertEquals(0, queue.drainTo(due, 0));
    assertEquals(0, queue.drainTo(due, -1));
    assertEquals(2, queue.drainTo(due, 2));
    assertEquals(1, queue.drainTo(due, 2));
    assertEquals(Set.of("a", "b", "c"), names(due));
  }

  @Test
  @SuppressWarnings("NullAway") // a careless caller
  final void drainToRefusesNothingAndTheQueueItself() {
    added("a", 0);
    assertThrows(NullPointerException.class, () -> queue.drainTo(null));
    assertThrows(NullPointerException.class, () -> queue.drainTo(null, 0));
    assertThrows(IllegalArgumentException.class, () -> queue.drainTo(queue));
    assertThrows(IllegalArgumentException.class, () -> queue.drainTo(queue, 0));
    assertEquals(1, queue.size());
  }

  @Test
  final void whatACollectionRefusesStaysInTheQueue() {
    added("a", 1);
    added("b", 2);
    clock.addAndGet(2);
    Collection<Item> full = new AbstractList<>() {
      private int size;

      @Override
      public boolean add(Item item) {
        if (size == 1) {
          throw new IllegalStateException("full");
        }
        size++;
        return true;
      }

      @Override
      public Item get(int index) {
        throw new AssertionError("not asked for");
      }

      @Override
      public int size() {
        return size;
      }
    };
    assertThrows(IllegalStateException.class, () -> queue.drainTo(full));
    assertEquals("b", drained());
  }

  @Test
  final void clearRemovesWhatIsDueAndWhatIsNot() {
    added("a", 0);
    added("b", HOUR);
    queue.clear();
    assertEquals(0, queue.size());
    assertNull(queue.peek());
    Item item = added("c", 0);
    assertSame(item, queue.poll());
  }

  @Test
  final void removeFindsAnEqualElementDueOrNot() {
    added("a", 0);
    added("b", 5);
    added("c", HOUR);
    Object other = "c";
    assertTrue(queue.remove(item("b", 5)));
    assertFalse(queue.remove(item("b", 5)));
    assertTrue(queue.remove(item("a", 0)));
    assertFalse(queue.remove(other));
    assertFalse(queue.remove(null));
    assertEquals("[c]", queue.toString());
  }

  @Test
  final void containsFindsAnEqualElementDueOrNot() {
    added("a", 0);
    added("b", HOUR);
    Object other = "a";
    assertTrue(queue.contains(item("a", 0)));
    assertTrue(queue.contains(item("b", HOUR)));
    assertFalse(queue.contains(item("c", 0)));
    assertFalse(queue.contains(other));
    assertFalse(queue.contains(null));
    assertTrue(queue.containsAll(List.of(item("a", 0), item("b", HOUR))));
  }

  @Test
  final void elementsAreRemovedInBulk() {
    Stream.of("a", "b", "c", "d", "e").forEach(name -> added(name, HOUR));
    assertTrue(queue.removeIf(item -> item.name.equals("b")));
    assertTrue(queue.removeAll(List.of(item("d", HOUR), item("x", HOUR))));
    assertEquals(Set.of("a", "c", "e"), names(queue));
    assertTrue(queue.retainAll(List.of(item("c", HOUR))));
    assertEquals("[c]", queue.toString());
  }

  @Test
  final void anIteratorShowsEachElementOnce() {
    IntStream.range(0, 100).forEach(i -> added("" + i, i - 50));
    List<Item> shown = new ArrayList<>();
    queue.iterator().forEachRemaining(shown::add);
    assertEquals(100, shown.size());
    assertEquals(100, names(shown).size());
    assertEquals(100, queue.size());
  }

  @Test
  final void anIteratorShowsWhatWasThereWhenItWasMade() {
    added("a", 0);
    added("b", HOUR);
    Iterator<Item> iterator = queue.iterator();
    queue.clear();
    added("c", 0);
    Set<String> shown = new HashSet<>();
    iterator.forEachRemaining(item -> shown.add(item.name));
    assertEquals(Set.of("a", "b"), shown);
  }

  @Test
  final void anIteratorRemovesTheVeryElementItShowed() {
    added("a", 5);
    added("a", 5);
    Iterator<Item> iterator = queue.iterator();
    Item shown = iterator.next();
    iterator.remove();
    assertEquals(1, queue.size());
    assertNotSame(shown, queue.peek());
    assertThrows(IllegalStateException.class, iterator::remove);
    iterator.next();
    assertThrows(NoSuchElementException.class, iterator::next);
    iterator.remove();
    assertEquals(0, queue.size());
  }

  @Test
  final void anIteratorRemovesNothingBeforeItShowedAnything() {
    added("a", 0);
    assertThrows(IllegalStateException.class, queue.iterator()::remove);
    assertEquals(1, queue.size());
  }

  @Test
  final void anIteratorRemovesNoOtherElementWhenItsOwnHasLeft() {
    Item left = added("a", 0);
    Iterator<Item> iterator = queue.iterator();
    iterator.next();
    assertSame(left, queue.poll());
    added("a", 0);
    iterator.remove();
    assertEquals(1, queue.size());
  }

  @Test
  final void anArrayHoldsEachElement() {
    Item a = added("a", 0);
    assertArrayEquals(new Object[]{a}, queue.toArray());
    assertArrayEquals(new Item[]{a}, queue.toArray(new Item[0]));
    assertArrayEquals(new Item[]{a}, queue.toArray(Item[]::new));
    Item[] larger = {null, item("x", 0), item("y", 0)};
    assertSame(larger, queue.toArray(larger));
    assertSame(a, larger[0]);
    assertNull(larger[1]);
    assertEquals("y", larger[2].name);
    added("b", HOUR);
    assertEquals(Set.of("a", "b"), names(List.of(queue.toArray(new Item[2]))));
  }

  // What waits, on a real clock.

  @Test
  final void takeWaitsUntilTheDelayEnds() throws Exception {
    waited.add(real("a", 20_000_000));
    Item taken = waited.take();
    assertTrue(due(taken), "early");
  }

  @Test
  final void takeReturnsWhatIsDueAtOnce() throws Exception {
    waited.add(real("later", HOUR));
    waited.add(real("a", 0));
    assertEquals("a", waited.take().name);
  }

  @Test
  final void pollWithATimeoutWaitsUntilTheDelayEnds() throws Exception {
    waited.add(real("a", 20_000_000));
    Item polled = waited.poll(1, TimeUnit.HOURS);
    assertTrue(due(polled), "early");
  }

  @Test
  final void pollGivesUpWhenItsTimeoutEndsAndNotBefore() throws Exception {
    for (boolean empty : new boolean[]{true, false}) {
      if (!empty) {
        waited.add(real("a", HOUR));
      }
      long start = System.nanoTime();
      assertNull(waited.poll(10, MILLISECONDS));
      assertTrue(System.nanoTime() - start >= 10_000_000, "early");
    }
    assertEquals(1, waited.size());
  }

  @Test
  final void pollWithoutTimeDoesNotWait() throws Exception {
    waited.add(real("a", HOUR));
    assertNull(waited.poll(0, SECONDS));
    assertNull(waited.poll(-1, SECONDS));
    assertNull(waited.poll(Long.MIN_VALUE, TimeUnit.DAYS));
    waited.add(real("b", 0));
    assertEquals("b", waited.poll(-1, SECONDS).name);
  }

  @Test
  final void aTakerOfAnEmptyQueueGetsWhatComes() throws Exception {
    for (Call<Item> taker : List.of(taker().sleeping(), poller(1, TimeUnit.HOURS).sleeping())) {
      waited.add(real("a", 1_000_000));
      waited.add(real("b", 1_000_000));
      assertTrue(due(taker.result()));
    }
  }

  @Test
  final void anEarlierElementReachesATakerThatWaitsForALaterOne() throws Exception {
    waited.add(real("later", HOUR));
    Call<Item> taker = taker().sleeping();
    waited.add(real("much later", 2 * HOUR));
    assertFalse(taker.ended());
    waited.add(real("earlier", 1_000_000));
    assertEquals("earlier", taker.result().name);
    assertEquals("later", waited.peek().name);
  }

  @Test
  final void anEarlierElementReachesOneOfManyTakers() throws Exception {
    waited.add(real("later", HOUR));
    List<Call<Item>> takers = Stream.generate(this::taker).limit(5).toList();
    takers.forEach(Call::sleeping);
    waited.add(real("earlier", 0));
    Await.until("one has it", () -> takers.stream().anyMatch(Call::ended));
    assertEquals(1, takers.stream().filter(Call::ended).count());
    for (int i = 0; i < 4; i++) {
      waited.add(real("" + i, 1_000_000 * (4 - i)));
    }
    for (Call<Item> taker : takers) {
      assertTrue(due(taker.result()));
    }
    assertEquals(1, waited.size());
  }

  @Test
  final void aTakerWaitsForTheNextWhenTheFirstIsRemoved() throws Exception {
    Item first = added("first", 20_000_000);
    Item second = added("second", 30_000_000);
    Call<Item> taker = Await.call(queue::take).sleeping();
    assertTrue(queue.remove(first));
    clock.addAndGet(30_000_000);
    assertSame(second, taker.result());
  }

  @Test
  final void oneThatGivesUpHasAnotherWaitForTheElement() throws Exception {
    Call<@Nullable Item> poller = poller(100, MILLISECONDS).sleeping();
    Call<Item> taker = taker().sleeping();
    waited.add(real("a", HOUR));
    assertNull(poller.result());
    Await.until("the other waits for it", taker::timed);
    waited.add(real("b", 0));
    assertEquals("b", taker.result().name);
  }

  @Test
  final void whoIsInterruptedTakesNothing() throws Exception {
    waited.add(real("a", 0));
    for (Callable<@Nullable Item> taking : List.<Callable<@Nullable Item>>of(waited::take,
        () -> waited.poll(1, TimeUnit.HOURS), () -> waited.poll(0, SECONDS))) {
      Thread.currentThread().interrupt();
      assertThrows(InterruptedException.class, taking::call);
      assertFalse(Thread.interrupted());
    }
    Thread.currentThread().interrupt();
    assertEquals("a", waited.poll().name, "does not wait, and is not interrupted");
    assertTrue(Thread.interrupted());
  }

  @Test
  final void whoIsInterruptedWhileItWaitsTakesNothing() {
    for (Call<?> call : List.of(taker(), poller(1, TimeUnit.HOURS))) {
      call.sleeping().thread.interrupt();
      assertInterrupted(call);
    }
    waited.add(real("a", HOUR));
    for (Call<?> call : List.of(taker(), poller(2, TimeUnit.HOURS))) {
      call.sleeping().thread.interrupt();
      assertInterrupted(call);
    }
    assertEquals(1, waited.size());
  }

  @Test
  final void anotherTakesThePlaceOfAnInterruptedTaker() throws Exception {
    for (int interrupted = 0; interrupted < 3; interrupted++) {
      waited.add(real("later", HOUR));
      List<Call<Item>> takers = Stream.generate(this::taker).limit(3).toList();
      takers.forEach(Call::sleeping);
      takers.get(interrupted).thread.interrupt();
      assertInterrupted(takers.get(interrupted));
      waited.add(real("a", 5_000_000));
      waited.add(real("b", 6_000_000));
      for (int other = 0; other < 3; other++) {
        if (other != interrupted) {
          assertTrue(due(takers.get(other).result()));
        }
      }
    }
    assertEquals(3, waited.size());
  }

  @Test
  final void addingIsNotInterrupted() throws InterruptedException {
    Thread.currentThread().interrupt();
    waited.put(real("a", 0));
    assertTrue(waited.offer(real("b", 0), 1, SECONDS));
    assertTrue(Thread.interrupted());
    assertEquals(2, waited.size());
  }

  private String drained() {
    List<Item> due = new ArrayList<>();
    queue.drainTo(due);
    return String.join("", due.stream().map(Item::name).toList());
  }

  private static Set<String> names(Collection<Item> items) {
    return new HashSet<>(items.stream().map(Item::name).toList());
  }
}
