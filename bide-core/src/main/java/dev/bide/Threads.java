package dev.bide;

import dev.bide.spi.Driver;
import dev.bide.spi.Host;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Drives a node with the threads and the clock of this machine: one thread takes all its steps, others wait for the
 * store, renewals apart from the rest, so that a slow exchange never costs a lease.
 */
final class Threads implements Driver {
  private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();

  private final long origin = Host.monotonicNanos();
  private final AtomicBoolean signalled = new AtomicBoolean();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final ExecutorService calls;
  private final ExecutorService renewals;
  private final ExecutorService handlers;
  private final ExecutorService starter;
  private final ExecutorService callbacks;
  /** Set on the threads that perform calls: what is called there meanwhile follows on the same thread. */
  private final ThreadLocal<@Nullable Deque<Runnable>> following = new ThreadLocal<>();
  private final Thread thread;
  private volatile LongSupplier step = () -> Duty.NEVER;
  private volatile boolean ending;

  /** Threads whose names begin with {@code name}; none exists before it is needed. */
  Threads(String name) {
    calls = Host.pool(name + "-store");
    renewals = Host.pool(name + "-renewal");
    handlers = Host.pool(name + "-handler");
    starter = Host.single(name + "-start");
    callbacks = Host.single(name + "-callback");
    thread = Host.thread(name + "-engine", this::run);
  }

  @Override
  public long nanos() {
    return Host.monotonicNanos() - origin;
  }

  @Override
  public void start(LongSupplier step) {
    this.step = step;
    thread.start();
  }

  private void run() {
    while (!ending) {
      signalled.set(false);
      long next = step.getAsLong();
      // An interrupt that a listener has left here would keep the thread from sleeping for good.
      Thread.interrupted();
      long left = Math.min(next - nanos(), SECOND_NANOS);
      if (left > 0 && !signalled.get() && !ending) {
        LockSupport.parkNanos(left);
      }
    }
    ended.countDown();
  }

  @Override
  public void wake() {
    if (!signalled.getAndSet(true)) {
      LockSupport.unpark(thread);
    }
  }

  @Override
  public long nextLook(long lookedAt) {
    return lookedAt + SECOND_NANOS;
  }

  @Override
  public boolean stepping() {
    return Thread.currentThread() == thread;
  }

  @Override
  public <R> void call(Call<R> call) {
    follow(call.urgent() ? renewals : calls, () -> {
      pause(call.delayNanos());
      call.run();
    });
  }

  @Override
  public void after(CompletableFuture<?> signal, long nanos, Runnable action) {
    follow(calls, () -> {
      try {
        boolean unused = await(signal, nanos);
      } catch (InterruptedException e) {
        // The threads are told to end: what is left to do is done at once.
      }
      action.run();
    });
  }

  private void follow(Executor otherwise, Runnable what) {
    Deque<Runnable> here = following.get();
    if (here != null) {
      here.add(what);
    } else {
      otherwise.execute(() -> perform(what));
    }
  }

  private void perform(Runnable first) {
    Deque<Runnable> here = new ArrayDeque<>(List.of(first));
    following.set(here);
    try {
      for (Runnable what = here.poll(); what != null; what = here.poll()) {
        what.run();
      }
    } finally {
      following.remove();
    }
  }

  @Override
  public Executor handlers() {
    return handlers;
  }

  @Override
  public Executor starter() {
    return starter;
  }

  /** After the end, on the thread that brings it. */
  @Override
  public Executor callbacks() {
    return task -> {
      try {
        callbacks.execute(task);
      } catch (RejectedExecutionException e) {
        task.run();
      }
    };
  }

  @Override
  public boolean await(Future<?> answer, long nanos) throws InterruptedException {
    try {
      answer.get(nanos, TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      return true;
    } catch (TimeoutException e) {
      return answer.isDone();
    }
    return true;
  }

  @Override
  public void pause(long nanos) {
    if (nanos > 0) {
      Host.pause(nanos);
    }
  }

  @Override
  public long randomBits() {
    return Host.randomBits();
  }

  /** Ends the thread, then the calls under way; waits for that, but not long for a call that hangs. */
  @Override
  public void end() {
    ending = true;
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (ended.getCount() > 0) {
      try {
        ended.await();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    List.of(calls, renewals, handlers, starter, callbacks).forEach(ExecutorService::shutdown);
    try {
      boolean unused = calls.awaitTermination(1, TimeUnit.SECONDS) && renewals.awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
