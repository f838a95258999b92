package dev.bide.tck;

import static dev.bide.task.PauseMode.KEEP_DUE;
import static dev.bide.task.PauseMode.KEEP_REMAINING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.Claimed;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Settled;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.OnExisting;
import dev.bide.task.PauseMode;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Pause and resume of a task and of a queue, and the revival of dead letters. */
abstract class PausingContract extends StoreTest {

  private Written pause(String id, PauseMode mode) {
    return node.write(new Write.Pause(QUEUE, id, mode));
  }

  private Written resume(String id) {
    return node.write(new Write.Resume(QUEUE, id));
  }

  private Written revive(String id) {
    return node.write(new Write.Revive(QUEUE, id));
  }

  // A task.

  @Test
  final void aPausedTaskIsNotHandedOutHoweverLongItWaits() {
    node.schedule("a", in(MINUTE));
    Written paused = pause("a", KEEP_DUE);
    assertEquals(Answer.DONE, paused.answer());
    assertEquals(Due.NEVER, paused.nextAt());
    at(DAY);
    Exchanged reply = node.exchange(1);
    assertEquals(List.of(), reply.claims());
    assertEquals(Due.NEVER, reply.next());
    assertEquals(TaskState.PAUSED, state("a"));
  }

  @Test
  final void aTaskThatKeepsItsDueTimeIsReadyAtOnceIfThatHasPassed() {
    node.schedule("a", in(30 * MINUTE));
    at(10 * MINUTE);
    pause("a", KEEP_DUE);
    at(70 * MINUTE);
    assertEquals(moment(30 * MINUTE), resume("a").dueAt());
    assertEquals("a", node.claim().id());
  }

  @Test
  final void aTaskThatKeepsItsDueTimeWaitsForItIfThatIsToCome() {
    node.schedule("a", in(30 * MINUTE));
    pause("a", KEEP_DUE);
    at(10 * MINUTE);
    assertEquals(moment(30 * MINUTE), resume("a").nextAt());
    at(30 * MINUTE - 1);
    assertEquals(List.of(), node.claim(1));
    at(30 * MINUTE);
    assertEquals("a", node.claim().id());
  }

  @Test
  final void aTaskThatKeepsWhatWasLeftCountsOnFromTheResume() {
    node.schedule("a", in(30 * MINUTE));
    at(10 * MINUTE);
    pause("a", KEEP_REMAINING);
    at(70 * MINUTE);
    assertEquals(Duration.ofMinutes(20), task("a").remaining());
    Written resumed = resume("a");
    assertEquals(moment(90 * MINUTE), resumed.dueAt());
    assertEquals(moment(90 * MINUTE), resumed.nextAt());
    at(90 * MINUTE - 1);
    assertEquals(List.of(), node.claim(1));
    at(90 * MINUTE);
    assertEquals("a", node.claim().id());
  }

  @Test
  final void whatWasOverdueIsAsMuchOverdueAfterTheResume() {
    node.schedule("a", in(0));
    at(MINUTE);
    pause("a", KEEP_REMAINING);
    at(HOUR);
    assertEquals(moment(HOUR - MINUTE), resume("a").dueAt());
    assertEquals("a", node.claim().id());
  }

  @Test
  final void aRetryInWaitKeepsWhatWasLeftToo() {
    node.schedule("a", in(0));
    node.retry(node.claim(), MINUTE);
    at(20 * SECOND);
    pause("a", KEEP_REMAINING);
    at(HOUR);
    assertEquals(moment(HOUR + 40 * SECOND), resume("a").nextAt());
    at(HOUR + 40 * SECOND);
    assertEquals(2, node.claim().attempt());
  }

  @Test
  final void movingAPausedTaskChangesWhatItReturnsTo() {
    node.schedule("due", in(HOUR));
    node.schedule("remaining", in(HOUR));
    pause("due", KEEP_DUE);
    pause("remaining", KEEP_REMAINING);
    at(MINUTE);
    assertEquals(Due.NEVER, node.move("due", in(MINUTE)).nextAt());
    assertEquals(Due.NEVER, node.move("remaining", in(MINUTE)).nextAt());
    at(10 * MINUTE);
    assertEquals(Duration.ofMinutes(1), task("remaining").remaining());
    assertEquals(moment(10 * MINUTE), resume("due").nextAt());
    assertEquals(moment(11 * MINUTE), resume("remaining").nextAt());
  }

