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
  static final Duration LEASE = Duration.ofSeconds(3);
  static final QueueSpec<String> SPEC = QueueSpec.of("q", String.class).lease(LEASE).handlers(4).prefetch(2)
      .retry(Retry.fixed(Duration.ZERO).attempts(3));
  /** Long enough for a handler that takes longer than the lease, on a busy machine. */
  private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(8);

  private static final CountDownLatch CLOSING = new CountDownLatch(1);

  private HandlingNode() {}

  /** Arguments: the file. SIGTERM closes it. */
  public static void main(String... arguments) throws InterruptedException {
    Bide bide = Bide.on(SqliteStore.at(Path.of(arguments[0]))).shutdownLimit(SHUTDOWN_LIMIT)
        .listener(HandlingNode::print).start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      CLOSING.countDown();
      bide.close();
    }));
    TaskQueue<String> queue = bide.queue(SPEC);
    queue.handle(HandlingNode::handle);
    System.out.println("ready");
    new CountDownLatch(1).await();
  }

  private static void print(TaskEvent event) {
    System.out.println(event.kind() + " " + event.task());
  }

  private static Outcome handle(Claim<String> claim) throws InterruptedException {
    switch (claim.payload()) {
      case "halt" -> Runtime.getRuntime().halt(1);
      case "work a while" -> Thread.sleep(300);
      case "work on for longer than a lease" -> {
        CLOSING.await();
        Thread.sleep(LEASE.toMillis() * 4 / 3);
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
