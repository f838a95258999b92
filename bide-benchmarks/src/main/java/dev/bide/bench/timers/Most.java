package dev.bide.bench.timers;

import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;

/** As many timers as one queue should bear. */
final class Most {
  private static final double HEAP_BYTES = 2e9 / 50_000_000;

  private Most() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    int timers = sizes.most();
    run.doing("the most: " + timers);
    double megabytes = Filled.bytes(sizes, Library.WHEEL, timers) * timers / 1e6;
    double nanos = Forks.pairs(sizes, Library.WHEEL, timers, "random", 1).getOrDefault(Comparison.NANOS, Double.NaN);
    run.print(new Table("the most, in " + Library.WHEEL.words + "; each figure from a JVM of its own", "pending",
        "heap", "ns a random pair").row("" + timers, Table.number(megabytes) + " MB", Table.number(nanos)));
    run.goal(Goal.atMost("most-" + timers + "-heap", megabytes, HEAP_BYTES * timers / 1e6, "MB"));
    run.goal(Goal.atMost("most-" + timers + "-random", nanos, 500, "ns"));
  }
}
