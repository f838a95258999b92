package dev.bide.bench.embedded;

import dev.bide.TaskQueue;
import dev.bide.bench.frame.Figures;
import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import dev.bide.task.TaskView;
import java.time.Duration;
import java.time.Instant;
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
        + " hours of a month, a page " + PAGE + " tasks", "", "waiting", "p50", "p99", "most");
  }

  /** Measures, where {@code waiting} tasks wait. */
  static void measure(Run run, TaskQueue<byte[]> queue, int waiting, Table table) {
    Sight sight = new Sight(queue);
    Instant first = queue.list(WAITING, 1).tasks().get(0).dueAt();
    measure(run, "counts", waiting, table, queue::counts);
    measure(run, "load", waiting, table, () -> queue.load(first, HOUR, HOURS));
    measure(run, "list", waiting, table, sight::nextPage);
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
