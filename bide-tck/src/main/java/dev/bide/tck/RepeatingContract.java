package dev.bide.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.ClaimRequest.Claimant;
import dev.bide.spi.Claimed;
import dev.bide.spi.Exchanged;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Reply;
import dev.bide.spi.Rules;
import dev.bide.spi.Settled;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.OnExisting;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Calls sent twice because a reply was lost, and copies that arrive when their sender has given up: each call has its
 * effect once or not at all.
 */
abstract class RepeatingContract extends StoreTest {

  // Writes.

  @Test
  final void aWriteSentTwiceHasItsEffectOnce() {
    node.schedule("a", in(HOUR));
    Stamp stamp = stamp(1);
    List<Written> first = store.write(extendA(), stamp).value();
    assertEquals(moment(HOUR + 1), first.get(0).dueAt());
    for (int copy = 0; copy < 3; copy++) {
      assertEquals(first, store.write(extendA(), stamp).value());
    }
    assertEquals(instant(HOUR + 1), task("a").dueAt());
  }

  @Test
  final void aRepeatedWriteIsAnsweredAsTheFirstTimeWhateverHappenedSince() {
    List<Write> inserts = List.of(node.insert("a", in(0), OnExisting.REUSE),
        node.insert("b", in(0), OnExisting.REPLACE));
    List<Written> first = store.write(inserts, stamp(1)).value();
    node.claim(2).forEach(node::complete);
    at(SECOND);
    assertEquals(first, store.write(inserts, stamp(1)).value());
    assertEquals(TaskState.COMPLETED, state("a"));
    assertEquals(TaskState.COMPLETED, state("b"));
    assertEquals(List.of(), node.claim(1), "no second life");
  }

  @Test
  final void aWriteIsKnownAgainAfterARestart() {
    node.schedule("a", in(HOUR));
    List<Written> first = store.write(extendA(), stamp(5)).value();
    restart();
    assertEquals(first, store.write(extendA(), stamp(5)).value());
    assertTrue(store.write(extendA(), stamp(4)).late());
    assertEquals(instant(HOUR + 1), task("a").dueAt());
  }

  @Test
  final void everyAnswerIsRemembered() {
    node.write(List.of(node.insert("kept", in(0)), node.insert("replaced", in(DAY)), node.insert("claimed", in(0)),
        node.insert("finished", in(0)), node.insert("moved", Due.at(1)), node.insert("cancelled", in(0))));
    node.cancel("finished");
    for (Claimed claim : node.claim(10)) {
      if (!claim.id().equals("claimed")) {
        node.retry(claim, HOUR);
      }
    }
    Due tooLate = new Due(Due.Base.INSTANT, 0, 0, 1, Due.Past.EXPIRE, 0, false);
    Due past = new Due(Due.Base.INSTANT, 0, 0, 1, Due.Past.REJECT, 0, false);
    List<Write> batch = List.of(node.insert("created", in(5)), node.insert("kept", in(0)),
        node.insert("replaced", Due.at(Due.LAST), OnExisting.REPLACE), node.insert("finished", in(0), OnExisting.FAIL),
        node.insert("claimed", in(0), OnExisting.REPLACE), new Write.Move(QUEUE, "moved", Due.at(0), "rule"),
        new Write.Cancel(QUEUE, "cancelled", "me"), node.insert("expired", tooLate), node.insert("past", past),
        new Write.Cancel(QUEUE, "unknown", "me"), new Write.Move(QUEUE, "unknown too", past, null));
    List<Written> first = store.write(batch, stamp(1)).value();
    assertEquals(List.of(Answer.CREATED, Answer.KEPT, Answer.REPLACED, Answer.EXISTS, Answer.REFUSED, Answer.DONE,
        Answer.CANCELLED, Answer.EXPIRED, Answer.PAST, Answer.NOT_FOUND, Answer.NOT_FOUND),
        first.stream().map(Written::answer).toList());
    assertEquals(first, store.write(batch, stamp(1)).value());
    List<Write> second = List.of(new Write.Cancel(QUEUE, "claimed", "me"), new Write.Cancel(QUEUE, "finished", "me"));
    List<Written> answers = store.write(second, stamp(2)).value();
    assertEquals(List.of(Answer.ALREADY_CLAIMED, Answer.ALREADY_FINISHED),
        answers.stream().map(Written::answer).toList());
    assertEquals(answers, store.write(second, stamp(2)).value());
    assertEquals(List.of(), store.write(List.of(), stamp(3)).value());
    assertEquals(List.of(), store.write(List.of(), stamp(3)).value());
  }

