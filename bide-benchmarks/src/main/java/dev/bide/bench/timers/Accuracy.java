package dev.bide.bench.timers;

import dev.bide.bench.frame.Figures;
import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** How long after its deadline a callback is called, where now and then a timer is due. */
final class Accuracy {
  private static final String MEDIAN = "p50-ms";
  private static final String LATE = "p99-ms";
  private static final String MOST = "most-ms";
  private static final String EARLY = "early";
  private static final long HEAD_START_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private Accuracy() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    int timers = sizes.accuracy();
    run.doing("accuracy of " + timers);
    Comparison found = Comparison.play(sizes.rounds(), Library.TIMER, Library.THREADED_PEERS,
        library -> Apart.ACCURACY.play(sizes, library, timers, sizes.accuracyTime()));
    Table table = new Table("from the deadline to the callback: " + timers + " timers, deadlines drawn within "
        + sizes.accuracyTime().toMillis() + " ms; " + sizes.rounds() + " rounds, each in a JVM of its own", "", "p50",
        "p99", "most", "early", "p99, times ours (in rounds)");
    for (Library library : found.libraries()) {
      table.row(library.words, found.median(library, MEDIAN) + " ms", found.median(library, LATE) + " ms",
          found.median(library, MOST) + " ms", found.median(library, EARLY), found.times(library, LATE));
    }
    run.goal(Goal.atMost("accuracy-early", found.figures(Library.TIMER, EARLY).most(), 0, ""));
    run.goal(Goal.atMost("accuracy-p50", found.figures(Library.TIMER, MEDIAN).median(), 0.1, "ms"));
    found.part(run, "accuracy-p99", LATE, Library.STPE, 1.2);
    run.print(table);
  }

  static Map<String, Double> play(Library library, int timers, Duration time) throws Exception {
    once(library, timers / 4, time.dividedBy(4));
    return once(library, timers, time);
  }

  private static Map<String, Double> once(Library library, int timers, Duration time) throws Exception {
    SplittableRandom random = new SplittableRandom(Delays.SEED);
    Seen seen = new Seen(timers);
    try (Clockwork clockwork = library.start(timers)) {
      long first = System.nanoTime() + HEAD_START_NANOS;
      for (int timer = 0; timer < timers; timer++) {
        seen.schedule(clockwork, timer, first + random.nextLong(time.toNanos()));
      }
      seen.await();
    }
    Figures late = Figures.of(IntStream.range(0, timers).mapToObj(call -> seen.lateNanos(call) / 1e6).toList());
    double early = IntStream.range(0, timers).filter(call -> seen.lateNanos(call) < 0).count();
    return Map.of(MEDIAN, late.median(), LATE, late.percentile(99), MOST, late.most(), EARLY, early);
  }
}
