package dev.bide.bench.embedded;

import dev.bide.Bide;
import dev.bide.BideBuilder;
import dev.bide.Entry;
import dev.bide.QueueSpec;
import dev.bide.Scheduled;
import dev.bide.TaskListener;
import dev.bide.TaskQueue;
import dev.bide.bench.frame.Calls;
import dev.bide.bench.frame.Meter;
import dev.bide.delay.When;
import dev.bide.spi.TaskStore;
import dev.bide.sqlite.SqliteStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A queue as an application has it: every setting is the default. Thread-safe. */
final class Ours implements AutoCloseable {
  static final QueueSpec<byte[]> SPEC = QueueSpec.of("bench", byte[].class);
  private static final Set<String> TRANSACTIONS = Set.of("write", "exchange", "renew", "prune");

  private final Calls calls = new Calls();
  private final Bide bide;
  private final TaskQueue<byte[]> queue;

  private Ours(TaskStore store, TaskListener... listeners) {
    BideBuilder builder = Bide.on(calls.of(store));
    for (TaskListener listener : listeners) {
      builder.listener(listener);
    }
    bide = builder.start();
    queue = bide.queue(SPEC);
  }

  /** Opens the store in {@code file}. */
  static Ours at(Path file, TaskListener... listeners) {
    return new Ours(SqliteStore.at(file), listeners);
  }

  /** Takes over {@code store}. */
  static Ours on(TaskStore store) {
    return new Ours(store);
  }

  TaskQueue<byte[]> queue() {
    return queue;
  }

  /** Counts a commit for each transaction that the store is asked for. */
  Meter meter() {
    return Meter.here(() -> calls.counts().entrySet().stream().filter(each -> TRANSACTIONS.contains(each.getKey()))
        .mapToLong(Map.Entry::getValue).sum());
  }

  static When when(Given task) {
    return When.at(Instant.ofEpochMilli(task.dueAt()));
  }

  void schedule(Given task) {
    queue.schedule(task.id(), task.payload(), when(task));
  }

  /** Begins to schedule; the stage completes when the task is durable. */
  CompletableFuture<Scheduled> begin(Given task) {
    return queue.scheduleAsync(task.id(), task.payload(), when(task)).toCompletableFuture();
  }

  /** Schedules many with one call. */
  void schedule(List<Given> tasks) {
    queue.scheduleAll(tasks.stream().map(task -> Entry.of(task.id(), task.payload(), when(task))).toList());
  }

  /** Lets tasks end as they are scheduled: they are long over. */
  void expire(List<Given> tasks) {
    When over = When.at(Instant.EPOCH).orExpire(Duration.ZERO);
    queue.scheduleAll(tasks.stream().map(task -> Entry.of(task.id(), task.payload(), over)).toList());
  }

  @Override
  public void close() {
    bide.close();
  }
}
