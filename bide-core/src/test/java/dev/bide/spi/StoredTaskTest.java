package dev.bide.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.task.Attempt;
import dev.bide.task.Due;
import dev.bide.task.OnExisting;
import dev.bide.task.PauseMode;
import dev.bide.task.Payload;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StoredTaskTest {

  @Test
  void aZoneThatThisJvmDoesNotKnowIsNotShown() {
    assertEquals(Optional.of(ZoneId.of("Asia/Shanghai")), shownIn("Asia/Shanghai").toTask(0).zone());
    assertEquals(Optional.empty(), shownIn("Mars/Olympus").toTask(0).zone());
  }

  @Test
  void aTaskExpiresOnlyWhenItsDueTimeIsLongerAgoThanAllowed() {
    assertFalse(due(new Due(Due.Base.INSTANT, 90, 0, 1, Due.Past.EXPIRE, 10, false), 100).state.finished());
    assertTrue(due(new Due(Due.Base.INSTANT, 89, 0, 1, Due.Past.EXPIRE, 10, false), 100).state.finished());
  }

  @Test
  void onlyLaterLeavesATaskThatIsDueThenAsItIs() {
    StoredTask task = due(Due.at(100), 0);
    task.move(new Due(Due.Base.INSTANT, 100, 0, 1, Due.Past.RUN, 0, true), "another rule", 50);
    assertNull(task.rule);
    assertEquals(0, task.updatedAt);
    task.move(new Due(Due.Base.INSTANT, 101, 0, 1, Due.Past.RUN, 0, true), "another rule", 50);
    assertEquals("another rule", task.rule);
  }

  @Test
  void onlyLaterCountsTheTimeForWhichATaskIsPaused() {
    StoredTask task = due(Due.at(100), 0);
    task.pause(PauseMode.KEEP_REMAINING, 10);
    task.move(new Due(Due.Base.INSTANT, 140, 0, 1, Due.Past.RUN, 0, true), null, 50);
    assertEquals(100, task.dueAt, "a resume would make it 140");
    task.move(new Due(Due.Base.INSTANT, 141, 0, 1, Due.Past.RUN, 0, true), null, 50);
    assertEquals(141, task.dueAt);
  }

  @Test
  void anEmptyReasonIsNoError() {
    StoredTask task = due(Due.at(0), 0);
    QueueSettings settings = new QueueSettings("q", 1, 3, 1_000, 0, 0);
    task.claim("node", 10, QueuePause.NONE, 0);
    task.settle(new Settlement("a", 1, task.token, End.RETRY, 0, ""), 0, settings);
    task.claim("node", 10, QueuePause.NONE, 0);
    task.settle(new Settlement("a", 1, task.token, End.RETRY, 0, "no answer"), 0, settings);
    assertEquals(List.of(Optional.empty(), Optional.of("no answer")),
        task.attempts.stream().map(Attempt::error).toList());
  }

  private static StoredTask due(Due due, long now) {
    return StoredTask.create(new Write.Insert("q", "a", Payload.EMPTY, due), 1, now);
  }

  private static StoredTask shownIn(String zone) {
    return StoredTask.create(
        new Write.Insert("q", "a", Payload.EMPTY, Due.fromNow(0), OnExisting.KEEP, null, zone, List.of()), 1, 0);
  }
}
