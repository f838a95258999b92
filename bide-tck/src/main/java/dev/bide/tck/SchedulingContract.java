package dev.bide.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.Claimed;
import dev.bide.spi.Settled;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.OnExisting;
import dev.bide.task.Payload;
import dev.bide.task.Tag;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a new task is due, and what becomes of one whose id is known. */
abstract class SchedulingContract extends StoreTest {

  // When it is due.

  @Test
  final void aTaskIsDueOneDelayAfterTheStoresNow() {
    Written written = node.schedule("a", in(30 * MINUTE));
    assertEquals(Answer.CREATED, written.answer());
    assertEquals(moment(30 * MINUTE), written.dueAt());
    assertEquals(moment(30 * MINUTE), written.nextAt());

    Task task = task("a");
    assertEquals(TaskState.WAITING, task.state());
    assertEquals(instant(0), task.createdAt());
    assertEquals(instant(30 * MINUTE), task.dueAt());
    assertEquals(instant(30 * MINUTE), task.readyAt());
    assertEquals(Optional.of(instant(30 * MINUTE)), task.nextAt());
    assertEquals(Duration.ofMinutes(30), task.remaining());
    assertEquals(written.seq(), task.seq());
  }

  @Test
  final void itIsHandedOutAtItsTimeAndNotOneMillisecondBefore() {
    node.schedule("a", in(SECOND));
    at(SECOND - 1);
    assertFalse(task("a").ready());
    assertEquals(List.of(), node.claim(1));
    at(SECOND);
    assertTrue(task("a").ready());
    assertEquals(List.of("a"), ids(node.claim(1)));
  }

  @Test
  final void itIsStillThereLongAfterItsTime() {
    node.schedule("a", in(SECOND));
    at(DAY);
    assertEquals(moment(SECOND), node.claim().readyAt());
  }

  @Test
  final void aDelayOfZeroIsDueAtOnce() {
    node.schedule("a", in(0));
    assertEquals("a", node.claim().id());
  }

  @Test
  final void anInstantIsTakenAsItIs() {
    assertEquals(moment(SECOND), node.schedule("a", on(SECOND)).dueAt());
    at(SECOND - 1);
    assertEquals(List.of(), node.claim(1));
    at(SECOND);
    assertEquals("a", node.claim().id());
  }

  @Test
  final void aPastInstantRunsAtOnceAndKeepsItsDueTime() {
    Written written = node.schedule("a", on(-HOUR));
    assertEquals(moment(-HOUR), written.dueAt());
    assertEquals(moment(0), written.nextAt(), "nextAt is never before now");
    Claimed claim = node.claim();
    assertEquals(moment(-HOUR), claim.dueAt());
    assertEquals(moment(0), claim.readyAt());
  }

  @Test
  final void aPastInstantOvertakesNothingThatIsDueAlready() {
    node.schedule("first", in(0));
    at(1);
    node.schedule("second", on(-HOUR));
    assertEquals(List.of("first", "second"), ids(node.claim(2)));
  }

  @Test
  final void aPastInstantIsRefusedIfTheCallerSaysSo() {
    assertEquals(Answer.PAST, node.schedule("a", past(Due.Past.REJECT, -1, 0)).answer());
    assertEquals(Optional.empty(), find("a"));
    assertEquals(Answer.CREATED, node.schedule("a", past(Due.Past.REJECT, 0, 0)).answer(), "now is not past");
  }

  @Test
  final void aTaskThatIsTooOldExpiresAtOnce() {
    assertEquals(Answer.CREATED, node.schedule("just", past(Due.Past.EXPIRE, -10 * MINUTE, 10 * MINUTE)).answer());
    Written written = node.schedule("old", past(Due.Past.EXPIRE, -10 * MINUTE - 1, 10 * MINUTE));
    assertEquals(Answer.EXPIRED, written.answer());
    assertEquals(Due.NEVER, written.nextAt());
    assertOutcome(TaskState.CANCELLED, "expired", "old");
    assertEquals(List.of("just"), ids(node.claim(2)));
  }

