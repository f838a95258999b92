package dev.bide.tck;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.ClaimRequest.Claimant;
import dev.bide.spi.Claimed;
import dev.bide.spi.End;
import dev.bide.spi.Ended;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Held;
import dev.bide.spi.Renewed;
import dev.bide.spi.Reply;
import dev.bide.spi.Settled;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.PauseMode;
import dev.bide.task.Payload;
import dev.bide.task.TaskState;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class HistoryTest {
  private static final long LEASE = 100;

  private final History history = new History(1);
  private long number;

  @BeforeEach
  void scheduleATaskForTheMoment10() {
    history.limitedTo(2);
    write(0, new Write.Insert("q", "a", Payload.EMPTY, Due.at(10)), new Written(Answer.CREATED, null, 1, 10, 10));
  }

  @Test
  void aRunOfATaskIsRight() {
    claim(10, 1, 1, 0);
    renew(50, 1, Renewed.RENEWED);
    settle(149, 1, End.RETRY, Settled.Verdict.APPLIED, TaskState.WAITING);
    claim(200, 2, 2, 0);
    settle(210, 1, Settled.Verdict.STALE, null);
    settle(210, 2, Settled.Verdict.APPLIED, TaskState.COMPLETED);
    settle(210, 2, Settled.Verdict.REPEATED, TaskState.COMPLETED);
    history.found(List.of("a"), Reply.of(220, List.of(Optional.empty())));
  }

  @Test
  void aLostLeaseIsRight() {
    claim(10, 1, 1, 0);
    claim(10 + LEASE, 3, 2, 1);
    settle(150, 1, Settled.Verdict.STALE, null);
    renew(150, 1, Renewed.LOST);
    renew(150, 3, Renewed.RENEWED);
  }

  @Test
  void anEarlyTaskIsWrong() {
    assertWrong("early", () -> history.exchanged(List.of(), request(), reply(9, claim(9, 10, 1, 1, 0))));
  }

  @Test
  void twoOwnersAreWrong() {
    claim(10, 1, 1, 0);
    assertWrong("another holds it", () -> claim(9 + LEASE, 2, 2, 0));
    assertWrong("twice", () -> claim(20, 1, 1, 0));
  }

  @Test
  void aStaleOwnerIsWrong() {
    claim(10, 1, 1, 0);
    claim(10 + LEASE, 3, 2, 1);
    assertWrong("stale", () -> settle(150, 1, Settled.Verdict.APPLIED, TaskState.COMPLETED));
    assertWrong("stale", () -> renew(150, 1, Renewed.RENEWED));
  }

  @Test
  void anOwnerWhoIsRefusedIsWrong() {
    claim(10, 1, 1, 0);
    assertWrong("owner", () -> settle(20, 1, Settled.Verdict.STALE, null));
    assertWrong("owner", () -> renew(20, 1, Renewed.LOST));
  }

  @Test
  void aTokenThatDoesNotGrowIsWrong() {
    claim(10, 5, 1, 0);
    assertWrong("token", () -> claim(10 + LEASE, 4, 2, 1));
  }

  @Test
  void tooManyAttemptsAreWrong() {
    claim(10, 1, 1, 0);
    claim(10 + LEASE, 3, 2, 1);
    assertWrong("more attempts", () -> claim(10 + 2 * LEASE, 5, 3, 2));
  }

  @Test
  void anAttemptThatIsCountedTwiceOrNotIsWrong() {
    assertWrong("twice", () -> claim(10, 1, 2, 0));
  }

  @Test
  void anAttemptThatALostLeaseGivesBackIsWrong() {
    claim(10, 1, 1, 0);
    assertWrong("not counted", () -> claim(10 + LEASE, 3, 1, 1));
  }

  @Test
  void aReleaseGivesTheAttemptBack() {
    claim(10, 1, 1, 0);
    settle(20, 1, End.RELEASE, Settled.Verdict.APPLIED, TaskState.WAITING);
    claim(30, 2, 1, 0);
  }

  @Test
  void anEndThatLeadsElsewhereIsWrong() {
    claim(10, 1, 1, 0);
    assertWrong("COMPLETE led to WAITING", () -> settle(20, 1, Settled.Verdict.APPLIED, TaskState.WAITING));
    assertWrong("FAIL led to WAITING", () -> settle(20, 1, End.FAIL, Settled.Verdict.APPLIED, TaskState.WAITING));
    assertWrong("RETRY led to FAILED", () -> settle(20, 1, End.RETRY, Settled.Verdict.APPLIED, TaskState.FAILED));
  }

  @Test
  void aTaskThatTheStoreEndsBeforeItsLastAttemptIsWrong() {
    assertWrong("for no reason", () -> history.exchanged(List.of(), request(), new Exchanged(10, List.of(), List.of(),
        List.of(new Ended("a", 1, TaskState.FAILED, 0, 0, "failed")), 10, false, false, false)));
  }

  @Test
  void anotherOrderThanThatOfTheDueTimesIsWrong() {
    Claimed earlier = scheduleBForTheMoment9();
    assertWrong("wrong order",
        () -> history.exchanged(List.of(), request(), reply(10, claim(10, 10, 1, 1, 0), earlier)));
  }

  @Test
  void anEarlierTaskThatIsPassedOverIsWrong() {
    Claimed unused = scheduleBForTheMoment9();
    assertWrong("passed over", () -> history.exchanged(List.of(), request(), reply(10, claim(10, 10, 1, 1, 0))));
  }

  private Claimed scheduleBForTheMoment9() {
    write(0, new Write.Insert("q", "b", Payload.EMPTY, Due.at(9)), new Written(Answer.CREATED, null, 2, 9, 9));
    return new Claimed("b", 2, 1, 1, 0, false, Payload.EMPTY, 0, 9, 9, 10, false, false, null);
  }

  @Test
  void aTaskThatIsLeftBehindIsWrong() {
    assertWrong("left behind", () -> history.exchanged(List.of(), request(), reply(10)));
  }

  @Test
  void aNextThatIsTooLateIsWrong() {
    assertWrong("too late", () -> history.exchanged(List.of(), request(),
        new Exchanged(5, List.of(), List.of(), List.of(), 11, false, false, false)));
  }

  @Test
  void aCancelledTaskThatIsHandedOutIsWrong() {
    write(10, new Write.Cancel("q", "a", "me"), new Written(Answer.CANCELLED, TaskState.WAITING, 1, 10, Due.NEVER));
    assertWrong("ended", () -> claim(10, 1, 1, 0));
  }

  @Test
  void aCancelOfATaskThatIsHeldIsWrong() {
    claim(10, 1, 1, 0);
    assertWrong("owner", () -> write(20, new Write.Cancel("q", "a", "me"),
        new Written(Answer.CANCELLED, TaskState.WAITING, 1, 10, Due.NEVER)));
  }

  @Test
  void aSecondLifeIsWrong() {
    Write insert = new Write.Insert("q", "a", Payload.EMPTY, Due.at(10));
    assertWrong("second life", () -> write(20, insert, new Written(Answer.CREATED, null, 2, 10, 10)));
  }

  @Test
  void aWriteDoneTwiceIsWrong() {
    number = 0;
    Write cancel = new Write.Cancel("q", "b", "me");
    assertWrong("done twice", () -> write(1, cancel, new Written(Answer.NOT_FOUND, null, 0, Due.NEVER, Due.NEVER)));
  }

  @Test
  void aTaskThatIsForgottenIsWrong() {
    assertWrong("lost", () -> history.found(List.of("a"), Reply.of(10, List.of(Optional.empty()))));
  }

  @Test
  void aPausedQueueThatHandsOutIsWrong() {
    history.paused(true);
    history.exchanged(List.of(), request(), reply(10));
    history.paused(false);
    assertWrong("left behind", () -> history.exchanged(List.of(), request(), reply(10)));
    history.paused(true);
    assertWrong("paused", () -> claim(10, 1, 1, 0));
  }

  @Test
  void aPausedTaskIsNotLeftBehindButALiveOneIsNotRevived() {
    write(0, new Write.Pause("q", "a", PauseMode.KEEP_DUE),
        new Written(Answer.DONE, TaskState.WAITING, 1, 10, Due.NEVER));
    history.exchanged(List.of(), request(), reply(10));
    assertWrong("revived", () -> write(10, new Write.Revive("q", "a"),
        new Written(Answer.DONE, TaskState.FAILED, 2, 10, 10)));
  }

  private static void assertWrong(String why, Executable answers) {
    AssertionError error = assertThrows(AssertionError.class, answers);
    assertTrue(String.valueOf(error.getMessage()).contains(why), () -> "got: " + error.getMessage());
  }

  private void write(long now, Write write, Written answer) {
    history.written(List.of(write), new Stamp("caller", "", ++number, 1_000), Reply.of(now, List.of(answer)));
  }

  private void claim(long now, long token, int attempt, int lapses) {
    history.exchanged(List.of(), request(), reply(now, claim(now, 10, token, attempt, lapses)));
  }

  private static Claimed claim(long now, long readyAt, long token, int attempt, int lapses) {
    return new Claimed("a", 1, token, attempt, lapses, false, Payload.EMPTY, 0, 10, readyAt, now, false, false, null);
  }

  private void settle(long now, long token, Settled.Verdict verdict, @Nullable TaskState state) {
    settle(now, token, End.COMPLETE, verdict, state);
  }

  private void settle(long now, long token, End end, Settled.Verdict verdict, @Nullable TaskState state) {
    ClaimRequest nothing = new ClaimRequest("q", Set.of(0), new Stamp("node", "", 1, 1_000), false, 0, 0, false, 1,
        Claimant.OUTSIDE);
    history.exchanged(List.of(new Settlement("a", 1, token, end, 0, "")), nothing,
        new Exchanged(now, List.of(new Settled(verdict, state, now)), List.of(), List.of(), now, false, false, false));
  }

  private void renew(long now, long token, Renewed answer) {
    history.renewed(List.of(new Held("q", 1, token)), LEASE, Reply.of(now, List.of(answer)));
  }

  private static ClaimRequest request() {
    return new ClaimRequest("q", Set.of(0), new Stamp("node", "", 1, 1_000), false, 10, 10, true, LEASE,
        Claimant.OUTSIDE);
  }

  private static Exchanged reply(long now, Claimed... claims) {
    return new Exchanged(now, List.of(), List.of(claims), List.of(), now, false, false, false);
  }
}
