package dev.bide.timer;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Calls callbacks when their time has come.
 *
 * <pre>{@code
 * try (Timer timer = Timer.on(executor).start()) {
 *   long handle = timer.schedule(Duration.ofSeconds(30), connection::close);
 *   timer.move(handle, Duration.ofSeconds(30));  // the peer is still there
 *   timer.cancel(handle);                        // the peer has gone by itself
 * }
 * }</pre>
 *
 * <p>Thread-safe. Delays count from the call, by {@link System#nanoTime}; the greatest is 2^62 nanoseconds, and longer
 * ones are cut to that. No callback is called early. One thread, the <em>ticker</em>, sleeps until the first is due,
 * and gives those that are due to the executor, in batches, by deadline; callbacks never run under a lock, nor on the
 * ticker unless the executor runs them where it is called. What they take never delays the trigger; it delays those of
 * the same batch, and those for which the executor has no thread. A callback that throws is logged, and the next one is
 * called. A {@link java.util.concurrent.Future} is given to the executor alone, since others may wait for it.
 *
 * <p>Timers are spread over <em>stripes</em>, by the thread that schedules them, each with a lock of its own. Those of one
 * deadline run in the order in which they were scheduled or last moved if there is one stripe and an executor that
 * keeps order; with more, that holds for those of each thread.
 *
 * <p>An executor that refuses is offered the same batch again, after 1 ms at first and then twice as long each time, up to
 * 1 s; what comes due meanwhile waits in its place. One that accepts a batch and never runs it keeps its callbacks
 * pending. The ticker is a daemon thread unless {@link TimerBuilder#daemon} says otherwise, so the JVM ends though
 * callbacks are pending.
 *
 * <p>Schedule, cancel and move take O(1) with the wheel that it uses unless another queue is given.
 */
public final class Timer implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger(Timer.class.getName());
  private static final long FIRST_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LAST_BACKOFF_NANOS = TimeUnit.SECONDS.toNanos(1);
  /** Before every deadline. */
  private static final long NOTHING_MORE = -1;
  private static final long HIGH = 0xffff_ffff_0000_0000L;

  private final Executor executor;
  private final MonotonicTime time;
  private final long tickNanos;
  private final long slowNanos;
  private final Stripe[] stripes;
  private final int stripeBits;
  private final Permits permits;
  private final int limit;
  private final Merge merge;
  private final Alarm alarm = new Alarm();
  private final Set<Batch> running = ConcurrentHashMap.newKeySet();
  private final Set<TimerExecutorService> services = ConcurrentHashMap.newKeySet();
  private final LongAdder refused = new LongAdder();
  private final LongAdder slow = new LongAdder();
  private final Thread ticker;
  private volatile boolean closed;

  // The ticker's.
  private @Nullable Batch offered;
  private long offerAt;
  private long backoffNanos = FIRST_BACKOFF_NANOS;
  private long lookAt = Long.MAX_VALUE;

  Timer(TimerBuilder with, MonotonicTime time) {
    this.time = time;
    executor = with.executor;
    tickNanos = with.tickNanos;
    slowNanos = with.slowNanos;
    limit = with.limit;
    permits = new Permits(limit);
    int block = Math.min(1_024, Math.max(1, limit / (4 * with.stripes)));
    Set<TimerQueue> queues = Collections.newSetFromMap(new IdentityHashMap<>());
    while (queues.size() < with.stripes) {
      if (!queues.add(with.queues.get())) {
        throw new IllegalArgumentException("queues must give another queue each time");
      }
    }
    stripes = queues.stream().map(queue -> new Stripe(queue, permits, block)).toArray(Stripe[]::new);
    stripeBits = Integer.numberOfTrailingZeros(with.stripes);
    merge = new Merge(List.of(stripes), with.batch);
    ticker = new Thread(this::run, "bide-timer");
    ticker.setDaemon(with.daemon);
  }

  /** Returns a builder of a timer that calls its callbacks by {@code executor}. */
  public static TimerBuilder on(Executor executor) {
    return new TimerBuilder(requireNonNull(executor, "executor"));
  }

  /** Starts the ticker. */
  Timer start() {
    ticker.start();
    return this;
  }

  /**
   * Has {@code callback} called after {@code delay}; at once if that is not positive.
   *
   * @return a handle on it, never 0, that will not be given again soon
   * @throws RejectedExecutionException if as many as the limit are pending, or the timer is closed
   */
  public long schedule(Duration delay, Runnable callback) {
    return schedule(TimeUnit.NANOSECONDS.convert(delay), TimeUnit.NANOSECONDS, callback);
  }

  /**
   * Has {@code callback} called after {@code delay}; at once if that is not positive.
   *
   * @return a handle on it, never 0, that will not be given again soon
   * @throws RejectedExecutionException if as many as the limit are pending, or the timer is closed
   */
  public long schedule(long delay, TimeUnit unit, Runnable callback) {
    requireNonNull(callback, "callback");
    long deadline = time.after(delay, unit);
    return schedule(deadline, callback, false);
  }

  /** Schedules what has been a timer before, whatever the limit. */
  long scheduleAgain(long deadline, Runnable callback) {
    return schedule(deadline, callback, true);
  }

  private long schedule(long deadline, Runnable callback, boolean again) {
    int index = (int) Thread.currentThread().getId() & stripes.length - 1;
    long handle = stripes[index].schedule(deadline, callback, again);
    while (handle == 0) {
      giveBackUnused();
      if (permits.left() <= 0) {
        throw new RejectedExecutionException("as many timers are pending as are allowed: " + limit);
      }
      // Another thread may be faster, but not always.
      handle = stripes[index].schedule(deadline, callback, again);
    }
    wakeFor(deadline);
    return handle & HIGH | (handle & ~HIGH) << stripeBits | index;
  }

  /**
   * Returns whether {@code handle} was pending; its callback will not be called then. If it was not, its callback was
   * called, or will be, or it was cancelled before.
   */
  public boolean cancel(long handle) {
    return stripe(handle).cancel(inner(handle));
  }

  /** Has a callback called after {@code delay} from now instead; returns false if it is no longer pending. */
  public boolean move(long handle, Duration delay) {
    return move(handle, TimeUnit.NANOSECONDS.convert(delay), TimeUnit.NANOSECONDS);
  }

  /** Has a callback called after {@code delay} from now instead; returns false if it is no longer pending. */
  public boolean move(long handle, long delay, TimeUnit unit) {
    long deadline = time.after(delay, unit);
    boolean moved = stripe(handle).move(inner(handle), deadline);
    if (moved) {
      wakeFor(deadline);
    }
    return moved;
  }

  /**
   * Returns how many callbacks are pending, those included whose batch the executor has not begun; too many while
   * others schedule and cancel.
   */
  public int pending() {
    giveBackUnused();
    return limit - permits.left();
  }

  /** Returns how often the executor has refused a batch. */
  public long refused() {
    return refused.sum();
  }

  /**
   * Returns how many callbacks were seen to take longer than the limit for that; see {@link TimerBuilder#slowAfter}.
   */
  public long slow() {
    return slow.sum();
  }

  /**
   * Returns an executor service whose delayed and periodic tasks are timers of this one. Its shutdown leaves the timer
   * as it is; closing the timer shuts it down and cancels its tasks. See {@link TimerBuilder#startExecutorService} for
   * one that has a timer of its own.
   */
  public ScheduledExecutorService asExecutorService() {
    return service(() -> {});
  }

  /** Returns an executor service that calls {@code terminated} when it has ended. */
  TimerExecutorService service(Runnable terminated) {
    TimerExecutorService service = new TimerExecutorService(this, terminated);
    services.add(service);
    return service;
  }

  void ended(TimerExecutorService service) {
    services.remove(service);
  }

  /**
   * Ends the ticker, and waits for it, unless a callback on the ticker calls. Nothing is given to the executor
   * afterwards; what was pending is dropped, and executor services are shut down, their tasks cancelled. Calls after
   * the first do nothing.
   *
   * <p>The ticker may be in {@link Executor#execute}: do not hold what that waits for.
   */
  @Override
  public void close() {
    closed = true;
    List<RunnableFuture<?>> pending = new ArrayList<>();
    for (Stripe stripe : stripes) {
      pending.addAll(stripe.close());
    }
    pending.forEach(Batch::cancel);
    services.forEach(TimerExecutorService::shutdown);
    LockSupport.unpark(ticker);
    boolean interrupted = false;
    while (ticker.isAlive() && Thread.currentThread() != ticker) {
      try {
        ticker.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  long now() {
    return time.now();
  }

  long after(long delay, TimeUnit unit) {
    return time.after(delay, unit);
  }

  private void giveBackUnused() {
    for (Stripe stripe : stripes) {
      stripe.giveBackUnused();
    }
  }

  private Stripe stripe(long handle) {
    return stripes[(int) handle & stripes.length - 1];
  }

  private long inner(long handle) {
    return handle & HIGH | (handle & ~HIGH) >>> stripeBits;
  }

  private void wakeFor(long deadline) {
    if (alarm.earlier(roundedUp(deadline))) {
      LockSupport.unpark(ticker);
    }
  }

  private long roundedUp(long deadline) {
    long more = Math.floorMod(-deadline, tickNanos);
    return deadline > Long.MAX_VALUE - more ? Long.MAX_VALUE : deadline + more;
  }

  // The ticker.

  private void run() {
    while (!closed) {
      long sleep = FIRST_BACKOFF_NANOS;
      try {
        sleep = turn(time.now()) - time.now();
      } catch (Throwable e) {
        // A queue that fails, or memory that has run out: nobody else would call what becomes due.
        failed(e);
      }
      // A callback or the executor may have left it so; it would not sleep.
      Thread.interrupted();
      if (sleep > 0 && !closed) {
        LockSupport.parkNanos(this, sleep);
      }
    }
    drop();
  }

  private static void failed(Throwable e) {
    try {
      LOGGER.log(Level.ERROR, "the ticker failed, and goes on", e);
    } catch (Throwable again) {
      // What cannot even be logged must not end it.
    }
  }

  /** Cancels the futures that were taken out of the stripes, and not accepted. */
  private void drop() {
    while (due(NOTHING_MORE)) {
      requireNonNull(offered, "offered").drop();
      offered = null;
    }
  }

  /** Gives the executor what is due, and returns when to be called again; earlier if the alarm says so. */
  long turn(long now) {
    alarm.awake();
    look(now);
    boolean accepted = offerAt <= now || offered == null;
    for (long at = now; accepted && !closed && due(at - at % tickNanos); at = time.now()) {
      accepted = offer(at);
    }
    if (!accepted) {
      // No deadline is earlier than this, for it would wait as well.
      return Math.min(offerAt, lookAt);
    }
    long wake = Math.min(roundedUp(next()), lookAt);
    alarm.sleepUntil(wake);
    return Math.min(wake, roundedUp(next()));
  }

  private long next() {
    long next = Long.MAX_VALUE;
    for (Stripe stripe : stripes) {
      next = Math.min(next, stripe.next());
    }
    return next;
  }

  private boolean due(long now) {
    if (offered == null) {
      Runnable[] callbacks = merge.next(now);
      offered = callbacks.length == 0 ? null : new Batch(callbacks, permits, running::remove);
    }
    return offered != null;
  }

  private boolean offer(long now) {
    Batch batch = requireNonNull(offered, "offered");
    running.add(batch);
    lookAt = Math.min(lookAt, now + lookNanos());
    try {
      executor.execute(batch);
    } catch (Throwable e) {
      if (!batch.begun()) {
        running.remove(batch);
        refused(now, batch, e);
        return false;
      }
      LOGGER.log(Level.ERROR, "the executor failed with a batch that it had begun", e);
    }
    offered = null;
    backoffNanos = FIRST_BACKOFF_NANOS;
    return true;
  }

  private void refused(long now, Batch batch, Throwable reason) {
    refused.increment();
    if (backoffNanos == FIRST_BACKOFF_NANOS) {
      LOGGER.log(Level.WARNING,
          "the executor refuses callbacks that are due, now " + batch.size() + "; it is asked again",
          reason);
    }
    offerAt = now + backoffNanos;
    backoffNanos = Math.min(2 * backoffNanos, LAST_BACKOFF_NANOS);
  }

  /** Reports callbacks that take long. */
  private void look(long now) {
    if (now < lookAt) {
      return;
    }
    for (Batch batch : running) {
      if (batch.slow(now, slowNanos)) {
        slow.increment();
        LOGGER.log(Level.WARNING, "a callback of a timer has been running for longer than {0}",
            Duration.ofNanos(slowNanos).toString());
      }
    }
    lookAt = running.isEmpty() ? Long.MAX_VALUE : now + lookNanos();
  }

  /** Returns how long it may look away while callbacks run. */
  private long lookNanos() {
    return Math.max(1, slowNanos / 4);
  }
}
