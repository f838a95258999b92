package dev.bide;

import static java.lang.System.Logger.Level.ERROR;

import dev.bide.spi.Host;
import dev.bide.spi.TaskStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Drives duties with real threads: one thread runs all their steps, others wait for the store, renewals apart from the
 * rest, so that a slow exchange never costs a lease.
 */
final class Engine {
  private static final System.Logger LOG = System.getLogger(Bide.class.getName());
  private static final long LONGEST_PARK_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long AFTER_FAILURE_NANOS = Duration.ofSeconds(1).toNanos();
  /** So many steps between two turns of the duties, however many are posted. */
  private static final int MOST_STEPS = 10_000;

  private final LongSupplier clock;
  private final Queue<Runnable> inbox = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean signalled = new AtomicBoolean();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final ExecutorService calls;
  private final ExecutorService renewals;
  private final ExecutorService callbacks;
  private final Thread thread;
  private volatile boolean ending;
  private volatile boolean over;
  /** These are used by the engine's thread only. */
  private final List<Duty> duties = new ArrayList<>();
  private final Calls store;
  private long failures;

  /** An engine on {@code store}; {@link #start} it once. */
  Engine(TaskStore store, LongSupplier clock, String name) {
    this.clock = clock;
    calls = Host.pool(name + "-store");
    renewals = Host.pool(name + "-renewal");
    callbacks = Host.single(name + "-callback");
    thread = Host.thread(name + "-engine", this::run);
    this.store = new Calls(store, clock, this::post, calls, renewals);
  }

  void start() {
    thread.start();
  }

  /** Returns whether the current thread is the engine's, which must not wait for itself. */
  boolean current() {
    return Thread.currentThread() == thread;
  }

  /** Runs what others do with an answer, on a thread of their own; after the end, on the thread that brings it. */
  Executor callbacks() {
    return task -> {
      try {
        callbacks.execute(task);
      } catch (RejectedExecutionException e) {
        task.run();
      }
    };
  }

  /**
   * Runs something on the engine's thread, after which the duties have a turn; on any thread. After the engine has
   * ended, it is run on the caller's, and no duty has a turn.
   */
  void post(Runnable step) {
    inbox.add(step);
    if (over) {
      drain();
    } else if (!signalled.getAndSet(true)) {
      LockSupport.unpark(thread);
    }
  }

  /** Adds a duty; on any thread. */
  void add(Duty duty) {
    post(() -> duties.add(duty));
  }

  private void run() {
    while (!ending) {
      signalled.set(false);
      for (int i = 0; i < MOST_STEPS && !inbox.isEmpty(); i++) {
        guarded(inbox.remove());
      }
      long now = clock.getAsLong();
      guarded(() -> store.giveUp(now));
      long next = now + LONGEST_PARK_NANOS;
      for (Duty duty : List.copyOf(duties)) {
        next = Math.min(next, turn(duty, now));
      }
      // An interrupt that a listener has left here would keep the thread from sleeping for good.
      Thread.interrupted();
      long left = next - clock.getAsLong();
      if (left > 0 && inbox.isEmpty() && !signalled.get() && !ending) {
        LockSupport.parkNanos(left);
      }
    }
    over = true;
    drain();
    ended.countDown();
  }

  private synchronized void drain() {
    for (Runnable step = inbox.poll(); step != null; step = inbox.poll()) {
      guarded(step);
    }
  }

  private long turn(Duty duty, long now) {
    try {
      return duty.turn(now, request -> store.send(duty, request));
    } catch (Throwable e) {
      report(duty.getClass().getSimpleName() + " is called again", e);
      return now + AFTER_FAILURE_NANOS;
    }
  }

  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      report("it is not repeated", e);
    }
  }

  /**
   * Whatever a step throws, the others go on: without this thread nothing would be settled or renewed any more. The
   * first failure is logged, then every thousandth.
   */
  private void report(String then, Throwable failure) {
    try {
      if (failures++ % 1000 == 0) {
        LOG.log(ERROR, "a step of the engine failed; " + then, failure);
      }
    } catch (Throwable e) {
      // Out of memory, most likely; there is nobody left to tell.
      e.addSuppressed(failure);
    }
  }

  /** Ends the thread, then the calls under way; waits for that, but not long for a call that hangs. */
  void end() {
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
    List<ExecutorService> pools = List.of(calls, renewals, callbacks);
    pools.forEach(ExecutorService::shutdown);
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
