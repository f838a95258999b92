package dev.bide.timer;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.util.AbstractQueue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A {@link java.util.concurrent.DelayQueue} that keeps the order among equals: the same methods with the same meaning,
 * on a {@link BlockingTimerQueue}.
 *
 * <p>One thing differs. An element is asked for its delay once, when it is added, and never compared: whoever wants to
 * change it removes it and adds it again. Elements leave in the order in which their delays end, also of those that
 * ended before they were added; those that end at the same nanosecond leave in the order in which they were added.
 *
 * <p>Thread-safe, without a bound. Add, poll and take cost O(log n), {@link #peek} and {@link #size} O(1),
 * {@link #contains} and {@link #remove(Object)} O(n), where n is the most elements that it has held since it was empty.
 * An iterator shows in no order what was there when it was made.
 *
 * @param <E> what is held
 */
public final class DelayedQueue<E extends Delayed> extends AbstractQueue<E> implements BlockingQueue<E> {
  /** How long ago a delay can have ended, so that deadlines are not negative: 73 years. */
  private static final long PAST = 1L << 61;

  private final MonotonicTime time;
  // Both guarded by the lock of the queue.
  private final IndexedHeap heap = new IndexedHeap();
  private final ObjectTimers<E> timers = new ObjectTimers<>(heap);
  private final BlockingTimerQueue<E> queue;

  /** An empty queue. */
  public DelayedQueue() {
    this(MonotonicTime.startAt(PAST));
  }

  DelayedQueue(LongSupplier clock) {
    this(new MonotonicTime(clock, PAST));
  }

  /** A queue with these elements, in their order. */
  public DelayedQueue(Collection<? extends E> elements) {
    this();
    addAll(elements);
  }

  private DelayedQueue(MonotonicTime time) {
    this.time = time;
    queue = new BlockingTimerQueue<>(timers, time);
  }

  @Override
  public boolean offer(E element) {
    long delay = element.getDelay(NANOSECONDS);
    queue.insert(element, time.after(delay));
    return true;
  }

  /** Adds an element; does not wait. */
  @Override
  public boolean offer(E element, long timeout, TimeUnit unit) {
    return offer(element);
  }

  /** Adds an element; does not wait. */
  @Override
  public void put(E element) {
    offer(element);
  }

  @Override
  public E take() throws InterruptedException {
    return queue.take();
  }

  @Override
  public @Nullable E poll(long timeout, TimeUnit unit) throws InterruptedException {
    return queue.poll(timeout, unit);
  }

  /** Takes the first element if its delay has ended, else returns null. */
  @Override
  public @Nullable E poll() {
    return queue.poll();
  }

  /** Returns the first element, whether its delay has ended or not; null when empty. */
  @Override
  public @Nullable E peek() {
    queue.lock.lock();
    try {
      return heap.size() == 0 ? null : timers.get(heap.first());
    } finally {
      queue.lock.unlock();
    }
  }

  /** Returns the number of elements, whether their delays have ended or not. */
  @Override
  public int size() {
    return queue.size();
  }

  @Override
  public int remainingCapacity() {
    return Integer.MAX_VALUE;
  }

  @Override
  public int drainTo(Collection<? super E> collection) {
    return drainTo(collection, Integer.MAX_VALUE);
  }

  /** Adds the elements whose delays have ended to {@code collection}, and removes them. */
  @Override
  public int drainTo(Collection<? super E> collection, int limit) {
    requireNonNull(collection, "collection");
    if (collection == this) {
      throw new IllegalArgumentException("a queue cannot be drained to itself");
    }
    int count = 0;
    queue.lock.lock();
    try {
      for (long now = time.now(); count < limit && heap.nextDeadline() <= now; count++) {
        long first = heap.first();
        // Before it leaves: what the collection refuses is not lost.
        collection.add(timers.get(first));
        timers.cancel(first);
      }
    } finally {
      queue.lock.unlock();
    }
    return count;
  }

  @Override
  public void clear() {
    queue.lock.lock();
    try {
      timers.drain(Long.MAX_VALUE, Integer.MAX_VALUE, (deadline, element) -> {});
    } finally {
      queue.lock.unlock();
    }
  }

  @Override
  public boolean remove(@Nullable Object object) {
    return object != null && removeFirst(object::equals);
  }

  @Override
  public Iterator<E> iterator() {
    List<E> elements = new ArrayList<>();
    queue.lock.lock();
    try {
      timers.forEach(elements::add);
    } finally {
      queue.lock.unlock();
    }
    return new Snapshot(elements.iterator());
  }

  private boolean removeFirst(Predicate<E> unwanted) {
    queue.lock.lock();
    try {
      int index = timers.indexOf(unwanted);
      return index >= 0 && timers.cancel(heap.handle(index));
    } finally {
      queue.lock.unlock();
    }
  }

  private final class Snapshot implements Iterator<E> {
    private final Iterator<E> elements;
    private @Nullable E last;

    private Snapshot(Iterator<E> elements) {
      this.elements = elements;
    }

    @Override
    public boolean hasNext() {
      return elements.hasNext();
    }

    @Override
    public E next() {
      E next = elements.next();
      last = next;
      return next;
    }

    /** Removes this very element, if it has not left. */
    @Override
    public void remove() {
      E unwanted = last;
      if (unwanted == null) {
        throw new IllegalStateException("there is no element to remove");
      }
      last = null;
      removeFirst(element -> element == unwanted);
    }
  }
}
