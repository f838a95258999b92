package dev.bide.bench.timers;

import static dev.bide.bench.timers.Comparison.CPU_NANOS;
import static dev.bide.bench.timers.Comparison.NANOS;
import static dev.bide.bench.timers.Library.AGRONA;
import static dev.bide.bench.timers.Library.DELAY_QUEUE;
import static dev.bide.bench.timers.Library.FORK_JOIN;
import static dev.bide.bench.timers.Library.KAFKA;
import static dev.bide.bench.timers.Library.NETTY;
import static dev.bide.bench.timers.Library.STPE;
import static dev.bide.bench.timers.Library.TIMER;
import static dev.bide.bench.timers.Library.WHEEL;

import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** A cancel and a schedule, again and again: by one thread in a window and at random, and by two threads. */
final class Pairs {
  private static final Map<Library, Double> WINDOW = Map.of(STPE, 4.0, KAFKA, 4.0, FORK_JOIN, 3.5, NETTY, 2.0, AGRONA,
      1.3);
  private static final Map<Library, Double> RANDOM = Map.of(STPE, 3.0, FORK_JOIN, 3.0, NETTY, 1.2, KAFKA, 1.2, AGRONA,
      0.8);
  private static final Map<Library, Double> TWO_THREADS = Map.of(NETTY, 3.0, FORK_JOIN, 4.0, STPE, 10.0, KAFKA, 10.0);

  private Pairs() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    List<Library> others = new ArrayList<>(List.of(TIMER));
    others.addAll(Library.PEERS);
    others.remove(DELAY_QUEUE);
    measure(run, sizes, "window", 1, WHEEL, others, pending -> WINDOW);
    measure(run, sizes, "random", 1, WHEEL, others, pending -> pending == sizes.many() ? RANDOM : Map.of());
    measure(run, sizes, "window", 2, TIMER, Library.THREADED_PEERS, pending -> TWO_THREADS);
  }

  private static void measure(Run run, Sizes sizes, String how, int threads, Library ours, List<Library> others,
      IntFunction<Map<Library, Double>> wanted) throws Exception {
    String name = how + (threads > 1 ? "-" + threads + "-threads" : "");
    Table table = new Table(name + " pairs: " + sizes.rounds() + " rounds, each in a JVM of its own, of "
        + sizes.warmUps() + " shots of " + sizes.shotMillis() + " ms to warm up and " + sizes.shots() + " that count",
        "", "pending", "ns a pair", "CPU ns a pair", "times ours (in rounds)");
    for (int pending : sizes.pending()) {
      run.doing(name + " pairs with " + pending + " pending");
      Comparison found = Comparison.play(sizes.rounds(), ours, others,
          library -> Forks.pairs(sizes, library, pending, how, threads));
      for (Library library : found.libraries()) {
        table.row(library.words, "" + pending, found.median(library, NANOS), found.median(library, CPU_NANOS),
            found.times(library, NANOS));
      }
      found.goals(run, name + "-" + pending, NANOS, wanted.apply(pending));
    }
    run.print(table);
  }
}
