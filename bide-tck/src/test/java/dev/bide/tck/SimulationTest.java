package dev.bide.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Worlds in which everything goes wrong. A failure names its seed; {@code -Dbide.seed=…} plays that world alone, and
 * {@code -Dbide.simulations=…} sets how many are played, {@code -Dbide.seed.first=…} which is the first.
 */
class SimulationTest {
  private static final long FIRST = Long.getLong("bide.seed.first", 1);
  private static final long SEEDS = Long.getLong("bide.simulations", 20_000);

  /** What must have happened in some of a thousand worlds; else they are not what they are meant to be. */
  private static final List<String> TROUBLE = List.of("BREAKER_CLOSED", "BREAKER_OPENED", "BREAKER_PROBING",
      "TIMED_OUT", "COMPLETE STALE", "COMPLETE REPEATED", "RETRY STALE",
      "RELEASE STALE", "Cancel ALREADY_CLAIMED", "Cancel CANCELLED", "Insert REPLACED", "Insert REFUSED", "Pause DONE",
      "Revive DONE", "Move DONE", "LEASE_LOST", "SETTLEMENT_REFUSED", "STORE_FAILED", "STUCK", "call gave up",
      "claimed grave", "claimed suspect", "clock stepped back", "clock stepped forward", "exchange again",
      "exchange late", "handler hangs", "handler killed its node", "node closed", "node died", "node stood still",
      "queue paused", "renew CANCEL_REQUESTED", "renew LOST");

  @Test
  void whateverGoesWrongThePromisesAreKept() {
    Long only = Long.getLong("bide.seed");
    Map<String, Integer> happened = new ConcurrentSkipListMap<>();
    LongStream seeds = only != null ? LongStream.of(only) : LongStream.range(FIRST, FIRST + SEEDS);
    seeds.parallel()
        .forEach(seed -> Simulation.of(seed).run().forEach((what, times) -> happened.merge(what, times, Integer::sum)));
    if (only == null && SEEDS >= 1_000) {
      assertEquals(List.of(), TROUBLE.stream().filter(what -> !happened.containsKey(what)).toList(), "never happened");
    }
  }

  @Test
  void aSeedPlaysTheSameWorldAgain() {
    Map<Long, Map<String, Integer>> played = new TreeMap<>();
    for (long seed = 1; seed <= 50; seed++) {
      played.put(seed, Simulation.of(seed).run());
    }
    played.forEach((seed, happened) -> assertEquals(happened, Simulation.of(seed).run()));
    assertTrue(played.values().stream().distinct().count() > 40, "seeds play different worlds");
  }
}
