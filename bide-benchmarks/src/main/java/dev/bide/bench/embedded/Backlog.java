package dev.bide.bench.embedded;

import dev.bide.bench.frame.Child;
import dev.bide.bench.frame.Figures;
import dev.bide.bench.frame.Folder;
import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Rounds;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import dev.bide.delay.When;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Millions of tasks that wait: what they take on disk, how fast they are there again, and how fast more join them. */
final class Backlog {
  private static final int CHILD_HEAP_MEGABYTES = 128;

  private Backlog() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    Table reopened = new Table("a file of waiting tasks, opened again in a JVM"
        + " of its own with -Xmx" + CHILD_HEAP_MEGABYTES + "m, " + sizes.rounds()
        + " times, the file in the page cache",
        "waiting", "B a task on disk", "first claim after", "at most", "heap in use then");
    Table inserts = Rounds
        .table("scheduleAll in batches of " + Supply.BATCH + " into the waiting, beside the bare loop; "
            + sizes.rounds() + " rounds of " + sizes.batchTasks() + " tasks");
    Table sight = Sight.table();
    try (Folder folder = run.folder("ready"); Ours ours = Ours.at(folder.file("ours.db"))) {
      Supply.of(0, System.currentTimeMillis(), Duration.ofMillis(1)).batches(sizes.drained()).forEach(ours::schedule);
      Sight.measureReady(run, ours.queue(), sizes.drained(), sight);
    }
    try (Folder folder = run.folder("reopen")) {
      reopen(sizes, folder.file("ours.db"), "0", "", reopened);
    }
    try (Folder folder = run.folder("backlog"); Sides sides = new Sides(folder)) {
      int there = 0;
      for (int waiting : sizes.waiting()) {
        run.doing("backlog of " + waiting + " tasks");
        sides.addWaiting(waiting - there);
        sides.closed(() -> reopen(run, sizes, sides.file(), waiting, reopened));
        Sight.measure(run, sides.ours().queue(), waiting, sight);
        Rounds rounds = sides.inserts(sizes.rounds(), sizes.batchTasks());
        rounds.row(inserts, "into " + waiting, 0, 1);
        run.goal(Goal.atLeast("insert-into-" + waiting, rounds.ratio(0, 1).median(), 0.5));
        there = waiting + (sizes.rounds() + 1) * sizes.batchTasks();
      }
    }
    run.print(reopened);
    run.print(inserts);
    run.print(sight);
  }

  private static void reopen(Run run, Sizes sizes, Path file, int waiting, Table table) throws Exception {
    double bytes = (double) Files.size(file) / waiting;
    Reopened found = reopen(sizes, file, "" + waiting, Table.number(bytes), table);
    run.goal(Goal.atMost("bytes-a-task-" + waiting, bytes, 260, "B"));
    run.goal(Goal.atMost("reopen-" + waiting, found.millis.most(), 1_000, "ms"));
    run.goal(Goal.atMost("reopen-heap-" + waiting, found.heapMegabytes.most(), 64, "MB"));
  }

  private record Reopened(Figures millis, Figures heapMegabytes) {}

  private static Reopened reopen(Sizes sizes, Path file, String waiting, String bytes, Table table) throws Exception {
    try (Ours ours = Ours.at(file)) {
      ours.queue().schedule("first", new byte[Given.PAYLOAD_BYTES], When.now());
    }
    List<Double> millis = new ArrayList<>();
    List<Double> heap = new ArrayList<>();
    for (int i = 0; i < sizes.rounds(); i++) {
      Map<String, Double> found = Child.run(CHILD_HEAP_MEGABYTES, FirstClaim.class, file);
      millis.add(found.getOrDefault(FirstClaim.MILLIS, Double.NaN));
      heap.add(found.getOrDefault(FirstClaim.HEAP, Double.NaN) / 1e6);
    }
    Figures time = Figures.of(millis);
    Figures memory = Figures.of(heap);
    table.row(waiting, bytes, Table.number(time.median()) + " ms", Table.number(time.most()) + " ms",
        Table.number(memory.most()) + " MB");
    return new Reopened(time, memory);
  }
}
