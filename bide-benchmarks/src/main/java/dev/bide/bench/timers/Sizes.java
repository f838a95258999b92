package dev.bide.bench.timers;

import java.util.List;

/**
 * How much is done.
 *
 * @param forked whether pairs run in a JVM of their own
 * @param rounds of each library
 * @param warmUps shots of a round that do not count
 * @param shots of a round that count
 * @param shotMillis how long pairs are done in a shot
 * @param pending how many timers are pending, growing
 */
record Sizes(boolean forked, int rounds, int warmUps, int shots, int shotMillis, List<Integer> pending) {

  static final Sizes REDUCED = new Sizes(true, 3, 2, 2, 150, List.of(1_000_000));

  static final Sizes FULL = new Sizes(true, 5, 5, 5, 300, List.of(10_000, 1_000_000, 10_000_000));
}
