package dev.bide.bench.embedded;

import dev.bide.bench.frame.Child;
import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import dev.bide.memory.MemoryTaskStore;
import java.util.List;
import java.util.Map;

/** What a waiting task takes of the heap in the memory store, in a JVM of its own. */
final class InMemory {
  private static final String HEAP = "heap-bytes-a-task";
  private static final String RATE = "tasks-a-second";

  private InMemory() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    int tasks = sizes.inMemory();
    int megabytes = 256 + tasks / 1_000_000 * 600;
    run.doing("memory store with " + tasks + " tasks");
    Map<String, Double> found = Child.run(megabytes, InMemory.class, tasks);
    double heap = found.getOrDefault(HEAP, Double.NaN);
    double rate = found.getOrDefault(RATE, Double.NaN);
    run.print(new Table("the memory store, filled by scheduleAll in a JVM of its own with -Xmx" + megabytes
        + "m", "waiting", "B of heap a task", "a second")
        .row("" + tasks, Table.number(heap), Table.number(rate)));
    run.goal(Goal.atMost("memory-heap-a-task-" + tasks, heap, 300, "B"));
  }

  /** Takes the number of tasks. */
  public static void main(String[] args) {
    int tasks = Integer.parseInt(args[0]);
    try (Ours ours = Ours.on(MemoryTaskStore.create())) {
      Supply supply = Supply.overAMonth();
      long before = Child.heapInUse();
      long begun = System.nanoTime();
      for (int left = tasks; left > 0; left -= Supply.BATCH) {
        supply.batches(Math.min(left, Supply.BATCH)).forEach((List<Given> batch) -> ours.schedule(batch));
      }
      Child.tell(RATE, tasks * 1e9 / (System.nanoTime() - begun));
      Child.tell(HEAP, (double) (Child.heapInUse() - before) / tasks);
    }
  }
}
