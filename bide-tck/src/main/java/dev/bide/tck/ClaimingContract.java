package dev.bide.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.ClaimRequest.Claimant;
import dev.bide.spi.Claimed;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Renewed;
import dev.bide.spi.Settled;
import dev.bide.spi.Settlement;
import dev.bide.spi.Write;
import dev.bide.task.Due;
import dev.bide.task.OnExisting;
import dev.bide.task.Payload;
import dev.bide.task.Task;
import dev.bide.task.TaskId;
import dev.bide.task.TaskState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is handed out, in which order, and when a node should look again. */
abstract class ClaimingContract extends StoreTest {

  // What a claim is.

  @Test
  final void aClaimCarriesTheTask() {
    node.write(new Write.Insert(QUEUE, "a", Payload.of("order 42"),
        new Due(Due.Base.FROM_NOW, SECOND, SECOND, 1, Due.Past.RUN, 0, false), OnExisting.KEEP, "in a second", "UTC",
        List.of()));
    at(MINUTE);
    Claimed claim = node.claim();
    assertEquals("a", claim.id());
    assertEquals(task("a").seq(), claim.seq());
    assertTrue(claim.token() > 0);
    assertEquals(1, claim.attempt());
    assertEquals(0, claim.lapses());
    assertFalse(claim.suspect());
    assertFalse(claim.grave());
    assertEquals(Payload.of("order 42"), claim.payload());
    assertEquals(moment(0), claim.createdAt());
    assertEquals(moment(SECOND), claim.dueAt());
    assertEquals(moment(2 * SECOND), claim.readyAt());
    assertEquals(moment(MINUTE), claim.claimedAt());
    assertFalse(claim.cancelRequested());
    assertEquals("in a second", claim.rule());
  }

  @Test
  final void aClaimedTaskIsInProcessUntilItsLeaseEnds() {
    node.schedule("a", in(0));
    at(SECOND);
    node.claim();
    Task task = task("a");
    assertEquals(TaskState.PROCESSING, task.state());
    assertEquals(Optional.of("node"), task.node());
    assertEquals(Optional.of(instant(SECOND + LEASE)), task.nextAt());
    assertEquals(instant(0), task.readyAt(), "when it was ready is kept");
    assertEquals(1, task.attempt());
    assertEquals(1, task.claims());
    at(SECOND + LEASE - 1);
    assertFalse(task("a").lapsed());
    assertEquals(List.of(), other.claim(1));
    at(SECOND + LEASE);
    assertTrue(task("a").lapsed());
  }

  @Test
  final void theLeaseIsAsLongAsTheRequestSays() {
    node.schedule("a", in(0));
    node.exchange(new ClaimRequest(QUEUE, Set.of(0), node.nextClaim(), false, 1, 0, false, 5, Claimant.OUTSIDE));
    assertEquals(Optional.of(instant(5)), task("a").nextAt());
  }

  @Test
  final void theLongestLeaseIsStillALease() {
    node.schedule("a", in(0));
    node.exchange(
        new ClaimRequest(QUEUE, Set.of(0), node.nextClaim(), false, 1, 0, false, Long.MAX_VALUE, Claimant.OUTSIDE));
    at(10_000 * DAY);
    assertFalse(task("a").lapsed());
    assertEquals(List.of(), other.claim(1));
  }

  // Order.

  @Test
  final void tasksLeaveInTheOrderOfTheirTimes() {
    List.of(30, 10, 20, 0).forEach(millis -> node.schedule("due-" + millis, in(millis)));
    at(30);
    assertEquals(List.of("due-0", "due-10", "due-20", "due-30"), ids(node.claim(4)));
  }

  @Test
  final void equalTimesLeaveInTheOrderTheyCame() {
    List<String> expected = new ArrayList<>();
    for (int batch = 0; batch < 3; batch++) {
      List<Write.Insert> inserts = new ArrayList<>();
      for (int i = 9; i >= 0; i--) {
        inserts.add(node.insert("batch-" + batch + "-" + i, on(SECOND)));
      }
      node.write(inserts);
      inserts.forEach(insert -> expected.add(insert.id()));
    }
    at(SECOND);
    List<String> taken = new ArrayList<>();
    for (int limit : List.of(7, 1, 15, 100)) {
      taken.addAll(ids(node.claim(limit)));
    }
    assertEquals(expected, taken);
  }

