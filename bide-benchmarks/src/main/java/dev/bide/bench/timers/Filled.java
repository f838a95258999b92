package dev.bide.bench.timers;

import static dev.bide.bench.timers.Comparison.CPU_NANOS;
import static dev.bide.bench.timers.Comparison.NANOS;

import dev.bide.bench.frame.Child;
import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Meter;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import dev.bide.bench.frame.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Many timers that are scheduled one after the other: how long it takes, and what of the heap they keep. */
final class Filled {
  private static final String BYTES = "bytes";
  private static final int WARM_UPS = 5;
  private static final int WARM_UP_TIMERS = 100_000;
  private static final double FASTER = 3;

  private Filled() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    int timers = sizes.many();
    run.doing("load of " + timers);
    List<Library> others = new ArrayList<>(List.of(Library.TIMER));
    others.addAll(Library.PEERS);
    Comparison found = Comparison.play(sizes.rounds(), Library.WHEEL, others,
        library -> Apart.FILLED.play(sizes, library, timers, Duration.ZERO));
    Table table = new Table("load of " + timers + " by one thread, until the library's own has done its part, and the"
        + " heap that they keep after a collection, all that names a timer included; " + sizes.rounds()
        + " rounds, each in a JVM of its own", "", "ns a schedule", "CPU ns a schedule", "times ours (in rounds)",
        "B of heap a timer");
    for (Library library : found.libraries()) {
      table.row(library.words, found.median(library, NANOS), found.median(library, CPU_NANOS),
          found.times(library, NANOS), found.median(library, BYTES));
    }
    run.print(table);
    found.goals(run, "load-" + timers, NANOS,
        Library.PEERS.stream().collect(Collectors.toMap(Function.identity(), peer -> FASTER)));
    run.goal(Goal.atMost("heap-" + timers, found.figures(Library.WHEEL, BYTES).median(), 40, "B"));
    found.part(run, "heap-" + timers, BYTES, Library.NETTY, 0.7);
    found.part(run, "heap-" + timers, BYTES, Library.STPE, 0.4);
  }

  /** Returns what a timer keeps of the heap, where there are so many. */
  static double bytes(Sizes sizes, Library library, int timers) throws Exception {
    return Apart.FILLED.play(sizes, library, timers, Duration.ZERO).getOrDefault(BYTES, Double.NaN);
  }

  static Map<String, Double> play(Library library, int timers, Duration time) throws Exception {
    for (int i = 0; i < WARM_UPS; i++) {
      int few = Math.min(timers, WARM_UP_TIMERS);
      try (Clockwork clockwork = library.start(few)) {
        clockwork.fill(few);
      }
    }
    long before = Child.heapInUse();
    try (Clockwork clockwork = library.start(timers)) {
      Work work = Work.of(Meter.here(() -> -1), () -> {
        clockwork.fill(timers);
        return timers;
      });
      long bytes = Child.heapInUse() - before - (long) timers * clockwork.slotBytes();
      // So that all of it is still in use.
      clockwork.cancel(0);
      return Map.of(NANOS, (double) work.nanos() / timers, CPU_NANOS, (double) work.cpuNanos() / timers, BYTES,
          (double) bytes / timers);
    }
  }
}