  @Test
  final void theAnswersOfAThousandWritesAreRemembered() {
    List<Write> batch = IntStream.range(0, 1_000)
        .mapToObj(i -> (Write) node.insert("task-" + i, in(i * 1_000_003L % DAY)))
        .toList();
    assertEquals(store.write(batch, stamp(1)).value(), store.write(batch, stamp(1)).value());
  }

  @Test
  final void aSmallerNumberIsLateAndDoesNothing() {
    node.schedule("a", in(HOUR));
    store.write(extendA(), stamp(7));
    Reply<List<Written>> reply = store.write(extendA(), stamp(6));
    assertTrue(reply.late());
    assertEquals(moment(0), reply.now());
    assertThrows(IllegalStateException.class, reply::value);
    assertEquals(instant(HOUR + 1), task("a").dueAt());
    assertFalse(store.write(extendA(), stamp(7)).late(), "the last call is still known");
  }

  @Test
  final void numbersMaySkip() {
    node.schedule("a", in(HOUR));
    for (long number : List.of(1L, 2L, 1_000L, Long.MAX_VALUE)) {
      assertFalse(store.write(extendA(), stamp(number)).late());
    }
    assertEquals(instant(HOUR + 4), task("a").dueAt());
  }

  @Test
  final void aWriteIsDoneUntilItsSenderHasGivenUpAndNotOneMillisecondAfter() {
    node.schedule("a", in(HOUR));
    at(SECOND);
    assertFalse(store.write(extendA(), stamp(1).until(moment(SECOND + 1))).late());
    assertFalse(store.write(extendA(), stamp(2).until(moment(SECOND))).late());
    assertTrue(store.write(extendA(), stamp(3).until(moment(SECOND - 1))).late());
    assertEquals(instant(HOUR + 2), task("a").dueAt());
  }

  @Test
  final void aLateWriteIsDoneWhenItIsSentAgain() {
    node.schedule("a", in(HOUR));
    assertTrue(store.write(extendA(), stamp(1).until(moment(-1))).late());
    assertFalse(store.write(extendA(), stamp(1)).late());
    assertEquals(instant(HOUR + 1), task("a").dueAt());
  }

  @Test
  final void aWriteThatWasDoneIsAnsweredEvenWhenItsSenderHasGivenUp() {
    node.schedule("a", in(HOUR));
    Stamp stamp = stamp(1).until(moment(SECOND));
    List<Written> first = store.write(extendA(), stamp).value();
    at(SECOND + 1);
    assertEquals(first, store.write(extendA(), stamp).value());
  }

  @Test
  final void streamsAndNodesCountApart() {
    node.schedule("a", in(HOUR));
    for (Stamp stamp : List.of(new Stamp("x", "y", 9, Node.FOREVER), new Stamp("x", "z", 9, Node.FOREVER),
        new Stamp("z", "y", 9, Node.FOREVER), new Stamp("xy", "", 1, Node.FOREVER),
        new Stamp("", "xy", 1, Node.FOREVER))) {
      assertFalse(store.write(extendA(), stamp).late());
    }
    assertEquals(instant(HOUR + 5), task("a").dueAt());
  }

  @Test
  final void aRefusedBatchMayBeSentAgainUnderItsNumberWhenItIsRight() {
    List<Write> wrong = List.of(node.insert("a", in(0)), node.insert("a", in(1)));
    assertThrows(IllegalArgumentException.class, () -> store.write(wrong, stamp(1)));
    assertEquals(Answer.CREATED, store.write(wrong.subList(0, 1), stamp(1)).value().get(0).answer());
  }

  @Test
  final void aCallThatIsRepeatedForLongIsNotForgotten() {
    node.schedule("a", in(HOUR));
    schedule(1);
    ClaimRequest request = node.request(1);
    List<Claimed> claims = node.exchange(request).claims();
    for (int copy = 0; copy < 4; copy++) {
      at(copy * (Rules.KEPT_MILLIS - 1));
      store.prune(QUEUE, 100);
      assertEquals(moment(HOUR + 1), store.write(extendA(), stamp(1)).value().get(0).dueAt());
      assertEquals(claims, node.exchange(request.again(Node.FOREVER)).claims());
    }
    assertEquals(instant(HOUR + 1), task("a").dueAt());
  }

  @Test
  final void aStreamIsKnownForAMinuteAndThenForgotten() {
    node.schedule("a", in(HOUR));
    store.write(extendA(), stamp(5));
    at(Rules.KEPT_MILLIS - 1);
    store.prune(QUEUE, 100);
    assertTrue(store.write(extendA(), stamp(4)).late());
    assertEquals(moment(HOUR + 1), store.write(extendA(), stamp(5)).value().get(0).dueAt());
    at(3 * Rules.KEPT_MILLIS);
    store.prune(QUEUE, 100);
    assertFalse(store.write(extendA(), stamp(4)).late(), "so what is kept does not grow with the nodes that ever were");
  }

