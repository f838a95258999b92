package dev.bide.bench.timers;

import java.time.Duration;
import java.util.List;

/**
 * How much is done.
 *
 * @param forked whether what should be measured in a JVM of its own is
 * @param rounds of each library
 * @param warmUps shots of pairs in a round that do not count
 * @param shots of pairs in a round that count
 * @param shotMillis how long pairs are done in a shot
 * @param pending how many timers are pending, growing
 * @param few as many as each of our timer queues should serve well
 * @param many with how many they are compared
 * @param engineRounds of each of them
 * @param small how many timers an array may serve
 * @param singleShots how often an operation of it is measured
 * @param live how many timers go off together
 * @param liveTime within what time
 * @param oneDeadline how many have the same deadline
 * @param accuracy how many go off now and then
 * @param accuracyTime within what time
 * @param idle how many wait while nothing is done
 * @param idleTime for how long
 * @param most how many one queue should bear
 * @param drift how long a ticker ticks
 */
record Sizes(boolean forked, int rounds, int warmUps, int shots, int shotMillis, List<Integer> pending, int few,
    int many, int engineRounds, List<Integer> small, int singleShots, int live, Duration liveTime, int oneDeadline,
    int accuracy, Duration accuracyTime, int idle, Duration idleTime, int most, Duration drift) {

  static final Sizes REDUCED = new Sizes(true, 3, 2, 2, 150, List.of(1_000_000), 10_000, 1_000_000, 1,
      List.of(1_000, 10_000, 100_000), 20, 200_000, Duration.ofMillis(10), 1_000_000, 2_500, Duration.ofMillis(500),
      1_000_000, Duration.ofSeconds(4), 4_000_000, Duration.ofSeconds(3));

  static final Sizes FULL = new Sizes(true, 3, 5, 5, 300, List.of(10_000, 1_000_000, 10_000_000), 10_000, 10_000_000, 3,
      List.of(1_000, 10_000, 100_000), 100, 1_000_000, Duration.ofMillis(50), 1_000_000, 10_000, Duration.ofSeconds(2),
      1_000_000, Duration.ofSeconds(30), 50_000_000, Duration.ofSeconds(10));
}
