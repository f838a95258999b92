package dev.bide.timer;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Timers for an event loop: it has no thread of its own, the loop's thread calls the callbacks.
 *
 * <pre>{@code
 * LoopTimer timer = new LoopTimer(selector::wakeup);
 * while (selector.isOpen()) {
 *   timer.select(selector);  // sleeps until there is something to read, or a timer is due
 *   serve(selector.selectedKeys());
 *   timer.runDue(1_000);     // the rest with the next turn, so that none keeps the others waiting for long
 * }
 * }</pre>
 *
 * <p>Timers are scheduled, cancelled and moved by any thread. Delays count from the call, by {@link System#nanoTime}; the
 * greatest is 2^62 nanoseconds, and longer ones are cut to that. Time goes in ticks of a millisecond: a callback is
 * never called early, and the loop wakes once for all timers of a tick, at its end, and calls them in the order of
 * their deadlines. Cost is that of the queue beneath, under one lock, which is not held while a callback runs.
 */
public final class LoopTimer {
  private static final System.Logger LOGGER = System.getLogger(LoopTimer.class.getName());
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long NOTHING = Long.MAX_VALUE;
  // Nothing is before it.
  private static final long AWAKE = Long.MIN_VALUE;
  private static final long NOT_RUNNING = -1;

  private final Runnable wakeup;
  private final Consumer<? super Throwable> uncaught;
  private final MonotonicTime time;
  private final ReentrantLock lock = new ReentrantLock();
  // Guarded by lock.
  private final ObjectTimers<Runnable> timers;
  private @Nullable Runnable due;
  // Until when the loop was told that it may sleep.
  private long asleepUntil = AWAKE;
  private long runningTo = NOT_RUNNING;

  /**
   * A timer over a {@link HierarchicalWheel} that logs what callbacks throw.
   *
   * @param wakeup ends the sleep of the loop, the next one if it does not sleep yet, as {@link Selector#wakeup} does.
   * Called by the thread that schedules or moves a timer, if that is due before the loop would wake; then not again
   * until the loop has looked. What it throws goes to that thread, and the timer is there all the same
   */
  public LoopTimer(Runnable wakeup) {
    this(wakeup, e -> LOGGER.log(Level.ERROR, "a timer's callback failed", e));
  }

  /** A timer that gives to {@code uncaught} what callbacks throw, except for a {@link VirtualMachineError}. */
  public LoopTimer(Runnable wakeup, Consumer<? super Throwable> uncaught) {
    this(new HierarchicalWheel(), wakeup, uncaught);
  }

  /** A timer over {@code queue}, which has to be empty and which nobody else may use. */
  public LoopTimer(TimerQueue queue, Runnable wakeup, Consumer<? super Throwable> uncaught) {
    this(queue, wakeup, uncaught, MonotonicTime.start());
  }

  LoopTimer(TimerQueue queue, Runnable wakeup, Consumer<? super Throwable> uncaught, MonotonicTime time) {
    this.timers = new ObjectTimers<>(queue);
    this.wakeup = requireNonNull(wakeup, "wakeup");
    this.uncaught = requireNonNull(uncaught, "uncaught");
    this.time = time;
  }

  // For any thread.

  /**
   * Has {@code callback} called after {@code delay}.
   *
   * @return a handle on it, never 0, that will not be given again soon
   */
  public long schedule(Duration delay, Runnable callback) {
    return schedule(TimeUnit.NANOSECONDS.convert(delay), TimeUnit.NANOSECONDS, callback);
  }

  /**
   * Has {@code callback} called after {@code delay}.
   *
   * @return a handle on it, never 0, that will not be given again soon
   */
  public long schedule(long delay, TimeUnit unit, Runnable callback) {
    requireNonNull(callback, "callback");
    long handle;
    boolean earlier;
    lock.lock();
    try {
      long deadline = deadline(delay, unit);
      handle = timers.schedule(deadline, callback);
      earlier = earlier(deadline);
    } finally {
      lock.unlock();
    }
    if (earlier) {
      wake();
    }
    return handle;
  }

  /** Returns whether a callback was pending, and will not be called; false if it was called before, or is just now. */
  public boolean cancel(long handle) {
    lock.lock();
    try {
      return timers.cancel(handle);
    } finally {
      lock.unlock();
    }
  }

  /** Has a callback called after {@code delay} from now instead; returns false if it is no longer pending. */
  public boolean move(long handle, Duration delay) {
    return move(handle, TimeUnit.NANOSECONDS.convert(delay), TimeUnit.NANOSECONDS);
  }

  /** Has a callback called after {@code delay} from now instead; returns false if it is no longer pending. */
  public boolean move(long handle, long delay, TimeUnit unit) {
    boolean moved;
    boolean earlier;
    lock.lock();
    try {
      long deadline = deadline(delay, unit);
      moved = timers.move(handle, deadline);
      earlier = moved && earlier(deadline);
    } finally {
      lock.unlock();
    }
    if (earlier) {
      wake();
    }
    return moved;
  }

  /** Returns how many callbacks are pending. */
  public int pending() {
    lock.lock();
    try {
      return timers.size();
    } finally {
      lock.unlock();
    }
  }

  // For the loop's thread.

  /**
   * Returns for how many milliseconds the loop may sleep: 0 if a timer is due, {@link Long#MAX_VALUE} if none is
   * pending. What is due earlier from now on calls the wake-up.
   *
   * <p>For {@link Selector#select(long)} 0 means for ever: call {@link Selector#selectNow} then, or {@link #select}, which
   * does.
   */
  public long millisToNext() {
    lock.lock();
    try {
      long now = time.now();
      // Published and looked for under one lock: what is scheduled from now on sees when the loop wakes.
      long wake = tickOf(timers.nextDeadline());
      if (wake <= now) {
        asleepUntil = AWAKE;
        return 0;
      }
      asleepUntil = wake;
      return wake == NOTHING ? NOTHING : (wake - now + TICK_NANOS - 1) / TICK_NANOS;
    } finally {
      lock.unlock();
    }
  }

  /** Selects until something can be done, or a timer is due; returns what {@link Selector#select(long)} does. */
  public int select(Selector selector) throws IOException {
    long millis = millisToNext();
    return millis == 0 ? selector.selectNow() : selector.select(millis);
  }

  /**
   * Calls the callbacks that are due. A callback that throws does not keep the others from being called. One that is
   * scheduled or moved meanwhile is called next time at the earliest; one that is cancelled meanwhile is not called.
   *
   * @param limit how many at most
   * @return how many were called
   * @throws IllegalArgumentException if {@code limit} is negative
   * @throws IllegalStateException if a callback calls it
   */
  public int runDue(int limit) {
    if (limit < 0) {
      throw new IllegalArgumentException("limit must not be negative, got " + limit);
    }
    begin();
    try {
      for (int count = 0; count < limit; count++) {
        Runnable callback = next();
        if (callback == null) {
          return count;
        }
        call(callback);
      }
      return limit;
    } finally {
      end();
    }
  }

  private void begin() {
    lock.lock();
    try {
      if (runningTo != NOT_RUNNING) {
        throw new IllegalStateException("it is called already");
      }
      asleepUntil = AWAKE;
      long now = time.now();
      runningTo = now - now % TICK_NANOS;
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    lock.lock();
    try {
      runningTo = NOT_RUNNING;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Runnable next() {
    lock.lock();
    try {
      timers.drain(runningTo, 1, (deadline, callback) -> due = callback);
      Runnable next = due;
      due = null;
      return next;
    } finally {
      lock.unlock();
    }
  }

  private void call(Runnable callback) {
    try {
      callback.run();
    } catch (VirtualMachineError e) {
      throw e;
    } catch (Throwable e) {
      uncaught.accept(e);
    }
  }

  /** Returns the deadline, behind what is being called now. */
  private long deadline(long delay, TimeUnit unit) {
    return Math.max(time.after(delay, unit), runningTo + 1);
  }

  private boolean earlier(long deadline) {
    boolean earlier = tickOf(deadline) < asleepUntil;
    if (earlier) {
      asleepUntil = AWAKE;
    }
    return earlier;
  }

  private void wake() {
    boolean woken = false;
    try {
      wakeup.run();
      woken = true;
    } finally {
      if (!woken) {
        mayBeAsleep();
      }
    }
  }

  /** Has the next one that is scheduled wake the loop, whenever that is due. */
  private void mayBeAsleep() {
    lock.lock();
    try {
      asleepUntil = NOTHING;
    } finally {
      lock.unlock();
    }
  }

  private static long tickOf(long deadline) {
    return deadline > NOTHING - TICK_NANOS ? NOTHING : (deadline + TICK_NANOS - 1) / TICK_NANOS * TICK_NANOS;
  }
}
