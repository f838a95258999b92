package dev.bide;

import static dev.bide.TaskEvent.Kind.SETTINGS_DIFFER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.TaskStore;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is stored with a queue, and what each node has for itself. */
class SettingsTest {
  private static final QueueSpec<String> FIRST = QueueSpec.of("q", String.class).lease(Duration.ofSeconds(20))
      .retry(Retry.fixed(Duration.ZERO).attempts(3)).retention(Duration.ofHours(1))
      .deadLetterRetention(Duration.ofHours(2)).shards(4);

  private final TaskStore store = MemoryTaskStore.create();
  private final List<TaskEvent> events = new CopyOnWriteArrayList<>();
  private final LogCapture log = new LogCapture();

  @AfterEach
  void close() {
    store.close();
    log.close();
  }

  private Bide start() {
    return Bide.on(store).shared().listener(events::add).start();
  }

  private QueueSettings stored() {
    return store.queues().find("q").orElseThrow();
  }

  @Test
  void theFirstSpecIsStored() {
    try (Bide bide = start()) {
      bide.queue(FIRST);
      assertEquals(new QueueSettings("q", 4, 3, 20_000, 3_600_000, 7_200_000), stored());
    }
    try (Bide bide = start()) {
      bide.queue(FIRST);
    }
    assertEquals(List.of(), events);
    assertEquals(List.of(), log.messages());
  }

  @Test
  void theDefaultsAreThoseOfTheManual() {
    assertEquals(new QueueSettings("q", 1, 8, 30_000, 7 * 86_400_000L, 30 * 86_400_000L),
        QueueSpec.of("q", String.class).settings());
    assertEquals(16, QueueSpec.of("q", String.class).handlers());
    assertEquals(0, QueueSpec.of("q", String.class).prefetch(QueueSpec.of("q", String.class).settings()).tasks());
  }

  @Test
  void aSpecThatDiffersIsReportedAndTheStoredValuesHold() {
    try (Bide bide = start()) {
      bide.queue(FIRST);
    }
    try (Bide bide = start()) {
      TaskQueue<String> queue = bide.queue(FIRST.retry(Retry.never()).lease(Duration.ofSeconds(5)));
      assertEquals(3, stored().maxAttempts());
      assertEquals(20_000, stored().leaseMillis());
      TaskEvent told = events.get(0);
      assertEquals(SETTINGS_DIFFER, told.kind());
      assertEquals("q", told.queue());
      for (String both : List.of("leaseMillis=20000", "leaseMillis=5000", "maxAttempts=3", "maxAttempts=1")) {
        assertTrue(told.detail().contains(both), told.detail());
        assertTrue(log.messages().get(0).contains(both), log.messages().toString());
      }
      queue.schedule("a", "x", When.now());
      Claim<String> claim = queue.take(1, Await.LONG).get(0);
      assertTrue(claim.settle(Outcome.retryIn(Duration.ZERO)));
      assertEquals(TaskState.WAITING, queue.inspect("a").orElseThrow().state(), "three attempts are stored");
    }
  }

  @Test
  void updateStoredWritesTheSpecForAllNodes() {
    try (Bide bide = start()) {
      bide.queue(FIRST);
    }
    try (Bide bide = start()) {
      bide.queue(FIRST.retry(Retry.never()).updateStored());
      assertEquals(1, stored().maxAttempts());
    }
    assertEquals(List.of(), events);
  }

  @Test
  void anotherNumberOfShardsIsRefusedEvenForAnUpdate() {
    try (Bide bide = start()) {
      bide.queue(FIRST);
    }
    try (Bide bide = start()) {
      for (QueueSpec<String> spec : List.of(FIRST.shards(5), FIRST.shards(5).updateStored())) {
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> bide.queue(spec));
        assertTrue(refusal.toString().contains("4 shards") && refusal.toString().contains("says 5"),
            refusal.toString());
      }
      assertEquals(4, stored().shards());
    }
  }

  @Test
  void aQueueOfManyShardsIsHandledWhole() {
    try (Bide bide = start()) {
      TaskQueue<String> queue = bide.queue(FIRST);
      for (int i = 0; i < 40; i++) {
        queue.schedule("t" + i, "x", When.now());
      }
      queue.handle(claim -> Outcome.done());
      for (int i = 0; i < 40; i++) {
        String id = "t" + i;
        Await.until(id, () -> queue.inspect(id).orElseThrow().state() == TaskState.COMPLETED);
      }
    }
  }

  @Test
  void badValuesAreRefused() {
    QueueSpec<String> spec = QueueSpec.of("q", String.class);
    List<Runnable> bad = List.of(() -> spec.lease(Duration.ofMillis(99)), () -> spec.handlers(0),
        () -> spec.handlers(10_001), () -> spec.prefetch(-1), () -> spec.prefetch(10_001), () -> spec.shards(0),
        () -> spec.shards(1_025), () -> spec.retention(Duration.ofSeconds(59)),
        () -> spec.deadLetterRetention(Duration.ofSeconds(59)), () -> Bide.on(store).name(""),
        () -> Bide.on(store).name("a\nb"), () -> Bide.on(store).name("x".repeat(101)),
        () -> Bide.on(store).shutdownLimit(Duration.ofMillis(-1)), () -> Bide.on(store).maxDelay(Duration.ZERO),
        () -> Bide.on(store).maxDelay(Duration.ofDays(36_526)));
    bad.forEach(call -> assertThrows(IllegalArgumentException.class, call::run));
  }

  @Test
  void theLongestLeaseIsHeldWithoutOverflow() {
    try (Bide bide = start()) {
      TaskQueue<String> queue = bide
          .queue(QueueSpec.of("long", String.class).lease(Duration.ofSeconds(Long.MAX_VALUE)));
      queue.schedule("a", "x", When.now());
      Claim<String> claim = queue.take(1, Await.LONG).get(0);
      assertFalse(claim.lost());
      assertTrue(claim.settle(Outcome.done()));
    }
  }
}
