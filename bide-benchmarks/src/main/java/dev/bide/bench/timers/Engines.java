package dev.bide.bench.timers;

import static dev.bide.bench.timers.Comparison.NANOS;

import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What each of our timer queues costs beside few and beside many pending timers, and the JDK's. */
final class Engines {
  private static final List<String> PAIRS = List.of("window", "random");

  private static final String BYTES = "bytes";
  private static final String DRAINED = "drained";

  private Engines() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    List<Integer> sides = List.of(sizes.few(), sizes.many());
    Table table = new Table("our timer queues and the JDK's, ns a pair, and ns an item drained, beside " + sizes.few()
        + " and beside " + sizes.many() + " pending timers; " + sizes.engineRounds()
        + " rounds, each in a JVM of its own", "", "window", "of many", "times", "random", "of many", "times",
        "drained, of many", "B of heap a timer, of many");
    List<Library> all = new ArrayList<>(Library.ENGINES);
    all.add(Library.DELAY_QUEUE);
    Comparison found = Comparison.play(sizes.engineRounds(), all.get(0), all.subList(1, all.size()), library -> {
      run.doing(library.words + " with " + sides);
      Map<String, Double> costs = new HashMap<>();
      for (String how : PAIRS) {
        for (int pending : sides) {
          costs.put(how + pending, Forks.pairs(sizes, library, pending, how, 1).get(NANOS));
        }
      }
      if (Library.ENGINES.contains(library)) {
        costs.putAll(drained(sizes, library));
      }
      costs.put(BYTES, Filled.bytes(sizes, library, sizes.many()));
      return costs;
    });
    for (Library library : all) {
      List<String> row = new ArrayList<>(List.of(library.words));
      for (String how : PAIRS) {
        double few = found.figures(library, how + sizes.few()).median();
        double many = found.figures(library, how + sizes.many()).median();
        row.addAll(List.of(Table.number(few), Table.number(many), Table.number(many / few)));
      }
      row.add(Library.ENGINES.contains(library) ? found.median(library, DRAINED) : "");
      row.add(found.median(library, BYTES));
      table.row(row.toArray(String[]::new));
    }
    run.print(table);
  }

  private static Map<String, Double> drained(Sizes sizes, Library library) throws Exception {
    double nanos = Apart.DRAINED.play(sizes, library, sizes.many(), Duration.ZERO).getOrDefault(NANOS, Double.NaN);
    return Map.of(DRAINED, nanos);
  }
}
