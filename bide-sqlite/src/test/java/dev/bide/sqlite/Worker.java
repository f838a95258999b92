package dev.bide.sqlite;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.ClaimRequest.Claimant;
import dev.bide.spi.Claimed;
import dev.bide.spi.End;
import dev.bide.spi.Exchanged;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Settled;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.TaskStore;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** A node that schedules tasks and claims what is there, its own or not. */
final class Worker {
  static final QueueSettings QUEUE = new QueueSettings("q", 1, 8, 3_600_000, 86_400_000, 86_400_000);
  private static final int BATCH = 10;

  private final TaskStore store;
  private final String node;
  private long number;

  Worker(TaskStore store, String node) {
    this.store = store;
    this.node = node;
    store.queues().define(QUEUE);
  }

  /**
   * Arguments: the file, a name, how many tasks. Prints a line {@code +id} for each task scheduled, {@code -id} for
   * each completed.
   */
  public static void main(String... arguments) {
    try (TaskStore store = SqliteStore.file(Path.of(arguments[0])).busyLimit(Duration.ofMinutes(2)).open()) {
      Worker worker = new Worker(store, arguments[1]);
      System.out.println("ready");
      worker.run(Integer.parseInt(arguments[2]), id -> System.out.println("+" + id),
          id -> System.out.println("-" + id));
    }
  }

  /**
   * Schedules {@code tasks} tasks and completes tasks until none is left. Tells of each once the store has answered.
   */
  void run(int tasks, Consumer<String> scheduled, Consumer<String> completed) {
    int count = 0;
    List<Settlement> settlements = List.of();
    while (true) {
      if (count < tasks) {
        schedule(count).forEach(scheduled);
        count += BATCH;
      }
      Exchanged reply = store.exchange(settlements,
          new ClaimRequest("q", Set.of(0), new Stamp(node, "claim", ++number, Long.MAX_VALUE), false, 7, 1, true,
              3_600_000, Claimant.OUTSIDE));
      if (!reply.settled().stream().allMatch(settled -> settled.verdict() == Settled.Verdict.APPLIED)) {
        throw new AssertionError("not all of " + settlements + " were applied: " + reply.settled());
      }
      settlements.stream().map(Settlement::id).forEach(completed);
      settlements = reply.claims().stream().map(Worker::done).toList();
      if (count >= tasks && settlements.isEmpty() && reply.next() == Due.NEVER) {
        return;
      }
    }
  }

  private List<String> schedule(int first) {
    List<Write> writes = IntStream.range(first, first + BATCH).mapToObj(this::insert).toList();
    List<Written> answers = store.write(writes, new Stamp(node, "write", ++number, Long.MAX_VALUE)).value();
    if (!answers.stream().allMatch(answer -> answer.answer() == Answer.CREATED)) {
      throw new AssertionError("not all of " + writes + " were created: " + answers);
    }
    return writes.stream().map(Write::id).toList();
  }

  private Write insert(int i) {
    String id = node + "-" + i;
    return new Write.Insert("q", id, Payload.of("payload of " + id), Due.fromNow(0));
  }

  private static Settlement done(Claimed claim) {
    return new Settlement(claim.id(), claim.seq(), claim.token(), End.COMPLETE, 0, "done");
  }
}