  // Claims.

  @Test
  final void aClaimSentAgainHandsOutTheSameUnderTheSameTokens() {
    schedule(3);
    ClaimRequest request = node.request(2);
    List<Claimed> first = node.exchange(request).claims();
    at(SECOND);
    Exchanged again = node.exchange(request.again(Node.FOREVER));
    assertEquals(first, again.claims());
    assertFalse(again.late());
    Task task = task("task-0");
    assertEquals(1, task.attempt());
    assertEquals(1, task.claims());
    assertEquals(Optional.of(instant(SECOND + LEASE)), task.nextAt(), "the lease is prolonged");
    assertEquals(TaskState.WAITING, state("task-2"));
  }

  @Test
  final void aClaimIsKnownAgainAfterARestart() {
    schedule(2);
    ClaimRequest request = node.request(1);
    List<Claimed> first = node.exchange(request).claims();
    restart();
    assertEquals(first, node.exchange(request.again(Node.FOREVER)).claims());
    assertEquals(List.of("task-1"), ids(node.claim(2)));
  }

  @Test
  final void whatWasSettledInTheMeantimeIsLeftOut() {
    schedule(4);
    ClaimRequest request = node.request(4);
    List<Claimed> first = node.exchange(request).claims();
    other.complete(first.get(0));
    other.retry(first.get(2), 0);
    assertEquals(List.of(first.get(1), first.get(3)), node.exchange(request.again(Node.FOREVER)).claims());
  }

  @Test
  final void whatAnotherNodeTookInTheMeantimeIsLeftOut() {
    schedule(2);
    ClaimRequest request = node.request(2);
    List<Claimed> first = node.exchange(request).claims();
    at(SECOND);
    node.renew(first.get(1));
    at(LEASE);
    assertEquals(List.of("task-0"), ids(other.claim(2)));
    assertEquals(List.of(first.get(1)), node.exchange(request.again(Node.FOREVER)).claims());
    assertEquals(Optional.of("other"), task("task-0").node());
  }

  @Test
  final void ifNothingIsLeftTheRequestIsLateAndClaimsNothingForSomebodyWhoMayHaveHisAnswer() {
    schedule(2);
    ClaimRequest request = node.request(1);
    other.complete(node.exchange(request).claims().get(0));
    assertIsLate(request.again(Node.FOREVER), "task-1");
  }

  @Test
  final void aRequestThatFoundNothingIsLateWhenItIsSentAgain() {
    ClaimRequest request = node.request(1);
    assertEquals(List.of(), node.exchange(request).claims());
    schedule(1);
    assertIsLate(request.again(Node.FOREVER), "task-0");
  }

  private void assertIsLate(ClaimRequest again, String waiting) {
    Exchanged reply = node.exchange(again);
    assertTrue(reply.late());
    assertEquals(List.of(), reply.claims());
    assertEquals(TaskState.WAITING, state(waiting));
    assertEquals(List.of(waiting), ids(node.claim(1)), "the next request gets it");
  }

  @Test
  final void ifTheFirstCopyNeverCameTheSecondIsTheFirst() {
    schedule(2);
    List<Claimed> claims = node.exchange(node.request(1).again(Node.FOREVER)).claims();
    assertEquals(List.of("task-0"), ids(claims));
    assertEquals(1, claims.get(0).attempt());
  }

  @Test
  final void theFirstCopyThatComesAfterTheSecondClaimsNothing() {
    schedule(3);
    Claimed held = node.claim(1).get(0);
    ClaimRequest request = node.request(1);
    assertEquals(List.of("task-1"), ids(node.exchange(request.again(Node.FOREVER)).claims()));
    Exchanged first = node.exchange(request, Node.completed(held));
    assertTrue(first.late());
    assertEquals(List.of(), first.claims());
    assertEquals(Settled.Verdict.APPLIED, first.settled().get(0).verdict(), "its settlements count all the same");
    assertEquals(TaskState.WAITING, state("task-2"));
  }

  @Test
  final void aSmallerNumberClaimsNothing() {
    schedule(3);
    ClaimRequest old = node.request(1);
    Claimed held = node.claim(1).get(0);
    for (ClaimRequest copy : List.of(old, old.again(Node.FOREVER))) {
      Exchanged reply = node.exchange(copy, Node.completed(held));
      assertTrue(reply.late());
      assertEquals(List.of(), reply.claims());
    }
    assertEquals(TaskState.COMPLETED, state("task-0"));
    assertEquals(List.of("task-1"), ids(node.claim(1)));
  }