  @Test
  final void aReleasedTaskGoesBehindThoseThatAreDueAlready() {
    List.of("a", "b").forEach(id -> node.schedule(id, in(0)));
    at(1);
    Claimed first = node.claim(1).get(0);
    node.release(first);
    assertEquals(List.of("b", "a"), ids(node.claim(2)));
  }

  // Limits.

  @Test
  final void noMoreAreHandedOutThanAskedFor() {
    schedule(5);
    assertEquals(List.of("task-0", "task-1"), ids(node.claim(2)));
    assertEquals(List.of("task-2"), ids(node.claim(1)));
    assertEquals(List.of("task-3", "task-4"), ids(node.claim(100)));
  }

  @Test
  final void aLimitOfZeroTakesNothing() {
    node.schedule("a", in(0));
    Exchanged reply = node.exchange(0);
    assertEquals(List.of(), reply.claims());
    assertEquals(reply.now(), reply.next(), "nothing was looked at");
    assertEquals(TaskState.WAITING, state("a"));
  }

  @Test
  final void moreSaysThatTheLimitWasHit() {
    schedule(3);
    assertTrue(node.exchange(2).more());
    assertFalse(node.exchange(2).more());
  }

  @Test
  final void manyRunOutLeasesAreEndedLittleByLittle() {
    int many = 350;
    schedule(many);
    node.claim(many);
    at(LEASE);
    Set<Integer> lapses = new HashSet<>();
    int turns = 0;
    Exchanged reply;
    do {
      reply = other.exchange(other.request(1, 0, false));
      assertTrue(reply.claims().isEmpty(), "suspects were not asked for");
      turns++;
    } while (reply.more() && turns < many);
    for (int i = 0; i < many; i += 50) {
      lapses.add(task("task-" + i).lapses());
    }
    assertEquals(Set.of(1), lapses);
    assertTrue(turns > 1, "one call ends a bounded number");
    assertTrue(reply.suspectsLeft());
  }

  // Shards and queues.

  @Test
  final void onlyTheRequestedShardsAreClaimed() {
    Sharded sharded = new Sharded(4, 64);
    at(63);
    for (int shard = 3; shard >= 0; shard--) {
      assertEquals(sharded.idsOf(Set.of(shard)), ids(sharded.node(Set.of(shard)).claim(100)));
    }
  }

  @Test
  final void severalShardsAreClaimedInOneCall() {
    Sharded sharded = new Sharded(4, 64);
    at(63);
    assertEquals(Set.copyOf(sharded.idsOf(Set.of(0, 2))), Set.copyOf(ids(sharded.node(Set.of(0, 2)).claim(100))));
    assertEquals(Set.copyOf(sharded.idsOf(Set.of(1, 3))), Set.copyOf(ids(sharded.node(Set.of(0, 1, 2, 3)).claim(100))));
  }

  @Test
  final void theOrderHoldsWithinEachShardOverSeveralCalls() {
    Sharded sharded = new Sharded(3, 60);
    at(63);
    Node all = sharded.node(Set.of(0, 1, 2));
    List<String> taken = new ArrayList<>();
    for (List<Claimed> claims = all.claim(7); !claims.isEmpty(); claims = all.claim(7)) {
      taken.addAll(ids(claims));
    }
    for (int shard = 0; shard < 3; shard++) {
      List<String> expected = sharded.idsOf(Set.of(shard));
      assertEquals(expected, taken.stream().filter(expected::contains).toList(), "shard " + shard);
    }
  }

  @Test
  final void nextSpeaksOfTheRequestedShards() {
    Sharded sharded = new Sharded(2, 16);
    for (int shard = 0; shard < 2; shard++) {
      assertEquals(moment(sharded.firstOf(shard)), sharded.node(Set.of(shard)).exchange(1).next());
    }
  }

  @Test
  final void noShardsHoldNothing() {
    node.schedule("a", in(0));
    Exchanged reply = node(QUEUE, QUEUE, Set.of()).exchange(1);
    assertEquals(List.of(), reply.claims());
    assertEquals(Due.NEVER, reply.next());
  }

  @Test
  final void aShardThatTheQueueDoesNotHaveIsRefusedBeforeAnythingIsDone() {
    node.schedule("a", in(0));
    Claimed claim = node.claim();
    for (int shard : new int[]{-1, 1}) {
      Node lost = node("node", QUEUE, Set.of(0, shard));
      assertThrows(IllegalArgumentException.class, () -> lost.exchange(1, Node.completed(claim)));
    }
    assertEquals(Settled.Verdict.APPLIED, node.complete(claim).verdict());
  }

