package dev.bide.bench.timers;

import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Meter;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** The processors' time that is taken while many timers are pending and none is due. */
final class Idle {
  private static final String PERCENT = "percent";
  private static final int SETTLE = 4;

  private Idle() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    run.doing("idle with " + sizes.idle());
    Table table = new Table("idle, " + sizes.idle() + " pending and none due; " + sizes.idleTime().toSeconds()
        + " s in a JVM of its own", "", "% of a core");
    // A timer queue has no thread, so what is taken beside it is the JVM's.
    List<Library> all = new ArrayList<>(List.of(Library.WHEEL, Library.TIMER));
    all.addAll(Library.THREADED_PEERS);
    for (Library library : all) {
      double percent = Apart.IDLE.play(sizes, library, sizes.idle(), sizes.idleTime()).getOrDefault(PERCENT,
          Double.NaN);
      table.row(library == Library.WHEEL ? "nothing, the JVM alone" : library.words, Table.number(percent));
      if (library == Library.TIMER) {
        run.goal(Goal.atMost("idle-" + sizes.idle(), percent, 0.1, "%"));
      }
    }
    run.print(table);
  }

  static Map<String, Double> play(Library library, int timers, Duration time) throws Exception {
    LongSupplier cpuNanos = Meter.here(() -> -1).cpuNanos();
    try (Clockwork clockwork = library.start(timers)) {
      clockwork.fill(timers);
      System.gc();
      // What the JVM compiles and tidies up after that is not the timers'.
      Thread.sleep(time.dividedBy(SETTLE).toMillis());
      long cpuBefore = cpuNanos.getAsLong();
      Thread.sleep(time.toMillis());
      return Map.of(PERCENT, 100.0 * (cpuNanos.getAsLong() - cpuBefore) / time.toNanos());
    }
  }
}
