package dev.bide.bench.timers;

import static dev.bide.bench.timers.Comparison.CPU_NANOS;
import static dev.bide.bench.timers.Comparison.NANOS;

import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Meter;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Many timers that go off within a short time, each by a callback of the library's own thread. */
final class Live {
  private static final Map<Library, Double> FASTER = Map.of(Library.NETTY, 1.0, Library.KAFKA, 1.5, Library.STPE, 4.0,
      Library.FORK_JOIN, 4.0);
  private static final String OUT_OF_ORDER = "out-of-order";
  private static final String BEHIND = "behind";
  private static final long HEAD_START_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long SCHEDULE_NANOS = 3_000;

  private Live() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    int timers = sizes.live();
    run.doing("live expiry of " + timers);
    List<Library> others = new ArrayList<>(List.of(Library.BARE));
    others.addAll(Library.THREADED_PEERS);
    Comparison found = Comparison.play(sizes.rounds(), Library.TIMER, others,
        library -> Apart.LIVE.play(sizes, library, timers, sizes.liveTime()));
    Table table = new Table("live expiry of " + timers + " timers, deadlines drawn within "
        + sizes.liveTime().toMillis() + " ms, from the first deadline to the last callback; " + sizes.rounds()
        + " rounds, each in a JVM of its own", "", "ms", "CPU ms", "times ours (in rounds)", "out of order");
    for (Library library : found.libraries()) {
      table.row(library.words, millis(found, library, NANOS), millis(found, library, CPU_NANOS),
          found.times(library, NANOS), found.median(library, OUT_OF_ORDER));
      if (found.figures(library, BEHIND).most() > 0) {
        table.note(library.words + " was not loaded when the first was due: the machine is too slow");
      }
    }
    found.goals(run, "live-" + timers, NANOS, FASTER);
    run.goal(Goal.atMost("live-" + timers + "-out-of-order", found.figures(Library.TIMER, OUT_OF_ORDER).most(), 0, ""));
    run.print(table);
  }

  private static String millis(Comparison found, Library library, String nanos) {
    return Table.number(found.figures(library, nanos).median() / 1e6);
  }

  static Map<String, Double> play(Library library, int timers, Duration time) throws Exception {
    once(library, timers / 10, time);
    once(library, timers / 10, time);
    return once(library, timers, time);
  }

  private static Map<String, Double> once(Library library, int timers, Duration time) throws Exception {
    LongSupplier cpuNanos = Meter.here(() -> -1).cpuNanos();
    SplittableRandom random = new SplittableRandom(Delays.SEED);
    Seen seen = new Seen(timers);
    try (Clockwork clockwork = library.start(timers)) {
      long first = System.nanoTime() + HEAD_START_NANOS + timers * SCHEDULE_NANOS;
      for (int timer = 0; timer < timers; timer++) {
        seen.schedule(clockwork, timer, first + random.nextLong(time.toNanos()));
      }
      clockwork.keepUp();
      long ahead = first - System.nanoTime();
      TimeUnit.NANOSECONDS.sleep(ahead);
      long cpuBefore = cpuNanos.getAsLong();
      double nanos = seen.await() - first;
      return Map.of(NANOS, nanos, CPU_NANOS, (double) cpuNanos.getAsLong() - cpuBefore, OUT_OF_ORDER,
          (double) seen.outOfOrder(), BEHIND, ahead > 0 ? 0.0 : 1.0);
    }
  }
}
