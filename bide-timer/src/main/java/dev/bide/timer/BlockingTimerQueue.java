package dev.bide.timer;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Elements that may be taken only when their delay has passed, by threads that wait for them.
 *
 * <p>Thread-safe. Time is {@link System#nanoTime}: elements leave in the order in which their delays end, those that end
 * at the same nanosecond in the order in which they came or were last moved, and none leaves early. A delay that is
 * negative counts as 0, one longer than 2^62 nanoseconds (146 years) as that. Cost is that of the queue beneath, under
 * one lock. A handle names an element until it leaves, and is never 0.
 *
 * <p>Of the threads that wait only one, the leader, sleeps until the first element is due; the others sleep until they are
 * told (D. Schmidt and others, "Leader/Followers", 2000). So an element wakes one thread, and nothing wakes while
 * nothing is due. A thread that waits holds no element; one that is interrupted leaves with nothing, and another takes
 * its place.
 *
 * @param <E> what is held
 */
public final class BlockingTimerQueue<E> {
  private static final long NEVER = Long.MAX_VALUE;

  // Guards all that follows.
  final ReentrantLock lock = new ReentrantLock();
  private final Condition leader = lock.newCondition();
  private final Condition followers = lock.newCondition();
  private final ObjectTimers<E> timers;
  private final MonotonicTime time;
  private boolean leading;
  // When a thread will look again, by itself or because it was told and is on its way; NEVER if none will.
  private long looksAt = NEVER;
  private @Nullable E taken;

  /** An empty queue over an {@link IndexedHeap}. */
  public BlockingTimerQueue() {
    this(new IndexedHeap());
  }

  /**
   * An empty queue over {@code queue}, which nobody else may use.
   *
   * @throws IllegalArgumentException if {@code queue} is not exact, or not empty
   */
  public BlockingTimerQueue(TimerQueue queue) {
    this(new ObjectTimers<>(queue), MonotonicTime.start());
  }

  BlockingTimerQueue(ObjectTimers<E> timers, MonotonicTime time) {
    if (!timers.spec().exact()) {
      throw new IllegalArgumentException("the queue must be exact, got " + timers.spec());
    }
    this.timers = timers;
    this.time = time;
  }

  /**
   * Adds an element that may be taken when {@code delay} has passed.
   *
   * @return its handle
   */
  public long put(E element, long delay, TimeUnit unit) {
    lock.lock();
    try {
      return insert(element, time.after(delay, unit));
    } finally {
      lock.unlock();
    }
  }

  long insert(E element, long deadline) {
    lock.lock();
    try {
      long handle = timers.schedule(deadline, element);
      lookAt(deadline);
      return handle;
    } finally {
      lock.unlock();
    }
  }

  /** Removes an element before it leaves; returns false if it has left, or was cancelled before. */
  public boolean cancel(long handle) {
    lock.lock();
    try {
      return timers.cancel(handle);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives an element another delay, which counts from now. Its handle stays.
   *
   * @return false if it has left, or was cancelled before
   */
  public boolean move(long handle, long delay, TimeUnit unit) {
    lock.lock();
    try {
      long deadline = time.after(delay, unit);
      boolean moved = timers.move(handle, deadline);
      if (moved) {
        lookAt(deadline);
      }
      return moved;
    } finally {
      lock.unlock();
    }
  }

  /** Takes the first element, and waits until it is due. */
  public E take() throws InterruptedException {
    return requireNonNull(takeBefore(NEVER), "taken");
  }

  /** Takes the first element if it is or becomes due within {@code timeout}, else returns null. */
  public @Nullable E poll(long timeout, TimeUnit unit) throws InterruptedException {
    return takeBefore(time.after(timeout, unit));
  }

  /** Takes the first element if it is due, else returns null. Does not wait. */
  public @Nullable E poll() {
    lock.lock();
    try {
      return first(time.now());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes elements that are due, in their order. Does not wait.
   *
   * @param limit how many at most
   * @throws IllegalArgumentException if {@code limit} is negative
   */
  public List<E> drain(int limit) {
    List<E> due = new ArrayList<>();
    lock.lock();
    try {
      timers.drain(time.now(), limit, (deadline, element) -> due.add(element));
    } finally {
      lock.unlock();
    }
    return due;
  }

  /** Returns the number of elements, due or not. */
  public int size() {
    lock.lock();
    try {
      return timers.size();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable E takeBefore(long end) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        long now = time.now();
        E first = first(now);
        if (first != null || now >= end) {
          return first;
        }
        await(now, end);
      }
    } finally {
      if (!leading) {
        tell(timers.nextDeadline());
      }
      lock.unlock();
    }
  }

  private @Nullable E first(long now) {
    timers.drain(now, 1, (deadline, element) -> taken = element);
    E first = taken;
    taken = null;
    return first;
  }

  private void await(long now, long end) throws InterruptedException {
    long next = timers.nextDeadline();
    if (!leading && next <= end && next != NEVER) {
      lead(next, next - now);
    } else {
      follow(end, end - now);
    }
  }

  @SuppressWarnings("WaitNotInLoop") // its caller's
  private void lead(long until, long nanos) throws InterruptedException {
    leading = true;
    looksAt = until;
    try {
      leader.awaitNanos(nanos);
    } finally {
      leading = false;
    }
  }

  /** There may be no leader, where this thread will not wait long enough to be one; when it leaves, another looks. */
  @SuppressWarnings("WaitNotInLoop") // its caller's
  private void follow(long until, long nanos) throws InterruptedException {
    if (!leading) {
      looksAt = NEVER;
    }
    if (until == NEVER) {
      followers.await();
    } else {
      followers.awaitNanos(nanos);
    }
  }

  private void lookAt(long deadline) {
    if (deadline < looksAt) {
      tell(deadline);
    }
  }

  /** Has one of the threads that wait look again: the leader, or one that will be it. */
  private void tell(long deadline) {
    looksAt = deadline;
    if (deadline != NEVER) {
      (leading ? leader : followers).signal();
    }
  }
}
