package dev.bide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.task.Answer;
import dev.bide.task.PauseMode;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PauseTest {
  private final List<TaskEvent> events = new CopyOnWriteArrayList<>();
  private final Bide bide = Bide.on(MemoryTaskStore.create()).listener(events::add).start();
  private final TaskQueue<String> queue = bide.queue(QueueSpec.of("q", String.class).retry(Retry.never()));

  private final List<Claim<String>> taken = new ArrayList<>();

  @AfterEach
  void close() {
    // Else the end would wait for them.
    taken.forEach(Claim::close);
    bide.close();
  }

  @Test
  void aPausedTaskRunsWhenItIsResumed() {
    queue.schedule("a", "x", When.now());
    assertEquals(Answer.DONE, queue.pause("a").answer());
    assertEquals(List.of(), queue.take(1, Duration.ZERO));
    assertEquals(TaskState.PAUSED, queue.inspect("a").orElseThrow().state());
    assertEquals(Answer.DONE, queue.resume("a").answer());
    assertEquals("a", take().id());
    assertEquals(List.of(TaskEvent.Kind.PAUSED, TaskEvent.Kind.RESUMED),
        kinds().stream().filter(kind -> kind == TaskEvent.Kind.PAUSED || kind == TaskEvent.Kind.RESUMED).toList());
  }

  @Test
  void whatWasLeftToWaitStandsStill() {
    queue.schedule("a", "x", When.in(Duration.ofHours(1)));
    queue.pause("a", PauseMode.KEEP_REMAINING);
    Duration left = queue.inspect("a").orElseThrow().remaining();
    Await.until("time goes on", () -> queue.inspect("a").orElseThrow().seenAt()
        .isAfter(queue.inspect("a").orElseThrow().stoppedAt().orElseThrow()));
    assertEquals(left, queue.inspect("a").orElseThrow().remaining());
  }

  @Test
  void aPausedQueueHandsOutNothingAndSaysSoAndGoesOnAtOnceWhenResumed() {
    queue.pause();
    assertTrue(queue.paused());
    queue.schedule("a", "x", When.now());
    assertEquals(List.of(), queue.take(1, Duration.ofMillis(30)));
    queue.resume();
    assertFalse(queue.paused());
    assertEquals("a", take().id());
    TaskEvent claimed = events.stream().filter(event -> event.kind() == TaskEvent.Kind.CLAIMED).findFirst()
        .orElseThrow();
    assertEquals(Optional.empty(), claimed.lateness(), "it was the pause that made it late");
  }

  @Test
  void aDeadLetterIsRevived() {
    queue.schedule("a", "x", When.now());
    take().settle(Outcome.fail("no way"));
    assertEquals(Answer.NOT_FOUND, queue.revive("b").answer());
    assertEquals(Answer.DONE, queue.revive("a").answer());
    Claim<String> again = take();
    assertEquals(1, again.attempt());
    assertTrue(again.settle(Outcome.done()));
    assertEquals(Answer.NOT_FAILED, queue.revive("a").answer());
    assertTrue(kinds().contains(TaskEvent.Kind.REVIVED));
  }

  private List<TaskEvent.Kind> kinds() {
    return events.stream().map(TaskEvent::kind).toList();
  }

  private Claim<String> take() {
    taken.addAll(queue.take(1, Await.LONG));
    return taken.get(taken.size() - 1);
  }
}