  @Test
  final void aBufferDelaysTheTaskAndNotItsDueTime() {
    Written written = node.schedule("a",
        new Due(Due.Base.FROM_NOW, 59 * SECOND, 5 * SECOND, 1, Due.Past.RUN, 0, false));
    assertEquals(moment(59 * SECOND), written.dueAt());
    assertEquals(moment(64 * SECOND), written.nextAt());
    at(64 * SECOND - 1);
    assertEquals(List.of(), node.claim(1));
    at(64 * SECOND);
    Claimed claim = node.claim();
    assertEquals(moment(59 * SECOND), claim.dueAt());
    assertEquals(moment(64 * SECOND), claim.readyAt());
  }

  @Test
  final void aBufferCountsFromThePastInstantToo() {
    node.schedule("a", new Due(Due.Base.INSTANT, moment(-SECOND), 5 * SECOND, 1, Due.Past.RUN, 0, false));
    at(4 * SECOND - 1);
    assertEquals(List.of(), node.claim(1));
    at(4 * SECOND);
    assertEquals("a", node.claim().id());
  }

  @Test
  final void aTierRoundsUpAndNeverDown() {
    assertEquals(moment(SECOND), node.schedule("one before", rounded(999, 0)).nextAt());
    assertEquals(moment(SECOND), node.schedule("at", rounded(1_000, 0)).nextAt());
    assertEquals(moment(2 * SECOND), node.schedule("one after", rounded(1_001, 0)).nextAt());
    assertEquals(moment(2 * SECOND), node.schedule("with its buffer", rounded(999, 2)).nextAt());
    assertEquals(instant(1_001), task("one after").dueAt());
    at(2 * SECOND - 1);
    assertEquals(List.of("one before", "at"), ids(node.claim(4)));
    at(2 * SECOND);
    assertEquals(List.of("one after", "with its buffer"), ids(node.claim(4)));
  }

  @Test
  final void aDueTimeEndsWithTheYear9999() {
    assertEquals(Due.LAST, node.schedule("far", in(Long.MAX_VALUE)).dueAt());
    assertEquals(Due.LAST, node.schedule("last", Due.at(Due.LAST)).dueAt());
    assertEquals(Due.LAST, node.extend("far", Long.MAX_VALUE).dueAt());
    at(10_000 * DAY);
    assertEquals(List.of(), node.claim(2));
  }

  @Test
  final void theLargestBufferAndTierMakeNothingEarly() {
    node.schedule("buffered", new Due(Due.Base.FROM_NOW, Due.LAST, Due.LAST, 1, Due.Past.RUN, 0, false));
    node.schedule("rounded", new Due(Due.Base.FROM_NOW, 0, Due.LAST, Due.LAST, Due.Past.RUN, 0, false));
    at(10_000 * DAY);
    assertEquals(List.of(), node.claim(2));
  }

  // What becomes of a known id. Each test brings four tasks into one state and schedules each again with another wish.

  @Test
  final void anUnknownIdIsCreatedWhateverTheWish() {
    assertAnswers(null, Answer.CREATED, Answer.CREATED, Answer.CREATED, Answer.CREATED);
  }

  @Test
  final void aWaitingTaskStaysOrIsReplaced() {
    node.write(four(in(HOUR)));
    assertAnswers(TaskState.WAITING, Answer.KEPT, Answer.REPLACED, Answer.EXISTS, Answer.KEPT);
  }

  @Test
  final void aReadyTaskStaysOrIsReplaced() {
    node.write(four(in(0)));
    assertAnswers(TaskState.WAITING, Answer.KEPT, Answer.REPLACED, Answer.EXISTS, Answer.KEPT);
  }

  @Test
  final void aTaskThatWaitsForARetryStaysOrIsReplaced() {
    node.write(four(in(0)));
    node.claim(4).forEach(claim -> node.retry(claim, HOUR));
    assertAnswers(TaskState.WAITING, Answer.KEPT, Answer.REPLACED, Answer.EXISTS, Answer.KEPT);
    assertEquals(0, task("REPLACE").attempt(), "a new life begins anew");
  }

  @Test
  final void aTaskInProcessIsNeverReplaced() {
    node.write(four(in(0)));
    node.claim(4);
    at(LEASE - 1);
    assertAnswers(TaskState.PROCESSING, Answer.KEPT, Answer.REFUSED, Answer.EXISTS, Answer.KEPT);
  }

