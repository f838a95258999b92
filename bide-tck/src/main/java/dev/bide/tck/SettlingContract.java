package dev.bide.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.bide.spi.Claimed;
import dev.bide.spi.End;
import dev.bide.spi.Ended;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Held;
import dev.bide.spi.Renewed;
import dev.bide.spi.Settled;
import dev.bide.spi.Settlement;
import dev.bide.task.Attempt;
import dev.bide.task.Due;
import dev.bide.task.OnExisting;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * How claims end: by their owner's word, by their lease, and never by the word of one who is not the owner any more.
 */
abstract class SettlingContract extends StoreTest {

  // By the owner's word.

  @Test
  final void aCompletedTaskKeepsItsOutcome() {
    Claimed claim = claimed();
    at(SECOND);
    Settled settled = node.settle(new Settlement("a", claim.seq(), claim.token(), End.COMPLETE, 0, "skipped: paid"));
    assertEquals(new Settled(Settled.Verdict.APPLIED, TaskState.COMPLETED, Due.NEVER), settled);
    assertOutcome(TaskState.COMPLETED, "skipped: paid", "a");
    assertEquals(Optional.empty(), task("a").node());
    assertEquals(instant(SECOND), task("a").updatedAt());
  }

  @Test
  final void aFailedTaskIsADeadLetterWhateverAttemptsAreLeft() {
    Settled settled = node.fail(claimed());
    assertEquals(new Settled(Settled.Verdict.APPLIED, TaskState.FAILED, Due.NEVER), settled);
    assertOutcome(TaskState.FAILED, "failed: no such order", "a");
    at(DAY);
    assertEquals(List.of(), node.claim(1));
  }

  @Test
  final void aRetryWaitsFromTheStoresNow() {
    Claimed claim = claimed();
    at(SECOND);
    Settled settled = node.retry(claim, MINUTE);
    assertEquals(new Settled(Settled.Verdict.APPLIED, TaskState.WAITING, moment(SECOND + MINUTE)), settled);
    assertEquals(instant(0), task("a").dueAt(), "the promise stays");
    assertEquals(instant(SECOND + MINUTE), task("a").readyAt());
    assertEquals(Optional.empty(), task("a").node());
    at(SECOND + MINUTE - 1);
    assertEquals(List.of(), node.claim(1));
    at(SECOND + MINUTE);
    Claimed again = node.claim();
    assertEquals(2, again.attempt());
    assertEquals(moment(SECOND + MINUTE), again.readyAt());
    assertEquals(moment(0), again.dueAt());
  }

  @Test
  final void theLongestRetryDelayIsNotEarly() {
    assertEquals(Due.LAST, node.retry(claimed(), Long.MAX_VALUE).nextAt());
    at(10_000 * DAY);
    assertEquals(List.of(), node.claim(1));
  }

