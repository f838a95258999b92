package dev.bide.bench.timers;

import dev.bide.bench.frame.Crew;
import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The processors' time that is taken while many timers are pending and none is due. */
final class Idle {
  private static final String OWN = "own-percent";
  private static final String ALL = "all-percent";
  private static final int SETTLE = 4;

  private Idle() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    run.doing("idle with " + sizes.idle());
    // A timer queue has no thread, so what is taken beside it is the JVM's.
    List<Library> libraries = new ArrayList<>(List.of(Library.WHEEL, Library.TIMER));
    libraries.addAll(Library.THREADED_PEERS);
    Map<Library, Map<String, Double>> found = new ConcurrentHashMap<>();
    Crew.each(libraries.size(), i -> found.put(libraries.get(i),
        Apart.IDLE.play(sizes, libraries.get(i), sizes.idle(), sizes.idleTime())));
    Table table = new Table("idle, " + sizes.idle() + " pending and none due, % of a core; "
        + sizes.idleTime().toSeconds() + " s, each in a JVM of its own, at the same time", "", "its threads",
        "the whole JVM");
    for (Library library : libraries) {
      table.row(library == Library.WHEEL ? "nothing" : library.words, Table.number(percent(found, library, OWN)),
          Table.number(percent(found, library, ALL)));
    }
    run.print(table);
    run.goal(Goal.atMost("idle-" + sizes.idle(), percent(found, Library.TIMER, OWN), 0.1, "%"));
  }

  private static double percent(Map<Library, Map<String, Double>> found, Library library, String of) {
    return found.getOrDefault(library, Map.of()).getOrDefault(of, Double.NaN);
  }

  static Map<String, Double> play(Library library, int timers, Duration time) throws Exception {
    try (Clockwork clockwork = library.start(timers)) {
      clockwork.fill(timers);
      // What the JVM compiles and tidies up after this is not the timers'; nor is that somebody looks for the first time.
      System.gc();
      percents(time.dividedBy(SETTLE));
      return percents(time);
    }
  }

  private static Map<String, Double> percents(Duration time) throws Exception {
    Cpu all = Cpu.ofProcess();
    Cpu own = Cpu.ofJavaThreads();
    Thread.sleep(time.toMillis());
    double ownNanos = Cpu.ofJavaThreads().nanosSince(own);
    return Map.of(OWN, 100 * ownNanos / time.toNanos(), ALL,
        100.0 * Cpu.ofProcess().nanosSince(all) / time.toNanos());
  }
}
