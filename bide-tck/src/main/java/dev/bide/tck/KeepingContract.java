package dev.bide.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.Claimed;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Reply;
import dev.bide.spi.Rules;
import dev.bide.spi.Settled;
import dev.bide.spi.TaskStore;
import dev.bide.spi.Write;
import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.OnExisting;
import dev.bide.task.Payload;
import dev.bide.task.Tag;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What a store keeps, for how long, how it is looked up, and that its clock never goes back. */
abstract class KeepingContract extends StoreTest {

  // Over a restart.

  @Test
  final void everyStateSurvivesARestart() {
    List<String> ids = List.of("completed", "failed", "cancelled", "retry", "processing", "asked to cancel",
        "released");
    node.write(ids.stream().map(id -> node.insert(id, in(0))).toList());
    List<Claimed> claims = node.claim(ids.size());
    at(SECOND);
    node.complete(claims.get(0));
    node.fail(claims.get(1));
    node.release(claims.get(2));
    other.cancel("cancelled");
    node.retry(claims.get(3), HOUR);
    other.cancel("asked to cancel");
    node.release(claims.get(6));
    node.write(List.of(
        new Write.Insert(QUEUE, "waiting", Payload.of(new byte[]{0, -1}),
            new Due(Due.Base.FROM_NOW, DAY, MINUTE, SECOND, Due.Past.RUN, 0, false), OnExisting.KEEP, "tomorrow",
            "Asia/Shanghai", List.of(new Tag("customer", "42"), new Tag("region", "东"))),
        node.insert("expired", new Due(Due.Base.INSTANT, 0, 0, 1, Due.Past.EXPIRE, 1, false))));
    List<String> all = Stream.concat(ids.stream(), Stream.of("waiting", "expired", "unknown")).toList();
    List<Optional<Task>> before = store.find(QUEUE, all).value();
    assertEquals(
        List.of(TaskState.COMPLETED, TaskState.FAILED, TaskState.CANCELLED, TaskState.WAITING, TaskState.PROCESSING,
            TaskState.PROCESSING, TaskState.WAITING, TaskState.WAITING, TaskState.CANCELLED),
        before.stream().flatMap(Optional::stream).map(Task::state).toList());
    restart();
    assertEquals(before, store.find(QUEUE, all).value());
  }

  @Test
  final void waitingGoesOnDuringARestart() {
    node.schedule("a", in(30 * MINUTE));
    at(10 * MINUTE);
    restart();
    at(30 * MINUTE - 1);
    assertEquals(List.of(), node.claim(1));
    at(30 * MINUTE);
    assertEquals("a", node.claim().id());
  }

  @Test
  final void claimsHoldOverARestart() {
    List.of("a", "b", "c").forEach(id -> node.schedule(id, in(0)));
    List<Claimed> claims = node.claim(3);
    restart();
    assertEquals(List.of(), other.claim(3));
    assertEquals(Settled.Verdict.APPLIED, node.complete(claims.get(0)).verdict());
    at(SECOND);
    node.renew(claims.get(1));
    restart();
    at(LEASE);
    Claimed next = other.claim();
    assertEquals("c", next.id());
    assertEquals(claims.get(2).token() + 2, next.token());
    assertEquals(1, next.lapses());
    restart();
    assertEquals(Settled.Verdict.STALE, node.complete(claims.get(2)).verdict());
    assertEquals(Settled.Verdict.APPLIED, other.complete(next).verdict());
  }

  @Test
  final void theOrderHoldsOverARestart() {
    node.schedule("first", on(SECOND));
    restart();
    node.schedule("second", on(SECOND));
    restart();
    node.schedule("third", on(SECOND));
    at(SECOND);
    assertEquals(List.of("first", "second"), ids(node.claim(2)));
    restart();
    assertEquals(List.of("third"), ids(node.claim(2)));
  }

  @Test
  final void aSeqIsNeverUsedAgain() {
    long seq = node.schedule("a", in(0)).seq();
    node.complete(node.claim());
    at(RETENTION);
    assertEquals(1, store.prune(QUEUE, 10).value());
    restart();
    long next = node.schedule("a", in(0)).seq();
    assertTrue(next > seq, () -> next + " after " + seq);
  }

  @Test
  final void suspectsAreKnownAfterARestart() {
    node.schedule("a", in(0));
    node.claim();
    at(LEASE);
    assertTrue(node.exchange(node.request(1, 0, false)).suspectsLeft());
    restart();
    assertEquals(List.of(), node.exchange(node.request(1, 0, false)).claims());
    assertTrue(node.exchange(node.request(1, 1, false)).claims().get(0).suspect());
  }

