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
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The executor service of a timer. Thread-safe.
 *
 * <p>Like a {@link java.util.concurrent.ScheduledThreadPoolExecutor} that removes what is cancelled: after a shutdown
 * delayed tasks still run, periodic ones do not.
 */
final class TimerExecutorService extends AbstractExecutorService implements ScheduledExecutorService {
  private static final long ONCE = 0;

  private final Timer timer;
  private final Set<Task<?>> tasks = ConcurrentHashMap.newKeySet();
  private final CountDownLatch terminated = new CountDownLatch(1);
  private volatile boolean shutdown;

  TimerExecutorService(Timer timer) {
    this.timer = timer;
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
      task.schedule();
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
    if (shutdown && tasks.isEmpty()) {
      terminated.countDown();
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
    private volatile long deadline;
    private volatile long handle;

    Task(Callable<V> callable, long deadline, long period) {
      super(callable);
      this.deadline = deadline;
      this.period = period;
    }

    void schedule() {
      // A periodic task may run, and be scheduled again, before its first handle has come here.
      synchronized (this) {
        handle = timer.schedule(deadline - timer.now(), TimeUnit.NANOSECONDS, this);
      }
      // Cancelled before the handle was known.
      if (isCancelled() && withdraw()) {
        ended(this);
      }
    }

    /** Returns whether it was pending still. */
    boolean withdraw() {
      return timer.cancel(handle);
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
        schedule();
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
      return other instanceof Task<?> task
          ? Long.compare(deadline, task.deadline)
          : Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
  }
}
