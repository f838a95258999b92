package dev.bide.tck;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.ClaimRequest.Claimant;
import dev.bide.spi.Claimed;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Host;
import dev.bide.spi.Write;
import dev.bide.task.Due;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * On the clock that the store really reads: a task is handed out if and only if its time has come by the now of the
 * reply.
 */
abstract class RealTimeContract extends StoreTest {
  private static final int TASKS = 200;
  private static final int BATCH = 10;
  private static final long SPREAD_MILLIS = 50;
  private static final long LIMIT_MILLIS = 10_000;

  /** Leaves the clock alone. */
  @Override
  final void prepare() {
    define(QUEUE, 1, ATTEMPTS);
  }

  @Test
  final void aTaskIsHandedOutIfAndOnlyIfItIsDueByTheNowOfTheReply() {
    long seed = Host.randomBits();
    Random random = new Random(seed);
    Map<String, Long> waiting = new HashMap<>();
    long end = store.now() + LIMIT_MILLIS;
    for (int scheduled = 0; scheduled < TASKS || !waiting.isEmpty();) {
      if (scheduled < TASKS) {
        waiting.putAll(schedule(scheduled, random));
        scheduled += BATCH;
      } else {
        Host.pause(1_000_000);
      }
      Exchanged reply = node.exchange(1 + random.nextInt(2 * BATCH));
      for (Claimed claim : reply.claims()) {
        long dueAt = requireNonNull(waiting.remove(claim.id()), "it was handed out before");
        assertTrue(dueAt <= reply.now(), () -> "due at " + dueAt + ", seed " + seed + ": " + reply);
        assertEquals(reply.now(), claim.claimedAt());
      }
      if (!reply.more()) {
        long earliest = waiting.values().stream().mapToLong(Long::longValue).min().orElse(Due.NEVER);
        assertTrue(reply.now() < earliest, () -> "left what was due at " + earliest + ", seed " + seed + ": " + reply);
        assertTrue(reply.next() <= earliest, () -> "next is after " + earliest + ", seed " + seed + ": " + reply);
      }
      assertTrue(reply.now() < end, () -> waiting.size() + " tasks still wait, seed " + seed + ": " + reply);
    }
  }

  /** Writes a batch of tasks, and returns when each is due: so long after the now of the reply. */
  private Map<String, Long> schedule(int first, Random random) {
    List<Write> batch = new ArrayList<>();
    List<Long> delays = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      delays.add(random.nextLong(SPREAD_MILLIS));
      batch.add(node.insert("task-" + (first + i), in(delays.get(i))));
    }
    long now = store.write(batch, node.nextWrite()).now();
    return IntStream.range(0, BATCH).boxed()
        .collect(Collectors.toMap(i -> batch.get(i).id(), i -> now + delays.get(i)));
  }

  @Test
  final void nowIsTheTimeOfDayAndGoesOn() {
    long before = store.now();
    assertTrue(Math.abs(before - Host.wallMillis()) < MINUTE, () -> "the store's now is " + before);
    long now = before;
    for (int i = 0; i < 5_000 && now < before + 5; i++) {
      Host.pause(1_000_000);
      long next = store.now();
      assertTrue(next >= now);
      now = next;
    }
    assertTrue(now >= before + 5, "the clock stands still");
  }

  @Test
  final void aRunOutLeaseIsFound() {
    node.schedule("a", in(0));
    assertEquals(1,
        node.exchange(new ClaimRequest(QUEUE, Set.of(0), node.nextClaim(), false, 1, 0, false, 5, Claimant.OUTSIDE))
            .claims().size());
    List<Claimed> again = List.of();
    for (long end = store.now() + LIMIT_MILLIS; again.isEmpty() && store.now() < end;) {
      Host.pause(1_000_000);
      again = other.claim(1);
    }
    assertEquals(List.of("a"), ids(again));
    assertEquals(1, again.get(0).lapses());
  }
}
