package dev.bide.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.Claimed;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Renewed;
import dev.bide.spi.Settled;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.OnExisting;
import dev.bide.task.Payload;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Cancel, move and extend: what they do to a task in each state, and what they answer. */
abstract class ChangingContract extends StoreTest {

  // In each state. Three tasks each: one is cancelled, one moved, one extended.

  @Test
  final void anUnknownTaskIsNotFound() {
    assertAnswers(null, Answer.NOT_FOUND, Answer.NOT_FOUND);
    assertEquals(Optional.empty(), find("cancel"));
  }

  @Test
  final void aWaitingTaskIsChanged() {
    node.write(three(in(HOUR)));
    assertAnswers(TaskState.WAITING, Answer.CANCELLED, Answer.DONE);
  }

  @Test
  final void aReadyTaskIsChanged() {
    node.write(three(in(0)));
    assertAnswers(TaskState.WAITING, Answer.CANCELLED, Answer.DONE);
    assertEquals(List.of(), node.claim(3), "what was moved later waits again");
  }

  @Test
  final void aTaskThatWaitsForARetryIsChanged() {
    node.write(three(in(0)));
    node.claim(3).forEach(claim -> node.retry(claim, HOUR));
    assertAnswers(TaskState.WAITING, Answer.CANCELLED, Answer.DONE);
    assertEquals(1, task("move").attempt(), "its attempts count on");
  }

  @Test
  final void aTaskInProcessIsLeftToItsOwner() {
    node.write(three(in(0)));
    List<Claimed> claims = node.claim(3);
    at(LEASE - 1);
    Task before = task("move");
    assertAnswers(TaskState.PROCESSING, Answer.ALREADY_CLAIMED, Answer.ALREADY_CLAIMED);
    assertEquals(before, task("move"));
    claims.forEach(claim -> assertEquals(Settled.Verdict.APPLIED, node.complete(claim).verdict()));
  }

  @Test
  final void aLapsedTaskIsChangedAndItsOldOwnerRefused() {
    node.write(three(in(0)));
    List<Claimed> claims = node.claim(3);
    at(LEASE);
    assertAnswers(TaskState.PROCESSING, Answer.CANCELLED, Answer.DONE);
    assertEquals(1, task("cancel").lapses());
    assertEquals(1, task("move").lapses());
    for (Claimed claim : claims) {
      assertEquals(Renewed.LOST, node.renew(claim));
      assertEquals(Settled.Verdict.STALE, node.complete(claim).verdict());
    }
    assertOutcome(TaskState.CANCELLED, "cancelled by node", "cancel");
    assertEquals(TaskState.WAITING, state("move"));
  }

  @Test
  final void aCompletedTaskStaysAsItIs() {
    node.write(three(in(0)));
    node.claim(3).forEach(node::complete);
    assertAnswers(TaskState.COMPLETED, Answer.ALREADY_FINISHED, Answer.ALREADY_FINISHED);
    assertOutcome(TaskState.COMPLETED, "done", "cancel");
    assertOutcome(TaskState.COMPLETED, "done", "move");
  }

  @Test
  final void aFailedTaskStaysAsItIs() {
    node.write(three(in(0)));
    node.claim(3).forEach(node::fail);
    assertAnswers(TaskState.FAILED, Answer.ALREADY_FINISHED, Answer.ALREADY_FINISHED);
    assertEquals(TaskState.FAILED, state("cancel"));
    assertEquals(TaskState.FAILED, state("move"));
  }

  @Test
  final void aCancelledTaskStaysAsItIs() {
    node.write(three(in(0)));
    List.of("cancel", "move", "extend").forEach(other::cancel);
    assertAnswers(TaskState.CANCELLED, Answer.ALREADY_FINISHED, Answer.ALREADY_FINISHED);
    assertOutcome(TaskState.CANCELLED, "cancelled by other", "cancel");
  }

  // Cancel.

  @Test
  final void aCancelledTaskIsNeverHandedOut() {
    node.schedule("a", in(0));
    Written written = node.cancel("a");
    assertEquals(Answer.CANCELLED, written.answer());
    assertEquals(Due.NEVER, written.nextAt());
    assertOutcome(TaskState.CANCELLED, "cancelled by node", "a");
    assertEquals(List.of(), node.claim(1));
    at(DAY);
    assertEquals(List.of(), node.claim(1));
  }

