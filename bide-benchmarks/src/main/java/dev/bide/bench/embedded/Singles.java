package dev.bide.bench.embedded;

import dev.bide.bench.frame.Crew;
import dev.bide.bench.frame.Folder;
import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Rounds;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import dev.bide.bench.frame.Work;
import java.util.List;

/** Tasks one by one, each durable before the next call of its thread. */
final class Singles {
  private Singles() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    run.doing("single schedules by 1, 8 and 32 threads");
    try (Folder folder = run.folder("singles");
        Ours ours = Ours.at(folder.file("ours.db"));
        BareLoop bare = new BareLoop(folder.file("bare.db"))) {
      Supply ourSupply = Supply.overAMonth();
      Supply bareSupply = Supply.overAMonth();
      Rounds rounds = Rounds.play(sizes.rounds(),
          () -> threads(ours, ourSupply, sizes, 1),
          () -> threads(ours, ourSupply, sizes, 8),
          () -> threads(ours, ourSupply, sizes, 32),
          () -> Work.of(bare.meter(),
              () -> Crew.repeat(1, sizes.single(), thread -> bare.insert(List.of(bareSupply.next())))));
      Table table = Rounds.table("schedule one by one, beside bare single commits and beside one thread; "
          + sizes.rounds() + " rounds of " + sizes.single().toMillis() + " ms");
      rounds.row(table, "1 thread, bare", 0, 3);
      rounds.row(table, "8 threads, bare", 1, 3);
      rounds.row(table, "32 threads, bare", 2, 3);
      rounds.row(table, "8 threads, 1 thread", 1, 0);
      rounds.row(table, "32 threads, 1 thread", 2, 0);
      run.print(table);
      run.goal(Goal.atLeast("schedule-8-threads", rounds.ratio(1, 0).median(), 3));
      run.goal(Goal.atLeast("schedule-32-threads", rounds.ratio(2, 0).median(), 8));
    }
  }

  private static Work threads(Ours ours, Supply supply, Sizes sizes, int threads) throws Exception {
    return Work.of(ours.meter(), () -> Crew.repeat(threads, sizes.single(), thread -> ours.schedule(supply.next())));
  }
}