  @Test
  final void aRetryOfTheLastAttemptFails() {
    node.schedule("a", in(0));
    for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
      assertEquals(TaskState.WAITING, node.retry(node.claim(), 0).state());
    }
    assertEquals(new Settled(Settled.Verdict.APPLIED, TaskState.FAILED, Due.NEVER), node.retry(node.claim(), 0));
    assertOutcome(TaskState.FAILED, "failed: no answer", "a");
    assertEquals(ATTEMPTS, task("a").attempt());
  }

  @Test
  final void aReleaseGivesTheAttemptBack() {
    node.schedule("a", in(0));
    at(SECOND);
    for (int round = 1; round <= ATTEMPTS + 2; round++) {
      Claimed claim = node.claim();
      assertEquals(1, claim.attempt());
      assertEquals(new Settled(Settled.Verdict.APPLIED, TaskState.WAITING, moment(SECOND)), node.release(claim));
      assertEquals(0, task("a").attempt());
      assertEquals(round, task("a").claims(), "claims are counted all the same");
    }
    assertEquals(instant(0), task("a").readyAt());
    assertEquals(List.of(), task("a").attempts(), "an attempt that did not happen is not in the history");
  }

  @Test
  final void aReleaseOfTheLastAttemptDoesNotFail() {
    node.schedule("a", in(0));
    for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
      node.retry(node.claim(), 0);
    }
    node.release(node.claim());
    assertEquals(ATTEMPTS, node.claim().attempt());
  }

  @Test
  final void aReleasedRetryIsReadyAsBefore() {
    node.retry(claimed(), MINUTE);
    at(HOUR);
    node.release(node.claim());
    assertEquals(instant(MINUTE), task("a").readyAt());
    assertEquals(Optional.of(instant(HOUR)), task("a").nextAt(), "nextAt is never before now");
    assertEquals(2, node.claim().attempt());
  }

  @Test
  final void settlementsOfACallAreJudgedOneByOne() {
    List.of("a", "b", "c").forEach(id -> node.schedule(id, in(0)));
    List<Claimed> claims = node.claim(3);
    node.complete(claims.get(1));
    Exchanged reply = node.exchange(0, Node.completed(claims.get(0)), Node.completed(claims.get(1)),
        withToken(claims.get(2), claims.get(2).token() + 1), Node.failed(claims.get(2)), Node.failed(claims.get(2)));
    assertEquals(
        List.of(Settled.Verdict.APPLIED, Settled.Verdict.REPEATED, Settled.Verdict.STALE, Settled.Verdict.APPLIED,
            Settled.Verdict.REPEATED),
        reply.settled().stream().map(Settled::verdict).toList());
  }

  // History.

  @Test
  final void eachAttemptIsKeptWithItsNodeItsTimesAndItsEnd() {
    node.schedule("a", in(0));
    at(1_000);
    Claimed first = node.claim();
    at(2_000);
    node.retry(first, 500);
    at(3_000);
    other.claim();
    at(3_000 + LEASE);
    assertEquals(List.of(), ids(node.exchange(node.request(1, 0, false)).claims()),
        "the lease is ended, no suspect taken");
    at(50_000);
    Claimed last = node.claim();
    at(51_000);
    node.complete(last);
    assertEquals(List.of(
        new Attempt(1, "node", instant(1_000), instant(2_000), "retry", Optional.of("no answer")),
        new Attempt(2, "other", instant(3_000), instant(3_000 + LEASE), "lease lost", Optional.empty()),
        new Attempt(3, "node", instant(50_000), instant(51_000), "done", Optional.empty())), task("a").attempts());
  }

  @Test
  final void aFailureIsKeptWithItsReason() {
    Claimed claim = claimed();
    at(SECOND);
    node.fail(claim);
    assertEquals(List.of(new Attempt(1, "node", instant(0), instant(SECOND), "failed", Optional.of("no such order"))),
        task("a").attempts());
  }

  @Test
  final void theLatestAttemptsAreKept() {
    store.queues().update(settings(QUEUE, 1, Integer.MAX_VALUE));
    node.schedule("a", in(0));
    int runs = Task.KEPT_ATTEMPTS + 3;
    for (int run = 0; run < runs; run++) {
      node.retry(node.claim(), 0);
    }
    List<Attempt> attempts = task("a").attempts();
    assertEquals(Task.KEPT_ATTEMPTS, attempts.size());
    assertEquals(4, attempts.get(0).number());
    assertEquals(runs, attempts.get(attempts.size() - 1).number());
    assertEquals(runs, task("a").attempt());
  }

  @Test
  final void aNoteComesBackAsItWasWritten() {
    Claimed claim = claimed();
    String why = "支付服务 says \"no\": 🎉\n\tat line 1";
    node.settle(new Settlement("a", claim.seq(), claim.token(), End.RETRY, 0, why));
    assertEquals(Optional.of(why), task("a").attempts().get(0).error());
    node.settle(new Settlement("a", claim.seq(), node.claim().token(), End.FAIL, 0, why));
    assertOutcome(TaskState.FAILED, "failed: " + why, "a");
  }

  // By the end of the lease.

  @Test
  final void aRunOutLeaseIsClaimedAgainAndNotOneMillisecondBefore() {
    Claimed claim = claimed();
    at(LEASE - 1);
    assertEquals(List.of(), other.claim(1));
    at(LEASE);
    Claimed next = other.claim();
    assertEquals("a", next.id());
    assertEquals(claim.seq(), next.seq());
    assertEquals(2, next.attempt(), "a lost lease costs an attempt");
    assertEquals(1, next.lapses());
    assertEquals(moment(0), next.readyAt());
    assertEquals(Optional.of("other"), task("a").node());
  }

  @Test
  final void aLostLeaseRaisesTheTokenAndSoDoesTheNextClaim() {
    Claimed claim = claimed();
    at(LEASE);
    Claimed next = other.claim();
    assertEquals(claim.token() + 2, next.token());
  }

  @Test
  final void leasesLostUseUpTheAttemptsAndEndTheTask() {
    node.schedule("a", in(0));
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      at(attempt * LEASE);
      assertEquals(attempt, node.claim().attempt());
    }
    at((ATTEMPTS + 1) * LEASE);
    Exchanged reply = node.exchange(1);
    assertEquals(List.of(), reply.claims());
    Ended ended = ended(reply);
    assertEquals("a", ended.id());
    assertEquals(TaskState.FAILED, ended.state());
    assertEquals(ATTEMPTS, ended.attempt());
    assertEquals(ATTEMPTS, ended.lapses());
    assertOutcome(TaskState.FAILED, ended.outcome(), "a");
    assertEquals(ATTEMPTS, task("a").claims());
    assertEquals(ATTEMPTS, task("a").lapses());
    assertEquals("failed: attempts used up (3), claimed 3 times, lease lost 3 times", ended.outcome());
    assertEquals(List.of(), node.exchange(1).ended(), "it is reported once");
  }

  @Test
  final void aDeadLetterSaysHowOftenItWasClaimedAndHowManyLeasesItLost() {
    node.schedule("a", in(0));
    node.release(node.claim());
    node.retry(node.claim(), 0);
    node.claim();
    at(LEASE);
    node.claim();
    at(2 * LEASE);
    assertEquals("failed: attempts used up (3), claimed 4 times, lease lost 2 times",
        ended(node.exchange(1)).outcome());
  }

  @Test
  final void aLeaseThatIsFoundRunOutIsLostEvenIfNobodyTakesTheTask() {
    Claimed claim = claimed();
    at(LEASE);
    assertEquals(List.of(), other.exchange(other.request(1, 0, false)).claims());
    assertEquals(TaskState.WAITING, state("a"));
    assertEquals(Settled.Verdict.STALE, node.complete(claim).verdict());
    assertEquals(Renewed.LOST, node.renew(claim));
  }

  @Test
  final void aLeaseThatRanOutUnnoticedIsStillGood() {
    List.of("a", "b", "c").forEach(id -> node.schedule(id, in(0)));
    List<Claimed> claims = node.claim(3);
    at(DAY);
    assertEquals(Settled.Verdict.APPLIED, node.complete(claims.get(0)).verdict());
    assertEquals(Settled.Verdict.APPLIED, node.retry(claims.get(1), HOUR).verdict());
    assertEquals(Renewed.RENEWED, node.renew(claims.get(2)));
    assertEquals(TaskState.COMPLETED, state("a"));
    assertEquals(0, task("b").lapses());
    assertEquals(List.of(), other.claim(1));
    at(DAY + LEASE);
    assertEquals(List.of("c"), ids(other.claim(3)));
  }

  // Renewing.

  @Test
  final void aRenewedLeaseEndsThatMuchLater() {
    Claimed claim = claimed();
    at(LEASE - 1);
    assertEquals(Renewed.RENEWED, node.renew(claim));
    assertEquals(Optional.of(instant(2 * LEASE - 1)), task("a").nextAt());
    at(2 * LEASE - 2);
    assertEquals(List.of(), other.claim(1));
    at(2 * LEASE - 1);
    assertEquals(List.of("a"), ids(other.claim(1)));
  }

  @Test
  final void aRenewalOnlyProlongs() {
    Claimed claim = claimed();
    assertEquals(Renewed.RENEWED, node.renew(claim, 1));
    assertEquals(Optional.of(instant(LEASE)), task("a").nextAt());
    assertEquals(Renewed.RENEWED, node.renew(claim, Long.MAX_VALUE));
    at(10_000 * DAY);
    assertEquals(List.of(), other.claim(1));
  }

  @Test
  final void renewalsAreAnsweredOneByOneAcrossQueues() {
    define("mails", 1, ATTEMPTS);
    Node mails = node("node", "mails", Set.of(0));
    List.of("a", "b", "c").forEach(id -> node.schedule(id, in(0)));
    mails.schedule("a", in(0));
    List<Claimed> claims = node.claim(3);
    Claimed mail = mails.claim();
    node.complete(claims.get(0));
    node.cancel("c");
    at(SECOND);
    assertEquals(List.of(Renewed.LOST, Renewed.RENEWED, Renewed.CANCEL_REQUESTED, Renewed.RENEWED),
        store.renew(
            List.of(node.held(claims.get(0)), node.held(claims.get(1)), node.held(claims.get(2)), mails.held(mail)),
            LEASE).value());
    assertEquals(Optional.of(instant(SECOND + LEASE)), task("b").nextAt());
    assertEquals(moment(SECOND + LEASE), mails.exchange(1).next());
    assertEquals(List.of(), store.renew(List.of(), LEASE).value());
  }

  @Test
  final void whatIsNotHeldIsNotRenewed() {
    Claimed claim = claimed();
    assertEquals(Renewed.LOST,
        store.renew(List.of(new Held(QUEUE, claim.seq(), claim.token() + 1)), DAY).value().get(0));
    assertEquals(Renewed.LOST,
        store.renew(List.of(new Held(QUEUE, claim.seq() + 1, claim.token())), DAY).value().get(0));
    assertEquals(Optional.of(instant(LEASE)), task("a").nextAt());
    node.release(claim);
    assertEquals(Renewed.LOST, node.renew(claim), "given back");
    assertEquals(Optional.of(instant(0)), task("a").nextAt());
    Claimed next = node.claim();
    node.complete(next);
    assertEquals(Renewed.LOST, node.renew(next), "finished");
  }

  // By one who is not the owner any more.

  @Test
  final void aStaleOwnerIsRefusedWhateverItSays() {
    Claimed old = claimed();
    at(LEASE);
    Claimed current = other.claim();
    Task before = task("a");
    for (Settlement settlement : everyEnd(old)) {
      Settled settled = node.settle(settlement);
      assertEquals(Settled.Verdict.STALE, settled.verdict(), () -> settlement.end() + " by the old owner");
      assertNull(settled.state());
      assertEquals(before, task("a"));
    }
    assertEquals(Renewed.LOST, node.renew(old, DAY));
    assertEquals(before, task("a"));
    assertEquals(Settled.Verdict.APPLIED, other.complete(current).verdict());
  }

  @Test
  final void anOwnerIsRefusedWhenItsLapsedTaskWasEnded() {
    Claimed old = claimed();
    at(LEASE);
    other.cancel("a");
    assertRefused(old);
    assertOutcome(TaskState.CANCELLED, "cancelled by other", "a");
  }

  @Test
  final void anOwnerIsRefusedWhenItsLapsedTaskWasMoved() {
    Claimed old = claimed();
    at(LEASE);
    other.move("a", in(HOUR));
    assertRefused(old);
    assertEquals(Optional.of(instant(LEASE + HOUR)), task("a").nextAt());
  }

  @Test
  final void anOwnerIsRefusedWhenItsLapsedTaskWasReplaced() {
    Claimed old = claimed();
    at(LEASE);
    other.schedule("a", in(0), OnExisting.REPLACE);
    assertRefused(old);
    assertEquals(1, other.claim().attempt());
  }

  @Test
  final void anOwnerIsRefusedWhenItsTaskFailedForLostLeases() {
    store.queues().update(settings(QUEUE, 1, 1));
    Claimed old = claimed();
    at(LEASE);
    assertEquals(1, other.exchange(1).ended().size());
    assertRefused(old);
    assertEquals(TaskState.FAILED, state("a"));
  }

  @Test
  final void anOwnerThatReleasedCannotCompleteWhatAnotherHolds() {
    Claimed old = claimed();
    node.release(old);
    other.claim();
    assertRefused(old);
  }

  @Test
  final void anOldOwnerHasNoSayInANewLifeOfTheId() {
    Claimed old = claimed();
    node.fail(old);
    other.schedule("a", in(0), OnExisting.REUSE);
    Claimed current = other.claim();
    assertNotEquals(old.seq(), current.seq());
    Task before = task("a");
    for (Settlement settlement : everyEnd(old)) {
      assertNotEquals(Settled.Verdict.APPLIED, node.settle(settlement).verdict());
      assertEquals(before, task("a"));
    }
    assertEquals(Renewed.LOST, node.renew(old, DAY));
    assertEquals(before, task("a"));
    assertEquals(Settled.Verdict.STALE, node.settle(withToken(old, old.token() + 1)).verdict());
  }

  @Test
  final void aClaimThatNeverWasIsRefused() {
    node.schedule("a", in(0));
    long seq = task("a").seq();
    for (Settlement settlement : List.of(new Settlement("a", seq, 1, End.COMPLETE, 0, "done"),
        new Settlement("a", seq + 1, 1, End.COMPLETE, 0, "done"),
        new Settlement("unknown", seq + 1, 1, End.COMPLETE, 0, "done"))) {
      assertEquals(new Settled(Settled.Verdict.STALE, null, Due.NEVER), node.settle(settlement));
    }
    assertEquals(TaskState.WAITING, state("a"));
  }

  private Claimed claimed() {
    node.schedule("a", in(0));
    return node.claim();
  }

  private void assertRefused(Claimed old) {
    Task before = task("a");
    for (Settlement settlement : everyEnd(old)) {
      assertEquals(Settled.Verdict.STALE, node.settle(settlement).verdict(),
          () -> settlement.end() + " by the old owner");
    }
    assertEquals(Renewed.LOST, node.renew(old));
    assertEquals(before, task("a"));
  }

  private static List<Settlement> everyEnd(Claimed claim) {
    return List.of(Node.completed(claim), Node.retried(claim, 0), Node.released(claim), Node.failed(claim));
  }

  private static Settlement withToken(Claimed claim, long token) {
    return new Settlement(claim.id(), claim.seq(), token, End.COMPLETE, 0, "done");
  }
}