  @Test
  final void cancelEndsTheLiveTaskAndLeavesTheFinishedLives() {
    node.schedule("a", in(0));
    node.complete(node.claim());
    node.schedule("a", in(HOUR), OnExisting.REUSE);
    assertEquals(Answer.CANCELLED, node.cancel("a").answer());
    assertEquals(Answer.ALREADY_FINISHED, node.cancel("a").answer());
    assertEquals(TaskState.CANCELLED, state("a"));
  }

  @Test
  final void cancelOfATaskInProcessLeavesItsOwnerARequest() {
    node.schedule("a", in(0));
    Claimed claim = node.claim();
    assertFalse(claim.cancelRequested());
    assertEquals(Renewed.RENEWED, node.renew(claim));
    assertEquals(Answer.ALREADY_CLAIMED, other.cancel("a").answer());
    assertTrue(task("a").cancelRequested());
    assertEquals(Renewed.CANCEL_REQUESTED, node.renew(claim));
    assertEquals(Renewed.CANCEL_REQUESTED, node.renew(claim), "it is told each time");
    assertEquals(TaskState.PROCESSING, state("a"));
  }

  @Test
  final void ifTheOwnerCompletesAllTheSameTheTaskIsCompleted() {
    Claimed claim = claimedAndAskedToCancel();
    assertEquals(TaskState.COMPLETED, node.complete(claim).state());
    assertOutcome(TaskState.COMPLETED, "done", "a");
  }

  @Test
  final void ifTheOwnerDoesAnythingElseTheTaskIsCancelled() {
    assertEquals(TaskState.CANCELLED, node.retry(claimedAndAskedToCancel(), 0).state());
    assertOutcome(TaskState.CANCELLED, "cancelled by other", "a");
    assertEquals(TaskState.CANCELLED, node.release(claimedAndAskedToCancel()).state());
    assertOutcome(TaskState.CANCELLED, "cancelled by other", "a");
    assertEquals(TaskState.CANCELLED, node.fail(claimedAndAskedToCancel()).state());
    assertOutcome(TaskState.CANCELLED, "cancelled by other", "a");
    assertEquals(List.of(), node.claim(1));
  }

  @Test
  final void ifTheOwnerIsGoneTheNextClaimCancelsIt() {
    claimedAndAskedToCancel();
    at(LEASE);
    Exchanged reply = node.exchange(1);
    assertEquals(List.of(), reply.claims());
    assertEquals("a", ended(reply).id());
    assertEquals(TaskState.CANCELLED, ended(reply).state());
    assertOutcome(TaskState.CANCELLED, "cancelled by other", "a");
  }

  @Test
  final void ifTheOwnerIsGoneACallersChangeFindsTheTaskCancelled() {
    claimedAndAskedToCancel();
    at(LEASE);
    assertEquals(Answer.ALREADY_FINISHED, node.move("a", in(HOUR)).answer());
    assertOutcome(TaskState.CANCELLED, "cancelled by other", "a");
    assertEquals(List.of(), node.exchange(1).ended(), "it has ended before");
    claimedAndAskedToCancel();
    at(2 * LEASE);
    assertEquals(Answer.CANCELLED, node.cancel("a").answer());
    assertOutcome(TaskState.CANCELLED, "cancelled by other", "a");
    assertEquals(List.of(), node.exchange(1).ended(), "it has ended before");
    claimedAndAskedToCancel();
    at(3 * LEASE);
    assertEquals(Answer.CREATED, node.schedule("a", in(HOUR), OnExisting.REPLACE).answer());
    assertEquals(TaskState.WAITING, state("a"));
    assertEquals(List.of(), node.exchange(1).ended(), "it has ended before");
  }

  @Test
  final void theFirstWhoAskedIsNamed() {
    Claimed claim = claimedAndAskedToCancel();
    node.cancel("a");
    node.release(claim);
    assertOutcome(TaskState.CANCELLED, "cancelled by other", "a");
  }

  @Test
  final void aNewLifeDoesNotInheritTheRequest() {
    node.release(claimedAndAskedToCancel());
    node.schedule("a", in(0), OnExisting.REUSE);
    Claimed claim = node.claim();
    assertFalse(claim.cancelRequested());
    assertEquals(Renewed.RENEWED, node.renew(claim));
  }

  // Move.