  @Test
  final void aLapsedTaskStaysOrIsReplaced() {
    node.write(four(in(0)));
    List<Claimed> claims = node.claim(4);
    at(LEASE);
    assertAnswers(TaskState.PROCESSING, Answer.KEPT, Answer.REPLACED, Answer.EXISTS, Answer.KEPT);
    for (Claimed claim : claims) {
      Settled.Verdict expected = claim.id().equals("REPLACE") ? Settled.Verdict.STALE : Settled.Verdict.APPLIED;
      assertEquals(expected, node.complete(claim).verdict(), "the owner of " + claim.id());
    }
  }

  @Test
  final void aCompletedTaskStaysOrGivesWayToANewLife() {
    node.write(four(in(0)));
    node.claim(4).forEach(node::complete);
    assertAnswers(TaskState.COMPLETED, Answer.KEPT, Answer.CREATED, Answer.EXISTS, Answer.CREATED);
  }

  @Test
  final void aFailedTaskStaysOrGivesWayToANewLife() {
    node.write(four(in(0)));
    node.claim(4).forEach(node::fail);
    assertAnswers(TaskState.FAILED, Answer.KEPT, Answer.CREATED, Answer.EXISTS, Answer.CREATED);
  }

  @Test
  final void aCancelledTaskStaysOrGivesWayToANewLife() {
    node.write(four(in(0)));
    WISHES.forEach(wish -> node.cancel(wish.name()));
    assertAnswers(TaskState.CANCELLED, Answer.KEPT, Answer.CREATED, Answer.EXISTS, Answer.CREATED);
  }

  @Test
  final void theLatestFinishedLifeIsTheOneThatCounts() {
    node.schedule("a", in(0));
    node.complete(node.claim());
    node.schedule("a", in(0), OnExisting.REUSE);
    node.fail(node.claim());
    Written written = node.schedule("a", in(0));
    assertEquals(Answer.KEPT, written.answer());
    assertEquals(TaskState.FAILED, written.found());
    assertEquals(TaskState.FAILED, state("a"));
  }

  @Test
  final void whatIsKeptStaysAsItWas() {
    node.write(
        new Write.Insert(QUEUE, "a", Payload.of("old"), in(HOUR), OnExisting.KEEP, "every hour", "Asia/Shanghai",
            List.of()));
    Task before = task("a");
    for (OnExisting wish : List.of(OnExisting.KEEP, OnExisting.FAIL, OnExisting.REUSE)) {
      Written written = node
          .write(new Write.Insert(QUEUE, "a", Payload.of("new"), in(0), wish, "every day", "Europe/Berlin",
              List.of(new Tag("k", "v"))));
      assertEquals(before.seq(), written.seq());
      assertEquals(moment(HOUR), written.dueAt());
      assertEquals(before, task("a"));
    }
    assertEquals(List.of(), node.claim(1));
  }

  @Test
  final void aReplacementTakesThePlaceOfTheOldTaskAltogether() {
    node.schedule("a", in(0));
    long old = task("a").seq();
    Write.Insert insert = new Write.Insert(QUEUE, "a", Payload.of("new"), in(SECOND), OnExisting.REPLACE, "every day",
        "Europe/Berlin", List.of());
    assertEquals(Answer.REPLACED, node.write(insert).answer());
    assertEquals(List.of(), node.claim(1), "the old one was due and is gone");
    Task task = task("a");
    assertTrue(task.seq() > old);
    assertEquals(Payload.of("new"), task.payload());
    assertEquals(Optional.of("every day"), task.rule());
    assertEquals(Optional.of(ZoneId.of("Europe/Berlin")), task.zone());
    at(SECOND);
    assertEquals("every day", node.claim().rule());
  }

  @Test
  final void aZoneThatThisProcessDoesNotKnowHidesNothing() {
    node.write(List.of(node.insert("a", in(0)),
        new Write.Insert(QUEUE, "b", Payload.EMPTY, in(0), OnExisting.KEEP, null, "Mars/Olympus", List.of())));
    List<Optional<Task>> found = store.find(QUEUE, List.of("a", "b")).value();
    assertEquals(List.of("a", "b"), found.stream().map(each -> each.orElseThrow().id()).toList());
    assertEquals(Optional.empty(), found.get(1).orElseThrow().zone());
    assertEquals(List.of("a", "b"), ids(node.claim(2)));
  }

