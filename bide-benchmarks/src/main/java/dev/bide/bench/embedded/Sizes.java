package dev.bide.bench.embedded;

import java.time.Duration;
import java.util.List;

/**
 * How much is done.
 *
 * @param rounds of each contestant that count
 * @param batchTasks tasks of a round of batches, a multiple of {@value Supply#BATCH}
 * @param finished tasks that have ended, beside which batches are scheduled
 * @param single how long a round of single calls takes
 * @param drainRounds rounds that drain a queue
 * @param drained tasks of such a queue
 * @param waiting sizes of the backlog, growing, each a multiple of {@value Supply#BATCH}
 * @param inMemory tasks that wait in the memory store
 * @param lateness for how long tasks come due
 */
record Sizes(int rounds, int batchTasks, int finished, Duration single, int drainRounds, int drained,
    List<Integer> waiting, int inMemory, Duration lateness) {

  static final Sizes REDUCED = new Sizes(5, 50_000, 1_000_000, Duration.ofMillis(500), 3, 100_000, List.of(1_000_000),
      1_000_000, Duration.ofSeconds(8));

  static final Sizes FULL = new Sizes(9, 100_000, 1_000_000, Duration.ofSeconds(2), 7, 100_000,
      List.of(1_000_000, 10_000_000), 10_000_000, Duration.ofSeconds(30));
}
