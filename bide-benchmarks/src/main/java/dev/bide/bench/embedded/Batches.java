package dev.bide.bench.embedded;

import dev.bide.bench.frame.Folder;
import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Rounds;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;

/** Many tasks with one call. */
final class Batches {
  private Batches() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    Table table = Rounds.table("scheduleAll in batches of " + Supply.BATCH + ", beside the bare loop; " + sizes.rounds()
        + " rounds of " + sizes.batchTasks() + " tasks");
    measure(run, sizes, table, "scheduleAll", 0);
    measure(run, sizes, table, "scheduleAll-beside-finished", sizes.finished());
    run.print(table);
  }

  private static void measure(Run run, Sizes sizes, Table table, String goal, int finished) throws Exception {
    run.doing("scheduleAll beside " + finished + " finished tasks");
    try (Folder folder = run.folder("batches"); Sides sides = new Sides(folder)) {
      sides.addFinished(finished);
      Rounds rounds = sides.inserts(sizes.rounds(), sizes.batchTasks());
      rounds.row(table, "beside " + finished + " finished", 0, 1);
      run.goal(Goal.atLeast(goal, rounds.ratio(0, 1).median(), 0.5));
    }
  }
}