  @Test
  final void aSmallerNumberClaimsNothingAlsoAfterACallThatOnlySettled() {
    schedule(2);
    Claimed held = node.claim(1).get(0);
    ClaimRequest old = node.request(1);
    assertEquals(Settled.Verdict.APPLIED, node.complete(held).verdict());
    assertClaimsNothing(old);
  }

  @Test
  final void aSmallerNumberClaimsNothingAlsoAfterAPause() {
    schedule(2);
    assertEquals(1, node.claim(1).size());
    ClaimRequest old = node.request(1);
    store.queues().pause(QUEUE);
    assertEquals(List.of(), node.claim(1));
    store.queues().resume(QUEUE);
    assertClaimsNothing(old);
  }

  private void assertClaimsNothing(ClaimRequest old) {
    for (ClaimRequest copy : List.of(old, old.again(Node.FOREVER))) {
      Exchanged reply = node.exchange(copy);
      assertTrue(reply.late());
      assertEquals(List.of(), reply.claims());
    }
    assertEquals(TaskState.WAITING, state("task-1"));
  }

  @Test
  final void aClaimIsDoneUntilItsSenderHasGivenUpAndNotOneMillisecondAfter() {
    schedule(4);
    at(SECOND);
    Claimed held = node.claim(1).get(0);
    assertFalse(node.exchange(until(SECOND + 1)).late());
    assertFalse(node.exchange(until(SECOND)).late());
    Exchanged reply = node.exchange(until(SECOND - 1), Node.completed(held));
    assertTrue(reply.late());
    assertEquals(List.of(), reply.claims());
    assertEquals(Settled.Verdict.APPLIED, reply.settled().get(0).verdict(), "its settlements count all the same");
    assertEquals(TaskState.WAITING, state("task-3"));
  }

  @Test
  final void aLateClaimIsDoneWhenItIsSentAgain() {
    schedule(1);
    ClaimRequest request = until(-1);
    assertTrue(node.exchange(request).late());
    assertEquals(List.of("task-0"), ids(node.exchange(request.again(Node.FOREVER)).claims()));
  }

  @Test
  final void aClaimSentAgainShowsThatACancelCame() {
    schedule(1);
    ClaimRequest request = node.request(1);
    assertFalse(node.exchange(request).claims().get(0).cancelRequested());
    other.cancel("task-0");
    assertTrue(node.exchange(request.again(Node.FOREVER)).claims().get(0).cancelRequested());
  }

  @Test
  final void aClaimSentAgainRevivesALeaseThatRanOutUnnoticed() {
    schedule(1);
    ClaimRequest request = node.request(1);
    List<Claimed> first = node.exchange(request).claims();
    at(2 * LEASE);
    assertEquals(first, node.exchange(request.again(Node.FOREVER)).claims());
    assertEquals(List.of(), other.claim(1));
    assertEquals(0, task("task-0").lapses());
  }

  @Test
  final void theClaimsOfTwoNodesAreNotMixedUp() {
    schedule(2);
    ClaimRequest one = node.request(1);
    ClaimRequest two = other.request(1);
    List<Claimed> first = node.exchange(one).claims();
    List<Claimed> second = other.exchange(two).claims();
    assertEquals(first, node.exchange(one.again(Node.FOREVER)).claims());
    assertEquals(second, other.exchange(two.again(Node.FOREVER)).claims());
  }

  // Settlements.

  @Test
  final void aSettlementSentTwiceIsAppliedOnce() {
    schedule(4);
    List<Claimed> claims = node.claim(4);
    List<Settlement> settlements = List.of(Node.completed(claims.get(0)), Node.retried(claims.get(1), HOUR),
        Node.released(claims.get(2)), Node.failed(claims.get(3)));
    List<TaskState> states = List.of(TaskState.COMPLETED, TaskState.WAITING, TaskState.WAITING, TaskState.FAILED);
    for (int i = 0; i < 4; i++) {
      Settled first = node.settle(settlements.get(i));
      Task after = task("task-" + i);
      assertEquals(Settled.Verdict.APPLIED, first.verdict());
      Settled second = node.settle(settlements.get(i));
      assertEquals(new Settled(Settled.Verdict.REPEATED, states.get(i), first.nextAt()), second);
      assertEquals(after, task("task-" + i), "nothing changed");
    }
  }

