package dev.bide.examples.ordertimeout;

import static java.lang.System.Logger.Level.WARNING;

import dev.bide.Claim;
import dev.bide.Handler;
import dev.bide.Outcome;
import dev.bide.TaskQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Takes due tasks in batches, and has a few threads work on them.
 *
 * <p>Thread-safe. It never holds more tasks than it has room for: what it does not take stays in the queue, for whoever
 * has room.
 *
 * @param <P> the type of the payloads
 */
final class Puller<P> implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Puller.class.getName());
  private static final int WORKERS = 4;
  private static final int ROOM = 8 * WORKERS;

  private final TaskQueue<P> queue;
  private final Handler<P> handler;
  private final Duration backoff;
  private final Semaphore room = new Semaphore(ROOM);
  private final Semaphore asked = new Semaphore(0);
  private final ExecutorService loop = Executors.newSingleThreadExecutor();
  private final ExecutorService workers = Executors.newFixedThreadPool(WORKERS);

  /**
   * Pulls nothing yet.
   *
   * @param backoff the delay after a failed attempt, times the number of that attempt
   */
  Puller(TaskQueue<P> queue, Handler<P> handler, Duration backoff) {
    this.queue = queue;
    this.handler = handler;
    this.backoff = backoff;
  }

  /** Takes tasks as they come due, until closed. */
  void pullAlways() {
    run(() -> pull(Duration.ofSeconds(1)));
  }

  /** Takes all that is due whenever {@linkplain #ask asked}, until closed. */
  void pullWhenAsked() {
    run(() -> {
      asked.acquire();
      asked.drainPermits();
      while (pull(Duration.ZERO)) {
        LOG.log(System.Logger.Level.DEBUG, "helping with {0}", queue.name());
      }
    });
  }

  /** Asks {@link #pullWhenAsked} to look. */
  void ask() {
    asked.release();
  }

  /** A step that may wait. */
  private interface Step {
    void take() throws InterruptedException;
  }

  private void run(Step step) {
    loop.execute(() -> {
      try {
        while (true) step.take();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // closed
      }
    });
  }

  /** Takes what there is room for; returns whether there was anything. */
  private boolean pull(Duration wait) throws InterruptedException {
    room.acquire();
    int most = 1 + room.drainPermits();
    List<Claim<P>> claims = queue.take(most, wait);
    room.release(most - claims.size());
    for (Claim<P> claim : claims) {
      workers.execute(() -> {
        work(claim);
        room.release();
      });
    }
    return !claims.isEmpty();
  }

  private void work(Claim<P> claim) {
    if (!claim.settle(outcome(claim))) {
      LOG.log(WARNING, "the lease was lost, the task runs again: {0}", claim);
    }
  }

  private Outcome outcome(Claim<P> claim) {
    try {
      return handler.handle(claim);
    } catch (Exception e) {
      return Outcome.retryIn(backoff.multipliedBy(claim.attempt()), e.toString());
    }
  }

  /** Stops taking tasks, and waits for those it has taken. */
  @Override
  public void close() {
    loop.shutdownNow();
    await(loop);
    workers.shutdown();
    await(workers);
  }

  private static void await(ExecutorService service) {
    try {
      if (!service.awaitTermination(30, TimeUnit.SECONDS)) {
        LOG.log(WARNING, "tasks are still being worked on; others will run them again when their leases end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