  @Test
  final void moveCountsFromNow() {
    node.schedule("a", in(30 * MINUTE));
    at(29 * MINUTE);
    Written written = node.move("a", in(30 * MINUTE));
    assertEquals(Answer.DONE, written.answer());
    assertEquals(moment(59 * MINUTE), written.dueAt());
    assertEquals(moment(59 * MINUTE), written.nextAt());
    assertHandedOutAt(59 * MINUTE);
  }

  @Test
  final void moveMayBringATaskForward() {
    node.schedule("a", in(HOUR));
    node.move("a", on(SECOND));
    assertHandedOutAt(SECOND);
  }

  @Test
  final void aMovedTaskTakesItsNewPlaceInTheOrder() {
    List.of("a", "b", "c").forEach(id -> node.schedule(id, in(10)));
    node.move("a", on(11));
    node.move("c", on(9));
    at(11);
    assertEquals(List.of("c", "b", "a"), ids(node.claim(3)));
  }

  @Test
  final void moveIntoThePastIsReadyAtOnceAndKeepsTheDueTime() {
    node.schedule("a", in(HOUR));
    Written written = node.move("a", on(-SECOND));
    assertEquals(moment(-SECOND), written.dueAt());
    assertEquals(moment(0), written.nextAt());
    assertEquals("a", node.claim().id());
  }

  @Test
  final void moveIntoThePastIsRefusedIfTheCallerSaysSo() {
    node.schedule("a", in(HOUR));
    Task before = task("a");
    Written written = node.move("a", new Due(Due.Base.INSTANT, moment(-1), 0, 1, Due.Past.REJECT, 0, false));
    assertEquals(Answer.PAST, written.answer());
    assertEquals(before, task("a"));
    assertEquals(Answer.DONE,
        node.move("a", new Due(Due.Base.INSTANT, moment(0), 0, 1, Due.Past.REJECT, 0, false)).answer());
  }

  @Test
  final void moveTooFarIntoThePastEndsTheTask() {
    node.schedule("a", in(HOUR));
    assertEquals(Answer.DONE,
        node.move("a", new Due(Due.Base.INSTANT, moment(-5), 0, 1, Due.Past.EXPIRE, 5, false)).answer());
    Written written = node.move("a", new Due(Due.Base.INSTANT, moment(-6), 0, 1, Due.Past.EXPIRE, 5, false));
    assertEquals(Answer.EXPIRED, written.answer());
    assertEquals(Due.NEVER, written.nextAt());
    assertOutcome(TaskState.CANCELLED, "expired", "a");
    assertEquals(List.of(), node.claim(1));
  }

  @Test
  final void onlyLaterKeepsTheLaterDueTime() {
    node.schedule("a", in(2 * DAY));
    Task before = task("a");
    assertEquals(Answer.DONE, node.move("a", onlyLater(2 * DAY - 1)).answer());
    assertEquals(before, task("a"));
    assertEquals(Answer.DONE, node.move("a", onlyLater(2 * DAY)).answer());
    assertEquals(before, task("a"));
    assertEquals(moment(2 * DAY), node.move("a", onlyLater(DAY)).dueAt(), "the answer carries the due time that holds");
    assertEquals(moment(2 * DAY + 1), node.move("a", onlyLater(2 * DAY + 1)).dueAt());
  }

  @Test
  final void moveBringsItsOwnBufferTierAndRule() {
    node.write(
        new Write.Insert(QUEUE, "a", Payload.EMPTY, new Due(Due.Base.FROM_NOW, HOUR, MINUTE, 1, Due.Past.RUN, 0, false),
            OnExisting.KEEP, "at ten", null, List.of()));
    node.write(
        new Write.Move(QUEUE, "a", new Due(Due.Base.FROM_NOW, 1_500, 100, SECOND, Due.Past.RUN, 0, false), "at noon"));
    assertEquals(instant(1_500), task("a").dueAt());
    assertEquals(instant(2_000), task("a").readyAt());
    assertEquals(Optional.of("at noon"), task("a").rule());
    node.move("a", in(SECOND));
    assertEquals(instant(SECOND), task("a").readyAt());
    assertEquals(Optional.empty(), task("a").rule());
  }

  @Test
  final void moveMayBringARetryForward() {
    node.schedule("a", in(0));
    node.retry(node.claim(), HOUR);
    node.move("a", in(SECOND));
    at(SECOND);
    assertEquals(2, node.claim().attempt());
  }

  // Extend.