  @Test
  final void aSecondSettlementOfAnotherKindChangesNothing() {
    schedule(1);
    Claimed claim = node.claim();
    node.complete(claim);
    assertEquals(new Settled(Settled.Verdict.REPEATED, TaskState.COMPLETED, Due.NEVER), node.fail(claim));
    assertOutcome(TaskState.COMPLETED, "done", "task-0");
  }

  @Test
  final void aSettlementIsKnownAgainAfterTheIdGotANewLife() {
    schedule(1);
    Claimed claim = node.claim();
    node.complete(claim);
    node.schedule("task-0", in(0), OnExisting.REUSE);
    assertEquals(new Settled(Settled.Verdict.REPEATED, TaskState.COMPLETED, Due.NEVER), node.complete(claim));
    Claimed next = node.claim();
    assertEquals(Settled.Verdict.REPEATED, node.complete(claim).verdict());
    assertEquals(Settled.Verdict.APPLIED, node.complete(next).verdict());
    assertEquals(Settled.Verdict.REPEATED, node.complete(claim).verdict());
    assertEquals(Settled.Verdict.REPEATED, node.complete(next).verdict());
  }

  @Test
  final void aSettlementIsKnownAgainAfterACancelEndedTheTask() {
    schedule(1);
    Claimed claim = node.claim();
    node.retry(claim, HOUR);
    other.cancel("task-0");
    assertEquals(new Settled(Settled.Verdict.REPEATED, TaskState.CANCELLED, Due.NEVER), node.retry(claim, HOUR));
  }

  @Test
  final void aSettlementIsKnownAgainAfterTheTaskWasReplaced() {
    schedule(1);
    Claimed claim = node.claim();
    node.retry(claim, HOUR);
    other.schedule("task-0", in(0), OnExisting.REPLACE);
    assertEquals(new Settled(Settled.Verdict.REPEATED, TaskState.CANCELLED, Due.NEVER), node.retry(claim, HOUR));
    assertEquals(1, node.claim().attempt());
  }

  @Test
  final void aSettlementIsKnownAgainAfterARestart() {
    schedule(2);
    List<Claimed> claims = node.claim(2);
    node.complete(claims.get(0));
    node.retry(claims.get(1), HOUR);
    restart();
    assertEquals(Settled.Verdict.REPEATED, node.complete(claims.get(0)).verdict());
    assertEquals(Settled.Verdict.REPEATED, node.retry(claims.get(1), HOUR).verdict());
  }

  @Test
  final void aSettlementIsKnownAgainForAMinuteEvenWithoutRetention() {
    store.queues().update(new QueueSettings(QUEUE, 1, ATTEMPTS, LEASE, 0, 0));
    schedule(2);
    List<Claimed> claims = node.claim(2);
    node.complete(claims.get(0));
    node.fail(claims.get(1));
    at(Rules.KEPT_MILLIS - 1);
    assertEquals(0, store.prune(QUEUE, 100).value());
    assertEquals(Settled.Verdict.REPEATED, node.complete(claims.get(0)).verdict());
    assertEquals(Settled.Verdict.REPEATED, node.fail(claims.get(1)).verdict());
  }

  @Test
  final void aSettlementAppliedAndClaimedSinceIsStale() {
    schedule(1);
    Claimed claim = node.claim();
    node.retry(claim, 0);
    other.claim();
    assertEquals(Settled.Verdict.STALE, node.retry(claim, 0).verdict());
    assertEquals(2, task("task-0").attempt());
  }

  @Test
  final void aWholeExchangeSentTwiceHasItsEffectOnce() {
    schedule(4);
    List<Claimed> held = node.claim(2);
    ClaimRequest request = node.request(1);
    Settlement[] settlements = {Node.completed(held.get(0)), Node.released(held.get(1))};
    Exchanged first = node.exchange(request, settlements);
    Exchanged again = node.exchange(request.again(Node.FOREVER), settlements);
    assertEquals(first.claims(), again.claims());
    assertEquals(List.of(Settled.Verdict.REPEATED, Settled.Verdict.REPEATED),
        again.settled().stream().map(Settled::verdict).toList());
    assertEquals(0, task("task-1").attempt());
  }

  private List<Write> extendA() {
    return List.of(node.extension("a", 1));
  }

  private static Stamp stamp(long number) {
    return new Stamp("caller", "writes", number, Node.FOREVER);
  }

  private ClaimRequest until(long millis) {
    return new ClaimRequest(QUEUE, Set.of(0), node.nextClaim().until(moment(millis)), false, 1, 0, false, LEASE,
        Claimant.OUTSIDE);
  }

  /** Tasks {@code task-0} and on, due now. */
  private void schedule(int count) {
    node.write(IntStream.range(0, count).mapToObj(i -> node.insert("task-" + i, in(0))).toList());
  }
}