  // The clock.

  @Test
  final void everyReplyCarriesTheNowItWasDecidedWith() {
    at(5);
    assertEquals(moment(5), store.now());
    assertEquals(moment(5), store.write(List.of(), node.nextWrite()).now());
    assertEquals(moment(5), node.exchange(0).now());
    assertEquals(moment(5), node.exchange(1).now());
    assertEquals(moment(5), store.renew(List.of(), LEASE).now());
    assertEquals(moment(5), store.find(QUEUE, List.of()).now());
    assertEquals(moment(5), store.prune(QUEUE, 1).now());
  }

  @Test
  final void nowNeverGoesBack() {
    at(MINUTE);
    node.schedule("a", in(SECOND));
    at(0);
    assertEquals(moment(MINUTE), store.now());
    assertEquals(moment(MINUTE + 2 * SECOND), node.schedule("b", in(2 * SECOND)).dueAt());
    assertEquals(List.of(), node.claim(1));
    assertEquals(moment(MINUTE), node.exchange(0).now());
    at(MINUTE + SECOND);
    assertEquals("a", node.claim().id());
  }

  @Test
  final void nowDoesNotGoBackOverARestart() {
    at(MINUTE);
    node.schedule("a", in(0));
    at(0);
    restart();
    assertEquals(moment(MINUTE), store.now());
    assertEquals("a", node.claim().id());
  }

  // Looking up.

  @Test
  final void tasksAreFoundInTheOrderAskedFor() {
    List.of("a", "b", "c").forEach(id -> node.schedule(id, in(0)));
    node.cancel("b");
    Reply<List<Optional<Task>>> reply = store.find(QUEUE, List.of("c", "unknown", "b", "a", "A"));
    assertEquals(List.of("c", "-", "b", "a", "-"),
        reply.value().stream().map(found -> found.map(Task::id).orElse("-")).toList());
    assertEquals(List.of(), store.find(QUEUE, List.of()).value());
  }

  @Test
  final void aQueueThatIsNotDefinedHasNoTasksAndCannotBePruned() {
    assertEquals(List.of(Optional.empty()), store.find("unknown", List.of("a")).value());
    assertThrows(IllegalArgumentException.class, () -> store.prune("unknown", 1));
  }

  @Test
  final void aTaskIsFoundInItsQueueOnly() {
    define("mails", 1, ATTEMPTS);
    node.schedule("a", in(0));
    assertEquals(List.of(Optional.empty()), store.find("mails", List.of("a")).value());
  }

  @Test
  final void theLiveTaskIsFoundBeforeAFinishedOne() {
    node.schedule("a", in(0));
    node.complete(node.claim());
    assertEquals(TaskState.COMPLETED, state("a"));
    long seq = node.schedule("a", in(HOUR), OnExisting.REUSE).seq();
    assertEquals(TaskState.WAITING, state("a"));
    assertEquals(seq, task("a").seq());
    node.cancel("a");
    assertEquals(seq, task("a").seq(), "the latest of the finished ones");
    assertEquals(TaskState.CANCELLED, state("a"));
  }

  @Test
  final void readyRetryAndLapsedAreSeenAtTheMomentOfTheLook() {
    node.schedule("a", in(SECOND));
    assertFalse(task("a").ready());
    at(SECOND);
    assertTrue(task("a").ready());
    assertFalse(task("a").retry());
    node.retry(node.claim(), SECOND);
    assertTrue(task("a").retry());
    assertFalse(task("a").ready());
    at(2 * SECOND);
    node.claim();
    assertFalse(task("a").retry());
    at(2 * SECOND + LEASE);
    assertTrue(task("a").lapsed());
    assertEquals(instant(2 * SECOND + LEASE), task("a").seenAt());
    assertEquals(TaskState.PROCESSING, state("a"), "a look ends no lease");
    assertEquals(0, task("a").lapses());
  }

  @Test
  final void aThousandTasksAreFoundAtOnce() {
    List<String> ids = IntStream.range(0, 1_000).mapToObj(i -> "task-" + i).toList();
    node.write(ids.stream().map(id -> node.insert(id, in(0))).toList());
    node.claim(500).forEach(claim -> {});
    assertEquals(ids, store.find(QUEUE, ids).value().stream().map(found -> found.orElseThrow().id()).toList());
  }

  // Retention.