  @Test
  final void extendingAPausedTaskAddsToWhatItReturnsTo() {
    node.schedule("due", in(HOUR));
    node.schedule("remaining", in(HOUR));
    pause("due", KEEP_DUE);
    pause("remaining", KEEP_REMAINING);
    at(2 * HOUR);
    node.extend("due", 2 * HOUR);
    node.extend("remaining", 2 * HOUR);
    assertEquals(Duration.ofHours(3), task("remaining").remaining());
    assertEquals(moment(3 * HOUR), resume("due").nextAt());
    assertEquals(moment(5 * HOUR), resume("remaining").nextAt());
  }

  @Test
  final void onlyLaterComparesWithTheTimeAResumeWouldGive() {
    node.schedule("a", in(HOUR));
    pause("a", KEEP_REMAINING);
    at(HOUR);
    Due earlier = new Due(Due.Base.FROM_NOW, HOUR - 1, 0, 1, Due.Past.RUN, 0, true);
    node.move("a", earlier);
    assertEquals(moment(2 * HOUR), resume("a").nextAt());
  }

  @Test
  final void pausingAPausedTaskAndResumingOneThatIsNotChangeNothing() {
    node.schedule("a", in(HOUR));
    assertEquals(Answer.DONE, resume("a").answer());
    assertEquals(moment(HOUR), resume("a").nextAt());
    pause("a", KEEP_DUE);
    assertEquals(Answer.DONE, pause("a", KEEP_REMAINING).answer());
    at(MINUTE);
    assertEquals(moment(HOUR), resume("a").dueAt());
  }

  @Test
  final void pauseAndResumeLeaveATaskInProcessToItsOwner() {
    node.schedule("a", in(0));
    Claimed claim = node.claim();
    assertEquals(Answer.ALREADY_CLAIMED, pause("a", KEEP_DUE).answer());
    assertEquals(Answer.ALREADY_CLAIMED, resume("a").answer());
    assertEquals(Settled.Verdict.APPLIED, node.complete(claim).verdict());
  }

  @Test
  final void pauseAndResumeAnswerForWhatHasEndedOrNeverWas() {
    node.schedule("a", in(0));
    node.complete(node.claim());
    assertEquals(Answer.ALREADY_FINISHED, pause("a", KEEP_DUE).answer());
    assertEquals(Answer.ALREADY_FINISHED, resume("a").answer());
    assertEquals(Answer.NOT_FOUND, pause("b", KEEP_DUE).answer());
    assertEquals(Answer.NOT_FOUND, resume("b").answer());
  }

  @Test
  final void anOwnerIsRefusedWhenItsLapsedTaskWasPaused() {
    node.schedule("a", in(0));
    Claimed claim = node.claim();
    at(LEASE);
    assertEquals(Answer.DONE, pause("a", KEEP_DUE).answer());
    assertEquals(Settled.Verdict.STALE, node.complete(claim).verdict());
    assertEquals(TaskState.PAUSED, state("a"));
    assertEquals(1, task("a").lapses());
  }

  @Test
  final void aPausedTaskIsCancelledReplacedAndKeptAsAWaitingOneIs() {
    node.schedule("a", in(HOUR));
    node.schedule("b", in(HOUR));
    pause("a", KEEP_REMAINING);
    pause("b", KEEP_REMAINING);
    assertEquals(Answer.KEPT, node.schedule("a", in(0)).answer());
    assertEquals(Answer.CANCELLED, node.cancel("a").answer());
    assertEquals(Answer.REPLACED, node.schedule("b", in(0), OnExisting.REPLACE).answer());
    assertEquals("b", node.claim().id());
  }

  @Test
  final void aPauseSurvivesARestart() {
    node.schedule("due", in(HOUR));
    node.schedule("remaining", in(HOUR));
    pause("due", KEEP_DUE);
    pause("remaining", KEEP_REMAINING);
    restart();
    at(2 * HOUR);
    assertEquals(List.of(), node.claim(2));
    assertEquals(moment(2 * HOUR), resume("due").nextAt());
    assertEquals(moment(3 * HOUR), resume("remaining").nextAt());
  }

