package dev.bide.timer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting on real threads: long enough for any loaded machine, and no longer than needed. */
final class Await {
  static final Duration LONG = Duration.ofSeconds(30);

  private Await() {}

  /** Waits until {@code condition} holds. */
  static void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + LONG.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - end < 0, "in vain: " + what);
      LockSupport.parkNanos(100_000);
    }
  }

  /** Makes a call on a thread of its own. */
  static <T> Call<T> call(Callable<T> body) {
    return new Call<>(body);
  }

  /** A call on a thread of its own. */
  static final class Call<T> {
    private final FutureTask<T> task;
    final Thread thread;

    private Call(Callable<T> body) {
      task = new FutureTask<>(body);
      thread = new Thread(task, "test");
      thread.setDaemon(true);
      thread.start();
    }

    /** Waits until the thread sleeps, or has ended. */
    Call<T> sleeping() {
      until("the thread sleeps", () -> switch (thread.getState()) {
        case WAITING, TIMED_WAITING, TERMINATED -> true;
        default -> false;
      });
      return this;
    }

    /** Returns whether the thread sleeps until a moment, and not only until it is told. */
    boolean timed() {
      return thread.getState() == Thread.State.TIMED_WAITING;
    }

    boolean ended() {
      return task.isDone();
    }

    /** Waits for what the body returned. */
    T result() throws InterruptedException, ExecutionException, TimeoutException {
      return task.get(LONG.toSeconds(), TimeUnit.SECONDS);
    }
  }
}
