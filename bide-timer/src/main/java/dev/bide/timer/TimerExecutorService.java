package dev.bide.timer;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The executor service of a timer. Thread-safe.
 *
 * <p>Like a {@link java.util.concurrent.ScheduledThreadPoolExecutor} that removes what is cancelled: after a shutdown
 * delayed tasks still run, periodic ones do not.
 */
final class TimerExecutorService extends AbstractExecutorService implements ScheduledExecutorService {
  private static final long ONCE = 0;

  private final Timer timer;
  private final Runnable whenTerminated;
  private final AtomicLong number = new AtomicLong();
  private final Set<Task<?>> tasks = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean ended = new AtomicBoolean();
  private final CountDownLatch terminated = new CountDownLatch(1);
  private volatile boolean shutdown;

  /** A service that calls {@code terminated}, once, when it has ended. */
  TimerExecutorService(Timer timer, Runnable terminated) {
    this.timer = timer;
    whenTerminated = terminated;
  }

  @Override
  public Future<?> submit(Runnable task) {
    return schedule(task, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public <T> Future<T> submit(Runnable task, T result) {
    return schedule(Executors.callable(task, result), 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public <T> Future<T> submit(Callable<T> task) {
    return schedule(task, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public void execute(Runnable command) {
    add(new Task<>(callable(command), timer.now(), ONCE));
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
    return start(new Task<>(callable(command), timer.after(delay, unit), ONCE));
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
    return start(new Task<>(requireNonNull(callable, "callable"), timer.after(delay, unit), ONCE));
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
    return start(new Task<>(callable(command), timer.after(initialDelay, unit), positive(period, unit)));
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
    return start(new Task<>(callable(command), timer.after(initialDelay, unit), -positive(delay, unit)));
  }

  private static Callable<Object> callable(Runnable command) {
    return Executors.callable(requireNonNull(command, "command"));
  }

  private static long positive(long period, TimeUnit unit) {
    if (period <= 0) {
      throw new IllegalArgumentException("a period must be positive, got " + period);
    }
    return Math.min(unit.toNanos(period), MonotonicTime.LONGEST_DELAY);
  }

  private <V> Task<V> start(Task<V> task) {
    add(task);
    return task;
  }

  private void add(Task<?> task) {
    tasks.add(task);
    try {
      if (shutdown) {
        throw new RejectedExecutionException("the executor service is shut down");
      }
      task.schedule(false);
    } catch (RuntimeException | Error e) {
      ended(task);
      throw e;
    }
  }

  private void ended(Task<?> task) {
    tasks.remove(task);
    terminateIfDone();
  }

  private void terminateIfDone() {
    if (shutdown && tasks.isEmpty() && ended.compareAndSet(false, true)) {
      terminated.countDown();
      timer.ended(this);
      whenTerminated.run();
    }
  }

  @Override
  public void shutdown() {
    shutdown = true;
    tasks.stream().filter(Task::isPeriodic).forEach(task -> task.cancel(false));
    terminateIfDone();
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutdown = true;
    List<Runnable> pending = new ArrayList<>();
    for (Task<?> task : tasks) {
      if (task.withdraw()) {
        tasks.remove(task);
        pending.add(task);
      } else {
        task.cancel(true);
      }
    }
    terminateIfDone();
    return pending;
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return terminated.getCount() == 0;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return terminated.await(timeout, unit);
  }

  private final class Task<V> extends FutureTask<V> implements RunnableScheduledFuture<V> {
    // Positive: from one due time to the next; negative: from an end to the next due time.
    private final long period;
    private final long order = number.getAndIncrement();
    private volatile long deadline;
    // Guarded by this: a periodic task may run, and be scheduled again, before its first handle has come here.
    private long handle;
    private boolean begun;
    private boolean withdrawn;

    Task(Callable<V> callable, long deadline, long period) {
      super(callable);
      this.deadline = deadline;
      this.period = period;
    }

    synchronized void schedule(boolean again) {
      begun = false;
      handle = again
          ? timer.scheduleAgain(deadline, this)
          : timer.schedule(deadline - timer.now(), TimeUnit.NANOSECONDS, this);
      // Meanwhile, or before the handle was known.
      if (withdrawn || isCancelled()) {
        withdrawn = true;
        timer.cancel(handle);
      }
    }

    /** Has it not run any more; returns whether it had not begun. */
    synchronized boolean withdraw() {
      if (begun || withdrawn) {
        return false;
      }
      withdrawn = true;
      timer.cancel(handle);
      return true;
    }

    private synchronized boolean begin() {
      begun = !withdrawn;
      return begun;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      boolean cancelled = super.cancel(mayInterruptIfRunning);
      if (cancelled && withdraw()) {
        ended(this);
      }
      return cancelled;
    }

    @Override
    public void run() {
      if (!begin()) {
        return;
      }
      try {
        if (!isPeriodic()) {
          super.run();
        } else if (shutdown) {
          super.cancel(false);
        } else if (runAndReset()) {
          again();
        }
      } finally {
        if (isDone()) {
          ended(this);
        }
      }
    }

    private void again() {
      deadline = period > 0 ? deadline + period : timer.now() - period;
      try {
        schedule(true);
      } catch (RejectedExecutionException e) {
        super.cancel(false);
      } catch (RuntimeException | Error e) {
        setException(e);
      }
      if (shutdown) {
        cancel(false);
      }
    }

    @Override
    public boolean isPeriodic() {
      return period != ONCE;
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(deadline - timer.now(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      if (!(other instanceof Task<?> task) || task.service() != service()) {
        return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
      }
      int byDeadline = Long.compare(deadline, task.deadline);
      return byDeadline != 0 ? byDeadline : Long.compare(order, task.order);
    }

    private TimerExecutorService service() {
      return TimerExecutorService.this;
    }
  }
}
