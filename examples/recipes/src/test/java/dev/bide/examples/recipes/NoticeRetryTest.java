package dev.bide.examples.recipes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.Bide;
import dev.bide.QueueSpec;
import dev.bide.Retry;
import dev.bide.TaskEvent;
import dev.bide.TaskQueue;
import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.task.Attempt;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Telling a partner that does not answer: three attempts, each after twice the pause, and a dead letter for people. */
class NoticeRetryTest {
  private static final QueueSpec<String> NOTICES = QueueSpec.of("notices", String.class)
      .retry(Retry.by(attempt -> Duration.ofMillis(200L << attempt - 1)).attempts(3));

  @Test
  void aNoticeThatIsNotTakenIsADeadLetterAfterThreeAttempts() throws InterruptedException {
    CountDownLatch failed = new CountDownLatch(1);
    Bide bide = Bide.on(MemoryTaskStore.create()).listener(event -> {
      if (event.kind() == TaskEvent.Kind.FAILED) {
        failed.countDown();
      }
    }).start();
    TaskQueue<String> notices = bide.queue(NOTICES);
    notices.handle(claim -> {
      throw new IllegalStateException("the partner answers 503");
    });
    notices.schedule("paid-42", "{\"order\": 42}", When.now());

    assertTrue(failed.await(30, TimeUnit.SECONDS));
    Task letter = notices.inspect("paid-42").orElseThrow();
    assertEquals(TaskState.FAILED, letter.state());
    assertEquals("failed: java.lang.IllegalStateException: the partner answers 503", letter.outcome().orElseThrow());
    List<Attempt> attempts = letter.attempts();
    assertEquals(3, attempts.size());
    assertTrue(pauseBefore(attempts.get(1), attempts.get(0)) >= 200);
    assertTrue(pauseBefore(attempts.get(2), attempts.get(1)) >= 400);

    // Nothing is left to do, so closing does not wait for anything.
    assertTimeout(Duration.ofSeconds(5), bide::close);
  }

  private static long pauseBefore(Attempt attempt, Attempt earlier) {
    return Duration.between(earlier.end(), attempt.start()).toMillis();
  }
}