  @Test
  final void aFinishedTaskIsKeptForItsRetentionAndNotOneMillisecondLonger() {
    List.of("completed", "cancelled").forEach(id -> node.schedule(id, in(0)));
    Claimed claim = node.claim(1).get(0);
    at(SECOND);
    node.complete(claim);
    node.cancel("cancelled");
    at(SECOND + RETENTION - 1);
    assertEquals(0, store.prune(QUEUE, 10).value());
    assertEquals(TaskState.COMPLETED, state("completed"));
    assertEquals(TaskState.CANCELLED, state("cancelled"));
    at(SECOND + RETENTION);
    assertEquals(2, store.prune(QUEUE, 10).value());
    assertEquals(Optional.empty(), find("completed"));
    assertEquals(Optional.empty(), find("cancelled"));
    assertEquals(0, store.prune(QUEUE, 10).value());
  }

  @Test
  final void aDeadLetterIsKeptForARetentionOfItsOwn() {
    node.schedule("a", in(0));
    node.fail(node.claim());
    at(DEAD_RETENTION - 1);
    assertEquals(0, store.prune(QUEUE, 10).value());
    assertEquals(TaskState.FAILED, state("a"));
    at(DEAD_RETENTION);
    assertEquals(1, store.prune(QUEUE, 10).value());
    assertEquals(Optional.empty(), find("a"));
  }

  @Test
  final void aLifeThatWasRevivedIsNoDeadLetterAgainWhenTheNextOneIsDropped() {
    store.queues().update(new QueueSettings(QUEUE, 1, ATTEMPTS, LEASE, 10 * DEAD_RETENTION, DEAD_RETENTION));
    node.schedule("a", in(0));
    node.fail(node.claim());
    node.write(new Write.Revive(QUEUE, "a"));
    node.fail(node.claim());
    at(DEAD_RETENTION);
    assertEquals(1, store.prune(QUEUE, 10).value());
    assertEquals(Answer.NOT_FAILED, node.write(new Write.Revive(QUEUE, "a")).answer());
    assertEquals(0, store.counts(List.of(QUEUE)).value().get(0).failed());
  }

  @Test
  final void theRetentionIsTheOneThatHoldsNow() {
    node.schedule("a", in(0));
    node.complete(node.claim());
    store.queues().update(new QueueSettings(QUEUE, 1, ATTEMPTS, LEASE, HOUR, DEAD_RETENTION));
    at(HOUR);
    assertEquals(1, store.prune(QUEUE, 10).value());
  }

  @Test
  final void nothingIsDroppedInTheMinuteAfterItsEnd() {
    store.queues().update(new QueueSettings(QUEUE, 1, ATTEMPTS, LEASE, 0, 0));
    List.of("a", "b", "c").forEach(id -> node.schedule(id, in(0)));
    node.cancel("a");
    List<Claimed> claims = node.claim(2);
    node.complete(claims.get(0));
    node.fail(claims.get(1));
    at(Rules.KEPT_MILLIS - 1);
    assertEquals(0, store.prune(QUEUE, 10).value());
    at(Rules.KEPT_MILLIS + 1);
    assertEquals(3, store.prune(QUEUE, 10).value());
  }

  @Test
  final void whatIsNotFinishedIsNeverDropped() {
    List.of("waiting", "claimed", "retried").forEach(id -> node.schedule(id, in(0)));
    List<Claimed> claims = node.claim(3);
    node.release(claims.get(0));
    node.retry(claims.get(2), 0);
    at(100 * DEAD_RETENTION);
    assertEquals(0, store.prune(QUEUE, 10).value());
    assertEquals(3,
        store.find(QUEUE, List.of("waiting", "claimed", "retried")).value().stream().flatMap(Optional::stream).count());
  }

  @Test
  final void noMoreAreDroppedThanTheLimit() {
    node.write(IntStream.range(0, 7).mapToObj(i -> node.insert("task-" + i, in(0))).toList());
    List<Claimed> claims = node.claim(7);
    claims.subList(0, 4).forEach(node::complete);
    claims.subList(4, 7).forEach(node::fail);
    at(DEAD_RETENTION);
    assertEquals(5, store.prune(QUEUE, 5).value());
    assertEquals(2, store.prune(QUEUE, 5).value());
    assertEquals(0, store.prune(QUEUE, 5).value());
  }

  @Test
  final void onlyTheNamedQueueIsPruned() {
    define("mails", 1, ATTEMPTS);
    Node mails = node("node", "mails", Set.of(0));
    node.schedule("a", in(0));
    mails.schedule("a", in(0));
    node.complete(node.claim());
    mails.complete(mails.claim());
    at(RETENTION);
    assertEquals(1, store.prune("mails", 10).value());
    assertEquals(TaskState.COMPLETED, state("a"));
    assertEquals(List.of(Optional.empty()), store.find("mails", List.of("a")).value());
  }