  @Test
  final void extendCountsFromTheOldDueTime() {
    node.schedule("a", in(30 * MINUTE));
    at(29 * MINUTE);
    Written written = node.extend("a", 30 * MINUTE);
    assertEquals(Answer.DONE, written.answer());
    assertEquals(moment(60 * MINUTE), written.dueAt());
    assertHandedOutAt(60 * MINUTE);
  }

  @Test
  final void aReadyTaskThatIsExtendedWaitsAgain() {
    node.schedule("a", in(30 * MINUTE));
    at(33 * MINUTE + 20 * SECOND);
    assertEquals(moment(40 * MINUTE), node.extend("a", 10 * MINUTE).dueAt());
    assertHandedOutAt(40 * MINUTE);
  }

  @Test
  final void aReadyTaskThatIsExtendedTooLittleStaysReady() {
    node.schedule("a", in(30 * MINUTE));
    at(33 * MINUTE + 20 * SECOND);
    Written written = node.extend("a", 100 * SECOND);
    assertEquals(moment(31 * MINUTE + 40 * SECOND), written.dueAt());
    assertEquals(moment(33 * MINUTE + 20 * SECOND), written.nextAt());
    assertEquals(moment(31 * MINUTE + 40 * SECOND), node.claim().dueAt());
  }

  @Test
  final void extendKeepsBufferAndRule() {
    node.write(
        new Write.Insert(QUEUE, "a", Payload.EMPTY, new Due(Due.Base.FROM_NOW, HOUR, MINUTE, 1, Due.Past.RUN, 0, false),
            OnExisting.KEEP, "at ten", null, List.of()));
    assertEquals(moment(HOUR + SECOND), node.extend("a", SECOND).dueAt());
    assertEquals(instant(HOUR + SECOND + MINUTE), task("a").readyAt());
    assertEquals(Optional.of("at ten"), task("a").rule());
  }

  @Test
  final void extendNeverBringsARetryForward() {
    node.schedule("a", in(0));
    node.retry(node.claim(), HOUR);
    Written little = node.extend("a", MINUTE);
    assertEquals(moment(MINUTE), little.dueAt());
    assertEquals(moment(HOUR), little.nextAt());
    assertEquals(instant(HOUR), task("a").readyAt());
    Written much = node.extend("a", 2 * HOUR);
    assertEquals(moment(2 * HOUR + MINUTE), much.dueAt());
    assertEquals(moment(2 * HOUR + MINUTE), much.nextAt());
  }

  @Test
  final void changesOfABatchAreMadeOneByOne() {
    node.write(three(in(HOUR)));
    List<Written> answers = node.write(List.of(new Write.Move(QUEUE, "unknown", in(0), null),
        new Write.Cancel(QUEUE, "cancel", "me"), new Write.Move(QUEUE, "move", in(0), null)));
    assertEquals(List.of(Answer.NOT_FOUND, Answer.CANCELLED, Answer.DONE),
        answers.stream().map(Written::answer).toList());
    assertOutcome(TaskState.CANCELLED, "cancelled by me", "cancel");
    assertEquals("move", node.claim().id());
  }

  private List<Write.Insert> three(Due due) {
    return List.of(node.insert("cancel", due), node.insert("move", due), node.insert("extend", due));
  }

  private void assertAnswers(@Nullable TaskState found, Answer toCancel, Answer toChange) {
    assertAnswer(found, toCancel, node.cancel("cancel"));
    assertAnswer(found, toChange, node.move("move", in(DAY)));
    assertAnswer(found, toChange, node.extend("extend", DAY));
  }

  private static void assertAnswer(@Nullable TaskState found, Answer expected, Written written) {
    assertEquals(expected, written.answer());
    assertEquals(found, written.found());
  }

  private Claimed claimedAndAskedToCancel() {
    node.schedule("a", in(0), OnExisting.REUSE);
    Claimed claim = node.claim();
    assertEquals(Answer.ALREADY_CLAIMED, other.cancel("a").answer());
    return claim;
  }

  private void assertHandedOutAt(long millis) {
    at(millis - 1);
    assertEquals(List.of(), node.claim(1));
    at(millis);
    assertEquals("a", node.claim().id());
  }

  private static Due onlyLater(long millis) {
    return new Due(Due.Base.INSTANT, moment(millis), 0, 1, Due.Past.RUN, 0, true);
  }
}
