package dev.bide.bench.embedded;

import dev.bide.TaskQueue;
import dev.bide.bench.frame.Figures;
import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import dev.bide.task.Amount;
import dev.bide.task.Load;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import dev.bide.task.TaskView;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Looks at a queue in which millions wait. */
final class Sight {
  private static final TaskQuery WAITING = TaskQuery.of(TaskView.WAITING);
  private static final int TIMES = 100;
  private static final int PAGE = 100;
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int HOURS = (int) Supply.MONTH.toHours();

  private final TaskQueue<byte[]> queue;
  private String cursor = "";

  private Sight(TaskQueue<byte[]> queue) {
    this.queue = queue;
  }

  static Table table() {
    return new Table("looking at the waiting, " + TIMES + " times each; a load has the " + HOURS
        + " hours of a month, full ones of UTC or half of two, a page " + PAGE + " tasks", "", "waiting", "p50", "p99",
        "most");
  }

  /** Measures, where {@code waiting} tasks wait. */
  static void measure(Run run, TaskQueue<byte[]> queue, int waiting, Table table) {
    Sight sight = new Sight(queue);
    Instant first = queue.list(WAITING.between(Instant.now().plus(HOUR), Instant.MAX), 1).tasks().get(0).dueAt();
    Instant hour = first.truncatedTo(ChronoUnit.HOURS);
    requireAll(queue.load(hour, HOUR, HOURS + 1), waiting);
    measure(run, "counts", waiting, table, queue::counts);
    measure(run, "load", waiting, table, () -> queue.load(hour, HOUR, HOURS));
    measure(run, "load-between-hours", waiting, table, () -> queue.load(hour.plus(HOUR.dividedBy(2)), HOUR, HOURS));
    measure(run, "list", waiting, table, sight::nextPage);
  }

  /** Measures where {@code ready} tasks have come due at once: nothing but looking counts these. */
  static void measureReady(Run run, TaskQueue<byte[]> queue, int ready, Table table) {
    Amount found = queue.counts().ready();
    if (found.count() != ready) {
      throw new AssertionError(found + " of " + ready + " are ready");
    }
    measure(run, "counts-ready", ready, table, queue::counts);
  }

  /** A load that is not of what waits would be measured for nothing. */
  private static void requireAll(Load month, int waiting) {
    long found = month.buckets().stream().filter(Amount::exact).mapToLong(Amount::count).sum();
    if (found < waiting) {
      throw new AssertionError("the month has " + found + " of " + waiting + " tasks");
    }
  }

  private void nextPage() {
    TaskPage page = queue.list(WAITING, PAGE, cursor);
    cursor = page.next().orElse("");
  }

  private static void measure(Run run, String call, int waiting, Table table, Runnable look) {
    look.run();
    List<Double> millis = new ArrayList<>();
    for (int i = 0; i < TIMES; i++) {
      long begun = System.nanoTime();
      look.run();
      millis.add((System.nanoTime() - begun) / 1e6);
    }
    Figures found = Figures.of(millis);
    table.row(call, "" + waiting, Table.number(found.median()) + " ms", Table.number(found.percentile(99)) + " ms",
        Table.number(found.most()) + " ms");
    run.goal(Goal.atMost(call + "-of-" + waiting, found.percentile(99), 20, "ms"));
  }
}
