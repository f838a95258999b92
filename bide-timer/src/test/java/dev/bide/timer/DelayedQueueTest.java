package dev.bide.timer;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Does all that the JDK's queue does; and what that does not. */
class DelayedQueueTest extends DelayQueueContract {
  private static final long YEAR = 365 * 86_400 * 1_000_000_000L;

  @Override
  BlockingQueue<Item> create(LongSupplier clock) {
    return new DelayedQueue<>(clock);
  }

  @Override
  BlockingQueue<Item> create(Collection<Item> elements) {
    return new DelayedQueue<>(elements);
  }

  @Test
  void elementsOfOneMomentLeaveInTheOrderInWhichTheyCame() {
    List<Item> items = Stream.iterate(0, i -> i + 1).limit(100).map(i -> added("" + i, 5)).toList();
    clock.addAndGet(5);
    items.forEach(item -> assertSame(item, queue.poll()));
  }

  @Test
  void anElementIsAskedForItsDelayOnceWhenItIsAdded() {
    AtomicLong own = new AtomicLong();
    queue.add(new Item("a", 10, own::get));
    own.set(10);
    assertNull(queue.poll());
    own.set(-1_000);
    clock.addAndGet(10);
    assertEquals("a", queue.remove().name());
    assertTrue(queue.isEmpty());
  }

  @Test
  void delaysOfAnyLengthAreOrdered() {
    for (long delay : new long[]{Long.MAX_VALUE, 100 * YEAR, 0, -50 * YEAR, Long.MIN_VALUE}) {
      queue.add(new Item("" + delay, delay, () -> 0));
    }
    for (long past : new long[]{Long.MIN_VALUE, -50 * YEAR, 0}) {
      assertEquals("" + past, queue.remove().name());
    }
    assertNull(queue.poll());
    assertEquals("" + 100 * YEAR, queue.peek().name());
    clock.addAndGet(100 * YEAR);
    assertEquals("" + 100 * YEAR, queue.remove().name());
    assertEquals(Long.MAX_VALUE, queue.peek().getDelay(NANOSECONDS));
  }

  @Test
  void anIteratorDoesNotHoldUpTheQueue() {
    added("a", 0);
    Iterator<Item> iterator = queue.iterator();
    queue.clear();
    assertTrue(iterator.hasNext());
    assertEquals("a", iterator.next().name());
  }
}
