package dev.bide.examples.recipes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.Bide;
import dev.bide.QueueSpec;
import dev.bide.Retry;
import dev.bide.TaskEvent;
import dev.bide.TaskQueue;
import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * A backoff of one's own, watched in virtual time: the store's clock stands still until the test turns it, so every
 * attempt has its exact moment. The node needs a little real time to notice that the clock was turned.
 */
class RetryWalkTest {
  private static final QueueSpec<String> WALK = QueueSpec.of("walk", String.class)
      .retry(Retry.by(attempt -> Duration.ofMillis(50L << attempt - 1)).attempts(3));

  /** The store's clock, in milliseconds since 1970. */
  private final AtomicLong clock = new AtomicLong();
  private final Semaphore ended = new Semaphore(0);

  @Test
  void attemptsAreMadeAt0And50And150MillisecondsAndThenNothingIsLeft() throws InterruptedException {
    try (Bide bide = Bide.on(MemoryTaskStore.on(clock::get)).listener(this::attemptEnded).start()) {
      TaskQueue<String> queue = bide.queue(WALK);
      queue.handle(claim -> {
        throw new IllegalStateException("attempt " + claim.attempt() + " fails");
      });
      queue.schedule("step", "left, right", When.now());
      awaitAttempt();
      assertEquals(Duration.ofMillis(50), queue.inspect("step").orElseThrow().remaining());

      clock.set(49);
      assertEquals(List.of(), queue.take(1, Duration.ZERO), "not a millisecond early");
      clock.set(50);
      awaitAttempt();
      assertEquals(Duration.ofMillis(100), queue.inspect("step").orElseThrow().remaining());

      clock.set(150);
      awaitAttempt();
      Task task = queue.inspect("step").orElseThrow();
      assertEquals(TaskState.FAILED, task.state());
      assertEquals(List.of(0L, 50L, 150L),
          task.attempts().stream().map(attempt -> attempt.start().toEpochMilli()).toList());

      clock.set(Duration.ofDays(1).toMillis());
      assertEquals(List.of(), queue.take(1, Duration.ZERO));
    }
  }

  private void attemptEnded(TaskEvent event) {
    if (event.kind() == TaskEvent.Kind.RETRIED || event.kind() == TaskEvent.Kind.FAILED) {
      ended.release();
    }
  }

  private void awaitAttempt() throws InterruptedException {
    assertTrue(ended.tryAcquire(30, TimeUnit.SECONDS));
  }
}