  @Test
  final void aReplacementThatIsRefusedAsPastLeavesTheOldTask() {
    node.schedule("a", in(HOUR));
    Task before = task("a");
    Write.Insert insert = node.insert("a", past(Due.Past.REJECT, -1, 0), OnExisting.REPLACE);
    assertEquals(Answer.PAST, node.write(insert).answer());
    assertEquals(before, task("a"));
  }

  @Test
  final void aKnownIdIsKeptEvenIfTheDueTimeWouldBeRefused() {
    node.schedule("a", on(SECOND));
    at(HOUR);
    assertEquals(Answer.KEPT, node.schedule("a", past(Due.Past.REJECT, SECOND, 0)).answer());
    assertEquals(Answer.KEPT, node.schedule("a", past(Due.Past.EXPIRE, SECOND, 0)).answer());
    assertEquals("a", node.claim().id());
  }

  // Batches.

  @Test
  final void aBatchIsAnsweredInItsOrder() {
    node.schedule("b", in(HOUR));
    List<Written> answers = node.write(List.of(node.insert("a", in(1)), node.insert("b", in(2), OnExisting.FAIL),
        new Write.Cancel(QUEUE, "unknown", "me"), node.insert("c", past(Due.Past.REJECT, -1, 0)),
        node.insert("d", in(4))));
    assertEquals(List.of(Answer.CREATED, Answer.EXISTS, Answer.NOT_FOUND, Answer.PAST, Answer.CREATED),
        answers.stream().map(Written::answer).toList());
    assertEquals(moment(4), answers.get(4).dueAt());
    assertEquals(task("d").seq(), answers.get(4).seq());
  }

  @Test
  final void anIdThatComesTwiceInABatchIsRefusedBeforeAnythingIsDone() {
    List<Write> batch = List.of(node.insert("a", in(0)), node.insert("b", in(0)), new Write.Cancel(QUEUE, "a", "me"));
    assertThrows(IllegalArgumentException.class, () -> store.write(batch, node.nextWrite()));
    assertEquals(List.of(), node.claim(3));
    assertEquals(Optional.empty(), find("b"));
  }

  @Test
  final void aQueueThatIsNotDefinedIsRefusedBeforeAnythingIsDone() {
    List<Write> batch = List.of(node.insert("a", in(0)), node("node", "unknown", Set.of(0)).insert("b", in(0)));
    assertThrows(IllegalArgumentException.class, () -> store.write(batch, node.nextWrite()));
    assertEquals(Optional.empty(), find("a"));
  }

  @Test
  final void aBatchMaySpanQueuesAndAnIdNamesAnotherTaskInEach() {
    define("mails", 1, ATTEMPTS);
    Node mails = node("node", "mails", Set.of(0));
    List<Written> answers = node
        .write(List.of(mails.insert("a", in(2)), node.insert("a", in(0)), mails.insert("b", in(1))));
    assertEquals(List.of(moment(2), moment(0), moment(1)), answers.stream().map(Written::dueAt).toList());
    assertEquals(List.of("a"), ids(node.claim(3)));
    at(1);
    assertEquals(List.of("b"), ids(mails.claim(3)));
    at(2);
    assertEquals(List.of("a"), ids(mails.claim(3)));
  }

  @Test
  final void anEmptyBatchIsAnsweredWithNothing() {
    assertEquals(List.of(), node.write(List.of()));
  }

  @Test
  final void aBatchOfAThousandIsWrittenAsOne() {
    List<Write.Insert> batch = IntStream.range(0, 1_000).mapToObj(i -> node.insert("task-" + i, in(i))).toList();
    List<Written> answers = node.write(batch);
    assertEquals(1_000, answers.stream().map(Written::seq).distinct().count());
    at(999);
    assertEquals(batch.stream().map(Write::id).toList(), ids(node.claim(1_000)));
  }

  // Ids and payloads.