  @Test
  final void aPauseSentTwiceIsOnePause() {
    node.schedule("a", in(HOUR));
    var stamp = node.nextWrite();
    List<Write> pause = List.of(new Write.Pause(QUEUE, "a", KEEP_REMAINING));
    store.write(pause, stamp);
    other.write(new Write.Resume(QUEUE, "a"));
    assertEquals(Answer.DONE, store.write(pause, stamp).value().get(0).answer());
    assertEquals(TaskState.WAITING, state("a"));
  }

  // A queue.

  @Test
  final void nothingIsClaimedFromAPausedQueue() {
    node.schedule("a", in(0));
    store.queues().pause(QUEUE);
    assertTrue(store.queues().pauseOf(QUEUE).paused());
    Exchanged reply = node.exchange(1);
    assertEquals(List.of(), reply.claims());
    assertEquals(Due.NEVER, reply.next());
    assertFalse(reply.more());
    restart();
    assertEquals(List.of(), other.claim(1));
    store.queues().resume(QUEUE);
    assertEquals("a", other.claim().id());
  }

  @Test
  final void onlyTheNamedQueueIsPaused() {
    define("others", 1, ATTEMPTS);
    Node others = node("node", "others", Set.of(0));
    others.schedule("a", in(0));
    store.queues().pause(QUEUE);
    assertEquals("a", others.claim().id());
  }

  @Test
  final void whatWasClaimedBeforeAPauseIsRenewedAndSettled() {
    node.schedule("a", in(0));
    var request = node.request(1);
    Claimed claim = node.exchange(request).claims().get(0);
    store.queues().pause(QUEUE);
    at(SECOND);
    node.renew(claim);
    assertEquals(List.of(claim), node.exchange(request.again(Node.FOREVER)).claims());
    assertEquals(TaskState.COMPLETED, node.complete(claim).state());
  }

  @Test
  final void callersMayScheduleAndChangeWhatAPausedQueueHolds() {
    store.queues().pause(QUEUE);
    assertEquals(Answer.CREATED, node.schedule("a", in(0)).answer());
    assertEquals(Answer.DONE, node.move("a", in(MINUTE)).answer());
    assertEquals(Answer.CANCELLED, node.cancel("a").answer());
  }

  @Test
  final void aRunOutLeaseWaitsForTheResume() {
    node.schedule("a", in(0));
    Claimed claim = node.claim();
    store.queues().pause(QUEUE);
    at(LEASE);
    assertEquals(List.of(), other.claim(1));
    assertTrue(task("a").lapsed());
    assertEquals(TaskState.COMPLETED, node.complete(claim).state());
  }

  @Test
  final void whatCameDueDuringThePauseIsHeldBackAndNothingElse() {
    node.schedule("before", in(0));
    node.schedule("begin", in(MINUTE));
    node.schedule("end", in(HOUR));
    node.schedule("after", in(HOUR + 1));
    at(MINUTE);
    store.queues().pause(QUEUE);
    at(HOUR);
    store.queues().resume(QUEUE);
    at(HOUR + 1);
    List<Claimed> claims = node.claim(4);
    assertEquals(List.of("before", "begin", "end", "after"), ids(claims));
    assertEquals(List.of(false, true, true, false), claims.stream().map(Claimed::heldBack).toList());
  }

  @Test
  final void aSecondPauseAndASecondResumeChangeNothing() {
    assertFalse(store.queues().pauseOf(QUEUE).paused());
    store.queues().resume(QUEUE);
    assertFalse(store.queues().pauseOf(QUEUE).paused());
    store.queues().pause(QUEUE);
    var pause = store.queues().pauseOf(QUEUE);
    at(MINUTE);
    store.queues().pause(QUEUE);
    assertEquals(pause, store.queues().pauseOf(QUEUE));
    store.queues().resume(QUEUE);
    at(2 * MINUTE);
    store.queues().resume(QUEUE);
    assertEquals(moment(MINUTE), store.queues().pauseOf(QUEUE).until());
  }

  @Test
  final void aQueueThatIsNotDefinedCannotBePaused() {
    assertThrows(IllegalArgumentException.class, () -> store.queues().pause("nowhere"));
    assertThrows(IllegalArgumentException.class, () -> store.queues().resume("nowhere"));
    assertThrows(IllegalArgumentException.class, () -> store.queues().pauseOf("nowhere"));
  }

