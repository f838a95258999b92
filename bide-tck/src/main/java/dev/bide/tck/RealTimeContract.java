package dev.bide.tck;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.Claimed;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Host;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Due;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * On the clock that the store really reads: a task is handed out if and only if its time has come by the now of the
 * reply.
 */
abstract class RealTimeContract extends StoreTest {
  private static final int TASKS = 200;
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
    int scheduled = 0;
    long end = store.now() + LIMIT_MILLIS;
    while (scheduled < TASKS || !waiting.isEmpty()) {
      if (scheduled < TASKS) {
        List<Write.Insert> batch = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
          batch.add(node.insert("task-" + scheduled++, in(random.nextLong(SPREAD_MILLIS))));
        }
        List<Written> answers = node.write(batch);
        for (int i = 0; i < batch.size(); i++) {
          waiting.put(batch.get(i).id(), answers.get(i).nextAt());
        }
      }
      Exchanged reply = node.exchange(1 + random.nextInt(20));
      for (Claimed claim : reply.claims()) {
        Long availableAt = requireNonNull(waiting.remove(claim.id()), "handed out twice, or never written");
        assertEquals(availableAt.longValue(), claim.readyAt());
        assertTrue(availableAt <= reply.now(),
            () -> claim.id() + " came " + (availableAt - reply.now()) + " ms early, seed " + seed);
        assertEquals(reply.now(), claim.claimedAt());
      }
      if (!reply.more()) {
        long earliest = waiting.values().stream().mapToLong(Long::longValue).min().orElse(Due.NEVER);
        assertTrue(earliest > reply.now(),
            () -> "a task due by " + earliest + " was left at " + reply.now() + ", seed " + seed);
        assertTrue(reply.next() <= earliest,
            () -> "next must not be after " + earliest + ", got " + reply.next() + ", seed " + seed);
      }
      assertTrue(reply.now() < end, () -> waiting.size() + " tasks are still waiting, seed " + seed);
      if (scheduled >= TASKS) {
        Host.pause(1_000_000);
      }
    }
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
        node.exchange(new ClaimRequest(QUEUE, Set.of(0), node.nextClaim(), false, 1, 0, false, 5)).claims().size());
    List<Claimed> again = List.of();
    for (long end = store.now() + LIMIT_MILLIS; again.isEmpty() && store.now() < end;) {
      Host.pause(1_000_000);
      again = other.claim(1);
    }
    assertEquals(List.of("a"), ids(again));
    assertEquals(1, again.get(0).lapses());
  }
}
