package dev.bide.bench.timers;

import static dev.bide.bench.timers.Comparison.NANOS;

import dev.bide.bench.frame.Child;
import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import dev.bide.timer.TimerQueue;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Many timers of the same deadline in our timer queues: what one costs to expire, and what of the heap it takes
 * meanwhile.
 */
final class OneDeadline {
  private static final String HEAP = "heap-bytes";
  private static final String MORE = "more-bytes";
  private static final int AT_ONCE = 1_024;
  private static final int WARM_UPS = 3;

  private OneDeadline() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    int timers = sizes.oneDeadline();
    run.doing("one deadline for " + timers);
    List<Library> engines = Library.ENGINES;
    Comparison found = Comparison.play(sizes.engineRounds(), Library.WHEEL, engines.subList(1, engines.size()),
        library -> Apart.ONE_DEADLINE.play(sizes, library, timers, Duration.ofSeconds(5)));
    Table table = new Table("expiry of " + timers + " timers of one deadline, " + AT_ONCE + " at once; "
        + sizes.engineRounds() + " rounds, each in a JVM of its own", "", "ns a timer", "heap before", "more at most");
    for (Library engine : engines) {
      table.row(engine.words, found.median(engine, NANOS), megabytes(found, engine, HEAP),
          megabytes(found, engine, MORE));
    }
    run.goal(Goal.atMost("one-deadline", found.figures(Library.WHEEL, NANOS).median(), 200, "ns"));
    run.goal(Goal.atMost("one-deadline-more-heap", found.figures(Library.WHEEL, MORE).most() / timers, 1, "B"));
    run.print(table);
  }

  private static String megabytes(Comparison found, Library engine, String bytes) {
    return Table.number(found.figures(engine, bytes).median() / 1e6) + " MB";
  }

  static Map<String, Double> play(Library library, int timers, Duration time) {
    for (int i = 0; i < WARM_UPS; i++) {
      once(library, Math.min(timers, 100_000), time.toNanos());
    }
    return once(library, timers, time.toNanos());
  }

  private static Map<String, Double> once(Library library, int timers, long deadline) {
    TimerQueue queue = library.queue();
    for (int timer = 0; timer < timers; timer++) {
      queue.schedule(deadline, timer);
    }
    long before = Child.heapInUse();
    long most = 0;
    long begun = System.nanoTime();
    long now = queue.spec().dueAt(deadline);
    while (queue.drain(now, AT_ONCE, (handle, due, cookie) -> {}) > 0) {
      most = Math.max(most, Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
    }
    double nanos = System.nanoTime() - begun;
    return Map.of(NANOS, nanos / timers, HEAP, (double) before, MORE, (double) Math.max(0, most - before));
  }
}
