package dev.bide.bench.timers;

import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import java.util.Comparator;
import java.util.PriorityQueue;

/** How often a binary heap compares, counted in that of the JDK. */
final class Comparisons {
  private static final int TIMES = 100_000;

  private Comparisons() {}

  static void measure(Run run, Sizes sizes) {
    int pending = sizes.many();
    run.doing("comparisons beside " + pending);
    long[] compared = {0};
    Comparator<Long> counting = (one, other) -> {
      compared[0]++;
      return Long.compare(one, other);
    };
    PriorityQueue<Long> heap = new PriorityQueue<>(pending + TIMES, counting);
    Delays delays = new Delays();
    for (int i = 0; i < pending; i++) {
      heap.add(delays.next());
    }
    compared[0] = 0;
    for (int i = 0; i < TIMES; i++) {
      heap.add(delays.next());
    }
    double insert = (double) compared[0] / TIMES;
    compared[0] = 0;
    for (int i = 0; i < TIMES; i++) {
      heap.remove();
    }
    double take = (double) compared[0] / TIMES;
    run.print(new Table("comparisons an operation in a binary heap, java.util.PriorityQueue, with random deadlines",
        "pending", "levels", "insert", "take the first").row("" + pending,
            Table.number(Math.log(pending) / Math.log(2)), Table.number(insert), Table.number(take)));
  }
}
