package dev.bide.bench.embedded;

import dev.bide.Outcome;
import dev.bide.bench.frame.Folder;
import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Rounds;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import dev.bide.bench.frame.Work;
import java.time.Duration;
import java.util.List;

/** A backlog of due tasks whose handler does nothing: how fast they are claimed, run, and completed for good. */
final class Drain {
  private Drain() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    run.doing("drain of " + sizes.drained() + " due tasks");
    Rounds rounds = Rounds.play(sizes.drainRounds(), () -> ours(run, sizes.drained()),
        () -> bare(run, sizes.drained()));
    Table table = Rounds
        .table("drain, default settings, each task with its own durable outcome, beside a bare loop that"
            + " claims and completes " + Supply.BATCH + " a transaction; " + sizes.drainRounds() + " rounds of "
            + sizes.drained() + " tasks that are all due at once");
    rounds.row(table, "handle", 0, 1);
    run.print(table);
    run.goal(Goal.atLeast("drain", rounds.ratio(0, 1).median(), 0.4));
  }

  private static Supply due() {
    return Supply.of(0, System.currentTimeMillis(), Duration.ofMillis(1));
  }

  private static Work ours(Run run, int tasks) throws Exception {
    Completed completed = new Completed(tasks);
    try (Folder folder = run.folder("drain"); Ours ours = Ours.at(folder.file("ours.db"), completed)) {
      due().batches(tasks).forEach(ours::schedule);
      return Work.of(ours.meter(), () -> {
        ours.queue().handle(claim -> Outcome.done());
        return completed.await();
      });
    }
  }

  private static Work bare(Run run, int tasks) throws Exception {
    try (Folder folder = run.folder("drain"); BareLoop bare = new BareLoop(folder.file("bare.db"))) {
      for (List<Given> batch : due().batches(tasks)) {
        bare.insert(batch);
      }
      long now = System.currentTimeMillis();
      Work work = Work.of(bare.meter(), () -> bare.drain(now));
      if (work.tasks() != tasks) {
        throw new AssertionError(work.tasks() + " of " + tasks + " tasks were drained");
      }
      return work;
    }
  }
}