  @Test
  final void aPauseOutlastsAnUpdateOfTheSettings() {
    store.queues().pause(QUEUE);
    store.queues().update(settings(QUEUE, 1, ATTEMPTS + 1));
    assertTrue(store.queues().pauseOf(QUEUE).paused());
  }

  // A dead letter.

  @Test
  final void aRevivedDeadLetterBeginsANewLifeDueAtOnce() {
    long first = node.schedule("a", in(0)).seq();
    node.retry(node.claim(), 0);
    node.fail(node.claim());
    at(HOUR);
    Written revived = revive("a");
    assertEquals(Answer.DONE, revived.answer());
    assertEquals(TaskState.FAILED, revived.found());
    assertTrue(revived.seq() > first);
    assertEquals(moment(HOUR), revived.dueAt());
    assertEquals(instant(HOUR), task("a").readyAt());
    Claimed claim = node.claim();
    assertEquals(1, claim.attempt());
    assertEquals("a", claim.payload().text());
    assertEquals(List.of(), task("a").attempts());
  }

  @Test
  final void theOldLifeOfARevivedTaskIsKeptAsOtherFinishedOnesAreFromThenOn() {
    node.schedule("a", in(0));
    node.fail(node.claim());
    at(HOUR);
    revive("a");
    at(HOUR + RETENTION - 1);
    assertEquals(0, store.prune(QUEUE, 10).value());
    at(HOUR + RETENTION);
    assertEquals(1, store.prune(QUEUE, 10).value());
    assertEquals(TaskState.WAITING, state("a"));
  }

  @Test
  final void theOldLifeOfARevivedTaskKnowsItsSettlementAndHasNoSayInTheNew() {
    node.schedule("a", in(0));
    Claimed old = node.claim();
    node.fail(old);
    revive("a");
    assertEquals(Settled.Verdict.REPEATED, node.fail(old).verdict());
    assertEquals(TaskState.WAITING, state("a"));
    assertEquals(TaskState.COMPLETED, node.complete(node.claim()).state());
    assertEquals(Answer.NOT_FAILED, revive("a").answer());
  }

  @Test
  final void onlyADeadLetterIsRevived() {
    assertEquals(Answer.NOT_FOUND, revive("a").answer());
    node.schedule("a", in(0));
    assertEquals(Answer.NOT_FAILED, revive("a").answer());
    Claimed claim = node.claim();
    assertEquals(Answer.NOT_FAILED, revive("a").answer());
    at(LEASE);
    assertEquals(Answer.NOT_FAILED, revive("a").answer());
    node.complete(claim);
    assertEquals(Answer.NOT_FAILED, revive("a").answer());
    node.schedule("a", in(HOUR), OnExisting.REUSE);
    node.cancel("a");
    assertEquals(Answer.NOT_FAILED, revive("a").answer());
  }

  @Test
  final void onlyTheLatestLifeCounts() {
    node.schedule("a", in(0));
    node.fail(node.claim());
    node.schedule("a", in(0), OnExisting.REUSE);
    assertEquals(Answer.NOT_FAILED, revive("a").answer());
    node.complete(node.claim());
    assertEquals(Answer.NOT_FAILED, revive("a").answer());
  }

  @Test
  final void aRevivalSentTwiceIsOneRevival() {
    node.schedule("a", in(0));
    node.fail(node.claim());
    var stamp = node.nextWrite();
    List<Write> revive = List.of(new Write.Revive(QUEUE, "a"));
    long seq = store.write(revive, stamp).value().get(0).seq();
    node.fail(node.claim());
    assertEquals(seq, store.write(revive, stamp).value().get(0).seq());
    assertEquals(TaskState.FAILED, state("a"));
  }

  @Test
  final void aRevivedLifeMayFailAndBeRevivedAgainAndItsLivesAreDroppedInTime() {
    node.schedule("a", in(0));
    node.fail(node.claim());
    revive("a");
    node.fail(node.claim());
    revive("a");
    node.fail(node.claim());
    at(DEAD_RETENTION);
    assertEquals(3, store.prune(QUEUE, 10).value());
    assertEquals(Optional.empty(), find("a"));
  }
}