  @Test
  final void anIdIsFreeAgainWhenItsLivesAreDropped() {
    node.schedule("a", in(0));
    Claimed claim = node.claim();
    node.complete(claim);
    at(RETENTION);
    store.prune(QUEUE, 10);
    assertEquals(Answer.NOT_FOUND, node.cancel("a").answer());
    assertEquals(Answer.CREATED, node.schedule("a", in(0), OnExisting.FAIL).answer());
    assertEquals(Settled.Verdict.STALE, node.complete(claim).verdict());
    assertEquals("a", node.claim().id());
  }

  @Test
  final void earlierLivesAreDroppedAndTheLatestStays() {
    node.schedule("a", in(0));
    node.complete(node.claim());
    at(RETENTION - 1);
    node.schedule("a", in(0), OnExisting.REUSE);
    node.fail(node.claim());
    at(RETENTION);
    assertEquals(1, store.prune(QUEUE, 10).value());
    assertEquals(TaskState.FAILED, state("a"));
    assertEquals(Answer.KEPT, node.schedule("a", in(0)).answer());
  }

  // Queues.

  @Test
  final void aQueueIsDefinedOnce() {
    QueueSettings wanted = new QueueSettings("mails", 7, 5, 4, 3, 2);
    assertEquals(Optional.empty(), store.queues().find("mails"));
    assertEquals(wanted, store.queues().define(wanted));
    assertEquals(wanted, store.queues().define(new QueueSettings("mails", 1, 1, 1, 1, 1)), "what is stored holds");
    assertEquals(Optional.of(wanted), store.queues().find("mails"));
    assertEquals(Optional.of(settings(QUEUE, 1, ATTEMPTS)), store.queues().find(QUEUE));
  }

  @Test
  final void aQueueIsUpdatedButKeepsItsShards() {
    QueueSettings wanted = new QueueSettings(QUEUE, 1, Integer.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, 0);
    assertEquals(wanted, store.queues().update(wanted));
    assertEquals(Optional.of(wanted), store.queues().find(QUEUE));
    assertEquals(wanted, define(QUEUE, 1, ATTEMPTS));
    assertThrows(IllegalArgumentException.class, () -> store.queues().update(settings(QUEUE, 2, ATTEMPTS)));
    assertEquals(Optional.of(wanted), store.queues().find(QUEUE));
    assertEquals(0, store.prune(QUEUE, 10).value(), "the longest retention is no overflow");
  }

  @Test
  final void aQueueThatIsNotDefinedCannotBeUpdated() {
    assertThrows(IllegalArgumentException.class, () -> store.queues().update(settings("unknown", 1, ATTEMPTS)));
    assertEquals(Optional.empty(), store.queues().find("unknown"));
  }

  @Test
  final void queueNamesAreComparedByteForByteAndOnesOwnMayBeReserved() {
    define("Orders", 2, ATTEMPTS);
    define("~schedules", 3, ATTEMPTS);
    define("a.b_c:d+e/f;g$h(i)-j", 4, ATTEMPTS);
    define("q".repeat(128), 5, ATTEMPTS);
    List<Integer> shards = Stream.of(QUEUE, "Orders", "~schedules", "a.b_c:d+e/f;g$h(i)-j", "q".repeat(128))
        .map(name -> store.queues().find(name).orElseThrow().shards()).toList();
    assertEquals(List.of(1, 2, 3, 4, 5), shards);
  }

  @Test
  final void queuesSurviveARestart() {
    QueueSettings wanted = store.queues().update(new QueueSettings(QUEUE, 1, 9, 8, 7, 6));
    define("mails", 1_024, ATTEMPTS);
    restart();
    assertEquals(Optional.of(wanted), store.queues().find(QUEUE));
    assertEquals(Optional.of(settings("mails", 1_024, ATTEMPTS)), store.queues().find("mails"));
    assertEquals(Answer.CREATED, node.schedule("a", in(0)).answer());
  }

  // The end.

  @Test
  final void aClosedStoreRefusesEveryCall() {
    TaskStore closed = store;
    List<Executable> calls = List.of(() -> closed.write(List.of(), node.nextWrite()),
        () -> closed.exchange(List.of(), node.request(0)), () -> closed.exchange(List.of(), node.request(1)),
        () -> closed.renew(List.of(), LEASE), () -> closed.find(QUEUE, List.of("a")), () -> closed.prune(QUEUE, 1),
        () -> closed.queues().find(QUEUE), () -> closed.queues().define(settings(QUEUE, 1, 1)),
        () -> closed.queues().update(settings(QUEUE, 1, 1)), closed::now);
    closed.close();
    closed.close();
    calls.forEach(call -> assertThrows(IllegalStateException.class, call));
  }
}
