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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Drives duties with real threads: one thread runs all their steps, a few others wait for the store, and one more for
 * renewals alone, so that a slow exchange never costs a lease.
 */
final class Engine {
  private static final System.Logger LOG = System.getLogger(Bide.class.getName());
  private static final long LONGEST_PARK_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long AFTER_FAILURE_NANOS = Duration.ofSeconds(1).toNanos();

  private final TaskStore store;
  private final LongSupplier clock;
  private final Queue<Runnable> inbox = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean signalled = new AtomicBoolean();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final ExecutorService calls;
  private final ExecutorService renewals;
  private final Thread thread;
  private volatile boolean ending;
  /** Used by the engine's thread only. */
  private final List<Duty> duties = new ArrayList<>();

  /** An engine on {@code store}; {@link #start} it once. */
  Engine(TaskStore store, LongSupplier clock, String name) {
    this.store = store;
    this.clock = clock;
    calls = Host.pool(name + "-store");
    renewals = Host.single(name + "-renewal");
    thread = Host.thread(name + "-engine", this::run);
  }

  void start() {
    thread.start();
  }

  /** Runs something on the engine's thread, after which the duties have a turn; on any thread. */
  void post(Runnable step) {
    inbox.add(step);
    if (!signalled.getAndSet(true)) {
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
      for (Runnable step = inbox.poll(); step != null; step = inbox.poll()) {
        guarded(step);
      }
      long now = clock.getAsLong();
      long next = now + LONGEST_PARK_NANOS;
      for (Duty duty : List.copyOf(duties)) {
        next = Math.min(next, turn(duty, now));
      }
      long left = next - clock.getAsLong();
      if (left > 0 && !signalled.get() && !ending) {
        LockSupport.parkNanos(left);
      }
    }
    ended.countDown();
  }

  private long turn(Duty duty, long now) {
    try {
      return duty.turn(now, this::perform);
    } catch (RuntimeException e) {
      LOG.log(ERROR, "a step of the engine failed; it is tried again in a second: " + duty.getClass().getSimpleName(),
          e);
      return now + AFTER_FAILURE_NANOS;
    }
  }

  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      LOG.log(ERROR, "a step of the engine failed", e);
    }
  }

  private <R> void perform(StoreRequest<R> request) {
    try {
      (request.urgent() ? renewals : calls).execute(() -> performed(request));
    } catch (RejectedExecutionException e) {
      post(() -> request.failed(e, clock.getAsLong()));
    }
  }

  private <R> void performed(StoreRequest<R> request) {
    R reply;
    try {
      reply = request.perform(store);
    } catch (RuntimeException e) {
      post(() -> request.failed(e, clock.getAsLong()));
      return;
    }
    // The moment of the reply is read here: the engine's thread may come to it later.
    long received = clock.getAsLong();
    post(() -> request.answered(reply, received));
  }

  /**
   * Ends the thread, and the calls under way when they are answered; waits for that. What was posted and not run is
   * dropped.
   */
  void end() {
    ending = true;
    LockSupport.unpark(thread);
    calls.shutdown();
    renewals.shutdown();
    boolean interrupted = false;
    while (true) {
      try {
        ended.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
