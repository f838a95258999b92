package dev.bide.sqlite;

import dev.bide.Bide;
import dev.bide.Claim;
import dev.bide.Outcome;
import dev.bide.QueueSpec;
import dev.bide.Retry;
import dev.bide.TaskEvent;
import dev.bide.TaskQueue;
import dev.bide.spi.Host;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A node that does with each task what its payload says, and prints what happens to it. */
final class HandlingNode {
  /** Twice as long as the longest lease: for a handler that takes longer than that, on a busy machine. */
  private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(10);

  private static final CountDownLatch CLOSING = new CountDownLatch(1);

  private HandlingNode() {}

  static QueueSpec<String> spec(Duration lease) {
    return QueueSpec.of("q", String.class).lease(lease).handlers(4).prefetch(2)
        .retry(Retry.fixed(Duration.ZERO).attempts(3));
  }

  /** Arguments: the file, the lease. SIGTERM closes it. */
  public static void main(String... arguments) throws InterruptedException {
    Bide bide = Bide.on(SqliteStore.at(Path.of(arguments[0]))).shutdownLimit(SHUTDOWN_LIMIT)
        .listener(HandlingNode::print).start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      CLOSING.countDown();
      bide.close();
    }));
    Duration lease = Duration.parse(arguments[1]);
    TaskQueue<String> queue = bide.queue(spec(lease));
    queue.handle(claim -> handle(claim, lease));
    System.out.println("ready");
    new CountDownLatch(1).await();
  }

  private static void print(TaskEvent event) {
    System.out.println(event.kind() + " " + event.task());
  }

  private static Outcome handle(Claim<String> claim, Duration lease) throws InterruptedException {
    switch (claim.payload()) {
      case "halt" -> Runtime.getRuntime().halt(1);
      case "work a while" -> Thread.sleep(300);
      case "work on for longer than a lease" -> {
        CLOSING.await();
        Thread.sleep(lease.toMillis() * 4 / 3);
      }
      case "work for ever" -> new CountDownLatch(1).await();
      case "work until the lease is lost" -> {
        while (!claim.lost()) {
          Host.pause(1_000_000);
        }
      }
      default -> {
        return Outcome.done();
      }
    }
    return Outcome.done();
  }
}