  @Test
  final void aTaskKeepsItsShardThroughRetryAndLapse() {
    define("sharded", TaskId.SLOTS, ATTEMPTS);
    Set<Integer> shard = Set.of(TaskId.slot("a"));
    Node owner = node("node", "sharded", shard);
    owner.schedule("a", in(0));
    owner.retry(owner.claim(), 0);
    owner.claim();
    at(LEASE);
    assertEquals(List.of("a"), ids(owner.claim(1)));
  }

  @Test
  final void aQueueMayHaveAsManyShardsAsThereAreSlots() {
    define("wide", TaskId.SLOTS, ATTEMPTS);
    Node wide = node("node", "wide", IntStream.range(0, TaskId.SLOTS).boxed().collect(Collectors.toSet()));
    List<Write.Insert> inserts = IntStream.range(0, 20).mapToObj(i -> wide.insert("task-" + i, in(i))).toList();
    wide.write(inserts);
    at(10);
    Exchanged reply = wide.exchange(100);
    assertEquals(11, reply.claims().size());
    assertEquals(moment(11), reply.next());
  }

  @Test
  final void onlyTheRequestedQueueIsClaimed() {
    define("mails", 1, ATTEMPTS);
    Node mails = node("node", "mails", Set.of(0));
    mails.schedule("a", in(0));
    assertEquals(List.of(), node.claim(1));
    assertEquals(Due.NEVER, node.exchange(1).next());
    assertEquals(List.of("a"), ids(mails.claim(1)));
  }

  @Test
  final void aQueueThatIsNotDefinedIsRefusedBeforeAnythingIsDone() {
    schedule(1);
    Settlement completed = Node.completed(node.claim());
    Node lost = node("node", "unknown", Set.of(0));
    assertThrows(IllegalArgumentException.class, () -> lost.exchange(1, completed));
    assertEquals(TaskState.PROCESSING, state("task-0"));
  }

  // When to look again.

  @Test
  final void nextIsTheEarliestMomentAnythingWillBeDue() {
    assertEquals(Due.NEVER, node.exchange(1).next(), "an empty queue");
    node.schedule("late", in(HOUR));
    assertEquals(moment(HOUR), node.exchange(1).next());
    node.schedule("early", in(2 * SECOND));
    assertEquals(moment(2 * SECOND), node.exchange(1).next());
    node.move("early", in(SECOND));
    assertEquals(moment(SECOND), node.exchange(1).next());
    node.cancel("early");
    assertEquals(moment(HOUR), node.exchange(1).next());
  }

  @Test
  final void nextCountsTheEndsOfLeases() {
    node.schedule("a", in(0));
    node.schedule("b", in(HOUR));
    Exchanged reply = node.exchange(2);
    assertEquals(moment(LEASE), reply.next());
    at(SECOND);
    node.renew(reply.claims().get(0));
    assertEquals(moment(SECOND + LEASE), node.exchange(2).next());
    assertEquals(moment(HOUR), node.exchange(2, Node.completed(reply.claims().get(0))).next());
  }

  @Test
  final void nextIsNowIfMoreMayBeDue() {
    schedule(2);
    at(SECOND);
    Exchanged reply = node.exchange(1);
    assertEquals(moment(SECOND), reply.now());
    assertEquals(moment(SECOND), reply.next());
  }

  // Settling and claiming in one call.

  @Test
  final void whatWasSettledIsAnsweredAndTheNextAreHandedOut() {
    schedule(4);
    List<Claimed> first = node.claim(2);
    Exchanged reply = node.exchange(2, Node.completed(first.get(0)), Node.retried(first.get(1), HOUR));
    assertEquals(List.of(TaskState.COMPLETED, TaskState.WAITING),
        reply.settled().stream().map(Settled::state).toList());
    assertEquals(List.of(Due.NEVER, moment(HOUR)), reply.settled().stream().map(Settled::nextAt).toList());
    assertEquals(List.of("task-2", "task-3"), ids(reply.claims()));
  }

  @Test
  final void aTaskIsNeverHandedOutByTheCallThatSettledIt() {
    schedule(3);
    List<Claimed> claims = node.claim(3);
    Exchanged reply = node.exchange(3, Node.retried(claims.get(0), 0), Node.released(claims.get(1)));
    assertEquals(List.of(), reply.claims());
    assertEquals(moment(0), reply.next(), "but it is due at once");
    assertEquals(List.of("task-0", "task-1"), ids(node.claim(3)));
  }

