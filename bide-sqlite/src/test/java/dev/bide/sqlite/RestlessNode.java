package dev.bide.sqlite;

import dev.bide.Bide;
import dev.bide.Claim;
import dev.bide.Outcome;
import dev.bide.QueueSpec;
import dev.bide.Retry;
import dev.bide.TaskEvent;
import dev.bide.TaskListener;
import dev.bide.TaskQueue;
import dev.bide.delay.When;
import dev.bide.spi.Host;
import dev.bide.task.Answer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/**
 * A node that schedules, moves, cancels and handles until it is killed.
 *
 * <p>It tells what it was answered: {@code scheduled id due}, {@code moved id due}, {@code cancelled id}, {@code left id}
 * when it does nothing more with it, {@code handled id claimed due}, {@code completed id}.
 */
final class RestlessNode {
  static final QueueSpec<String> SPEC = QueueSpec.of("q", String.class).lease(Duration.ofSeconds(1)).handlers(4)
      .retry(Retry.fixed(Duration.ZERO).attempts(1_000_000));
  private static final int CALLERS = 2;

  private RestlessNode() {}

  /** Arguments: the file, the durability, a name. */
  public static void main(String... arguments) {
    SqliteStore.Durability durability = SqliteStore.Durability.valueOf(arguments[1]);
    Bide bide = Bide
        .on(SqliteStore.file(Path.of(arguments[0])).durability(durability).busyLimit(Duration.ofMinutes(2)).open())
        .listener(telling(System.out::println)).start();
    TaskQueue<String> queue = bide.queue(SPEC);
    queue.handle(claim -> handle(claim, System.out::println));
    System.out.println("ready");
    for (int caller = 1; caller < CALLERS; caller++) {
      String prefix = arguments[2] + '-' + caller + '-';
      Host.thread(prefix, () -> call(queue, prefix)).start();
    }
    call(queue, arguments[2] + "-0-");
  }

  /** Returns a listener that tells what is completed. */
  static TaskListener telling(Consumer<String> journal) {
    return event -> {
      if (event.kind() == TaskEvent.Kind.COMPLETED) {
        journal.accept("completed " + event.task());
      }
    };
  }

  /** Handles a task, and tells of it. */
  static Outcome handle(Claim<String> claim, Consumer<String> journal) {
    journal.accept("handled " + claim.id() + ' ' + claim.claimedAt().toEpochMilli() + ' '
        + claim.dueAt().toEpochMilli());
    return Outcome.done();
  }

  private static void call(TaskQueue<String> queue, String prefix) {
    Random random = new Random(prefix.hashCode());
    for (int i = 0;; i++) {
      String id = prefix + i;
      tell("scheduled", id, queue.schedule(id, "payload of " + id, soon(random)).dueAt());
      if (random.nextInt(3) == 0) {
        var moved = queue.move(id, soon(random));
        if (moved.answer() == Answer.DONE) {
          tell("moved", id, moved.dueAt());
        }
      }
      if (random.nextInt(4) == 0 && queue.cancel(id).answer() == Answer.CANCELLED) {
        System.out.println("cancelled " + id);
      }
      System.out.println("left " + id);
    }
  }

  private static When soon(Random random) {
    return When.in(Duration.ofMillis(random.nextInt(20)));
  }

  private static void tell(String what, String id, Optional<Instant> due) {
    System.out.println(what + ' ' + id + ' ' + due.orElseThrow().toEpochMilli());
  }
}
