package dev.bide.bench.pullpush;

import dev.bide.Claim;
import dev.bide.Handler;
import dev.bide.TaskQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Gets the tasks of a queue in one of the ways, and works on them. Never holds more than its mode allows. */
final class Consumer implements AutoCloseable {
  private static final Duration LONG_POLL = Duration.ofSeconds(20);
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final Duration LATE = Duration.ofMillis(200);

  private final TaskQueue<byte[]> queue;
  private final Handler<byte[]> work;
  private final Semaphore room = new Semaphore(Mode.ROOM);
  private final Semaphore asked = new Semaphore(0);
  private final ExecutorService loop = Executors.newSingleThreadExecutor();
  private final ExecutorService workers = Executors.newFixedThreadPool(Mode.THREADS);

  /** Begins. */
  Consumer(TaskQueue<byte[]> queue, Mode mode, Handler<byte[]> work) {
    this.queue = queue;
    this.work = work;
    switch (mode) {
      case PUSH -> queue.handle(work);
      case PULL -> repeat(() -> take(LONG_POLL));
      case POLL -> repeat(() -> {
        if (!take(Duration.ZERO)) {
          Thread.sleep(PAUSE.toMillis());
        }
      });
      case CREDIT -> {
        queue.credit(Mode.ROOM);
        queue.handle(claim -> {
          queue.credit(late(claim) ? mode.most : Mode.ROOM);
          return work.handle(claim);
        });
      }
      case TAKE -> {
        queue.credit(Mode.ROOM);
        repeat(() -> {
          asked.acquire();
          asked.drainPermits();
          while (take(Duration.ZERO)) {
            // until nothing is due
          }
        });
        queue.handle(claim -> {
          if (late(claim)) {
            asked.release();
          }
          return work.handle(claim);
        });
      }
    }
  }

  private static boolean late(Claim<byte[]> claim) {
    return Duration.between(claim.dueAt(), claim.claimedAt()).compareTo(LATE) > 0;
  }

  /** A step that may wait. */
  private interface Step {
    void take() throws Exception;
  }

  private void repeat(Step step) {
    loop.execute(() -> {
      try {
        while (!Thread.currentThread().isInterrupted()) {
          step.take();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // closed
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    });
  }

  /** Takes what there is room for; returns whether there was anything. */
  private boolean take(Duration wait) throws InterruptedException {
    room.acquire();
    int most = 1 + room.drainPermits();
    List<Claim<byte[]>> claims = queue.take(most, wait);
    room.release(most - claims.size());
    for (Claim<byte[]> claim : claims) {
      workers.execute(() -> work(claim));
    }
    return !claims.isEmpty();
  }

  private void work(Claim<byte[]> claim) {
    try {
      var unused = claim.settleAsync(work.handle(claim)).whenComplete((settled, failure) -> room.release());
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Takes nothing more, and waits for what was taken. */
  @Override
  public void close() {
    loop.shutdownNow();
    await(loop);
    workers.shutdown();
    await(workers);
  }

  private static void await(ExecutorService threads) {
    try {
      if (!threads.awaitTermination(30, TimeUnit.SECONDS)) {
        throw new AssertionError("a taker does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