  @Test
  final void whatWasJustSettledDoesNotHideWhatStandsBehindIt() {
    schedule(5);
    List<Claimed> claims = node.claim(3);
    Exchanged reply = node.exchange(2, claims.stream().map(Node::released).toArray(Settlement[]::new));
    assertEquals(List.of("task-3", "task-4"), ids(reply.claims()));
  }

  @Test
  final void aClaimIsSettledEvenIfItsLeaseEndedInTheMeantime() {
    schedule(1);
    Claimed claim = node.claim();
    at(LEASE + 1);
    Exchanged reply = node.exchange(1, Node.completed(claim));
    assertEquals(Settled.Verdict.APPLIED, reply.settled().get(0).verdict());
    assertEquals(List.of(), reply.claims());
    assertEquals(List.of(), reply.ended());
    assertOutcome(TaskState.COMPLETED, "done", "task-0");
    assertEquals(0, task("task-0").lapses());
  }

  @Test
  final void aThousandClaimsAreRenewedSettledAndFollowedByTheNextThousand() {
    schedule(2_000);
    List<Claimed> first = node.claim(1_000);
    assertEquals(Collections.nCopies(1_000, Renewed.RENEWED),
        store.renew(first.stream().map(node::held).toList(), LEASE).value());
    Exchanged reply = node.exchange(1_000, first.stream().map(Node::completed).toArray(Settlement[]::new));
    assertEquals(Set.of(TaskState.COMPLETED), new HashSet<>(reply.settled().stream().map(Settled::state).toList()));
    assertEquals(1_000, reply.claims().size());
    assertEquals("task-1000", reply.claims().get(0).id());
  }

  // Attempts.

  @Test
  final void attemptsCountUpAndTokensGrow() {
    schedule(1);
    long token = 0;
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      Claimed claim = node.claim();
      assertEquals(attempt, claim.attempt());
      assertTrue(claim.token() > token);
      token = claim.token();
      node.retry(claim, 0);
    }
    assertEquals(TaskState.FAILED, state("task-0"));
  }

  @Test
  final void aLoweredMaximumEndsATaskThatHasHadAsManyAttempts() {
    schedule(1);
    node.retry(node.claim(), 0);
    node.retry(node.claim(), 0);
    store.queues().update(settings(QUEUE, 1, 2));
    Exchanged reply = node.exchange(1);
    assertEquals(List.of(), reply.claims());
    assertEquals(TaskState.FAILED, ended(reply).state());
    assertEquals(2, ended(reply).attempt());
    assertEquals(TaskState.FAILED, state("task-0"));
  }

  @Test
  final void aRaisedMaximumAllowsMoreAttempts() {
    schedule(1);
    for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
      node.retry(node.claim(), 0);
    }
    store.queues().update(settings(QUEUE, 1, ATTEMPTS + 1));
    assertEquals(TaskState.WAITING, node.retry(node.claim(), 0).state());
    assertEquals(TaskState.FAILED, node.retry(node.claim(), 0).state());
  }

  /** Tasks {@code task-0} and on, due now. */
  private void schedule(int count) {
    node.write(IntStream.range(0, count).mapToObj(i -> node.insert("task-" + i, in(0))).toList());
  }

  /** A queue with several shards, whose tasks are due in another order than they came. */
  private final class Sharded {
    private final int shards;
    private final List<Write.Insert> inserts;

    Sharded(int shards, int count) {
      this.shards = shards;
      define("sharded", shards, ATTEMPTS);
      Node writer = node(Set.of());
      inserts = IntStream.range(0, count).mapToObj(i -> writer.insert("task-" + i, on((i * 37 + 5) % 64))).toList();
      writer.write(inserts);
    }

    Node node(Set<Integer> its) {
      return ClaimingContract.this.node("node " + its, "sharded", its);
    }

    /** In the order of their due times. */
    List<String> idsOf(Set<Integer> its) {
      return inserts.stream().filter(insert -> its.contains(shardOf(insert)))
          .sorted(Comparator.comparingLong(insert -> insert.due().millis())).map(Write.Insert::id).toList();
    }

    long firstOf(int shard) {
      return inserts.stream().filter(insert -> shardOf(insert) == shard).mapToLong(insert -> insert.due().millis())
          .min()
          .orElseThrow() - START;
    }

    private int shardOf(Write.Insert insert) {
      return TaskId.shard(TaskId.slot(insert.id()), shards);
    }
  }
}