  @Test
  final void idsAreComparedByteForByte() {
    List<String> ids = List.of("straße", "strasse", "STRASSE", "a", "A", "a ", " a", "a  ", "e\u0301", "\u00e9", "Ａ",
        "ß", "ss",
        "i", "ı", "İ", "I", "订单-42", "訂單-42", "🎉", "🎉\uFE0F", "👩‍👧", "%", "_", "a%", "a_", "'", "\"", "\\", "a'--",
        "10", "1e1",
        "010", "null", "0x0a", "ﬁ", "fi", "\u200b", "\u00a0", "~", "{a}");
    node.write(ids.stream().map(id -> node.insert(id, in(0))).toList());
    for (String id : ids) {
      assertEquals(id, task(id).id());
      assertEquals(Payload.of(id), task(id).payload());
    }
    assertEquals(Optional.empty(), find("Straße"));
    assertEquals(ids, ids(node.claim(ids.size())));
  }

  @Test
  final void anIdHasUpTo200CodePoints() {
    List<String> ids = List.of("🎉".repeat(200), "🎉".repeat(199) + "🎈", "单".repeat(200), "a".repeat(200),
        "a".repeat(199));
    node.write(ids.stream().map(id -> node.insert(id, in(0))).toList());
    assertEquals(ids, ids(node.claim(10)));
    ids.forEach(id -> assertEquals(TaskState.PROCESSING, state(id)));
  }

  @Test
  final void aPayloadComesBackByteForByte() {
    byte[] everyByte = new byte[256];
    for (int i = 0; i < everyByte.length; i++) {
      everyByte[i] = (byte) i;
    }
    byte[] large = new byte[256 * 1024];
    for (int i = 0; i < large.length; i++) {
      large[i] = (byte) (i * 31 >> 3);
    }
    List<Payload> payloads = List.of(Payload.EMPTY, Payload.of(everyByte), Payload.of(new byte[]{0}), Payload.of(large),
        Payload.of("{\"order\":42, \"note\":\"早\\u0000🎉\"}"));
    List<Write> batch = new ArrayList<>();
    for (Payload payload : payloads) {
      batch.add(new Write.Insert(QUEUE, "task-" + batch.size(), payload, in(0)));
    }
    node.write(batch);
    assertEquals(payloads.get(3), task("task-3").payload());
    List<Claimed> claims = node.claim(10);
    assertEquals(payloads, claims.stream().map(Claimed::payload).toList());
    node.complete(claims.get(1));
    assertEquals(payloads.get(1), task("task-1").payload(), "kept with the finished task");
  }

  private static final List<OnExisting> WISHES = List.of(OnExisting.KEEP, OnExisting.REPLACE, OnExisting.FAIL,
      OnExisting.REUSE);

  /** Four tasks, each named by the wish with which it is scheduled again. */
  private List<Write.Insert> four(Due due) {
    return WISHES.stream().map(wish -> node.insert(wish.name(), due)).toList();
  }

  private void assertAnswers(@Nullable TaskState found, Answer keep, Answer replace, Answer fail, Answer reuse) {
    List<Answer> expected = List.of(keep, replace, fail, reuse);
    for (int i = 0; i < WISHES.size(); i++) {
      OnExisting wish = WISHES.get(i);
      Optional<Task> before = find(wish.name());
      Written written = node.schedule(wish.name(), in(DAY), wish);
      assertEquals(expected.get(i), written.answer(), () -> "answer to " + wish);
      assertEquals(found, written.found(), () -> "found by " + wish);
      Task after = task(wish.name());
      if (written.answer() == Answer.CREATED || written.answer() == Answer.REPLACED) {
        assertEquals(TaskState.WAITING, after.state());
        assertEquals(after.seq(), written.seq());
        before.ifPresent(old -> assertNotEquals(old.seq(), after.seq(), "a new life has a new seq"));
      } else {
        assertEquals(before, Optional.of(after), () -> wish + " changes nothing");
      }
    }
  }

  private static Due past(Due.Past past, long millis, long pastMillis) {
    return new Due(Due.Base.INSTANT, moment(millis), 0, 1, past, pastMillis, false);
  }

  /** With a buffer, rounded up to whole seconds. */
  private static Due rounded(long millis, long bufferMillis) {
    return new Due(Due.Base.INSTANT, moment(millis), bufferMillis, SECOND, Due.Past.RUN, 0, false);
  }
}
