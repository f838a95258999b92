package dev.bide;

import static dev.bide.SteppedNode.in;
import static dev.bide.TaskEvent.Kind.CANCELLED;
import static dev.bide.TaskEvent.Kind.CANCEL_REQUESTED;
import static dev.bide.TaskEvent.Kind.CLAIMED;
import static dev.bide.TaskEvent.Kind.COMPLETED;
import static dev.bide.TaskEvent.Kind.FAILED;
import static dev.bide.TaskEvent.Kind.KEPT;
import static dev.bide.TaskEvent.Kind.MOVED;
import static dev.bide.TaskEvent.Kind.RELEASED;
import static dev.bide.TaskEvent.Kind.RETRIED;
import static dev.bide.TaskEvent.Kind.SCHEDULED;
import static dev.bide.TaskEvent.Kind.STARTED;
import static dev.bide.TaskEvent.Kind.STORE_FAILED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.StoreException;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The stream of events, on real threads. */
class EventsTest {
  private final TappedStore store = new TappedStore(MemoryTaskStore.create());
  private final List<TaskEvent> events = new CopyOnWriteArrayList<>();
  private final QueueSpec<String> spec = QueueSpec.of("q", String.class)
      .retry(Retry.fixed(Duration.ofMillis(5)).attempts(2));

  private Bide start() {
    return Bide.on(store).listener(events::add).start();
  }

  private List<TaskEvent> of(String task) {
    return events.stream().filter(event -> event.task().equals(task)).toList();
  }

  private List<TaskEvent.Kind> kinds(String task) {
    return of(task).stream().map(TaskEvent::kind).toList();
  }

  @Test
  void theWholeLifeOfATaskIsToldInOrder() {
    try (Bide bide = start()) {
      TaskQueue<String> queue = bide.queue(spec);
      queue.schedule("a", "secret", in(10));
      queue.handle(claim -> {
        throw new IllegalStateException("attempt " + claim.attempt());
      });
      Await.until("it fails", () -> kinds("a").contains(FAILED));
      assertEquals(List.of(SCHEDULED, CLAIMED, STARTED, RETRIED, CLAIMED, STARTED, FAILED), kinds("a"));
      List<TaskEvent> its = of("a");
      assertEquals(List.of(0, 1, 1, 1, 2, 2, 2), its.stream().map(TaskEvent::attempt).toList());
      assertEquals(0, its.get(0).token());
      long token = its.get(1).token();
      assertTrue(token > 0);
      assertEquals(List.of(token, token, token), its.subList(1, 4).stream().map(TaskEvent::token).toList());
      assertTrue(its.get(4).token() > token);
      for (TaskEvent event : its) {
        assertEquals("q", event.queue());
        assertEquals(bide.node(), event.node());
        boolean timed = event.kind() == CLAIMED || event.kind() == STARTED;
        assertEquals(timed, event.lateness().isPresent(), event.toString());
        assertFalse(event.lateness().orElse(Duration.ZERO).isNegative());
        assertFalse(event.toString().contains("secret"));
      }
      assertEquals("java.lang.IllegalStateException: attempt 1", its.get(3).detail());
      assertEquals("attempt 2", its.get(6).cause().orElseThrow().getMessage());
    }
  }

  @Test
  void latenessCountsFromDueForTheFirstClaimAndFromReadyForTheNext() {
    try (Bide bide = start()) {
      TaskQueue<String> queue = bide.queue(spec);
      Instant longAgo = Instant.ofEpochMilli(store.now()).minusSeconds(3_600);
      queue.schedule("a", "x", When.at(longAgo));
      queue.handle(claim -> claim.attempt() == 1 ? Outcome.retryIn(Duration.ofMillis(5)) : Outcome.done());
      Await.until("it is done", () -> kinds("a").contains(COMPLETED));
      List<Duration> lateness = of("a").stream().filter(event -> event.kind() == CLAIMED)
          .map(event -> event.lateness().orElseThrow()).toList();
      assertTrue(lateness.get(0).compareTo(Duration.ofSeconds(3_600)) >= 0, lateness.toString());
      assertTrue(lateness.get(1).compareTo(Duration.ofSeconds(600)) < 0, lateness.toString());
    }
  }

  @Test
  void whatCallersDoIsTold() {
    try (Bide bide = start()) {
      TaskQueue<String> queue = bide.queue(spec);
      queue.schedule("a", "x", in(60_000));
      queue.schedule("a", "x", in(60_000));
      queue.move("a", in(50_000));
      queue.extend("a", Duration.ofSeconds(1));
      queue.cancel("a");
      queue.cancel("a");
      assertEquals(List.of(SCHEDULED, KEPT, MOVED, MOVED, CANCELLED), kinds("a"));
      assertEquals("CREATED", of("a").get(0).detail());
      queue.schedule("b", "x", When.now());
      try (Claim<String> claim = queue.take(1, Await.LONG).get(0)) {
        queue.cancel("b");
        assertTrue(claim.settle(Outcome.retryIn(Duration.ZERO)));
      }
      assertEquals(List.of(SCHEDULED, CLAIMED, STARTED, CANCEL_REQUESTED, CANCELLED), kinds("b"));
      queue.schedule("c", "x", When.now());
      queue.take(1, Await.LONG).forEach(Claim::close);
      Await.until("it is given back", () -> kinds("c").contains(RELEASED));
    }
  }

  @Test
  void aDeadLetterMadeByTheStoreIsToldOnce() {
    try (Bide bide = start()) {
      TaskQueue<String> queue = bide.queue(QueueSpec.of("brief", String.class).lease(Duration.ofMillis(400))
          .retry(Retry.never()));
      queue.schedule("a", "x", When.now());
      List<Claim<String>> forgotten = queue.take(1, Await.LONG);
      store.before(call -> {
        if (call.kind() == TappedStore.Kind.RENEW) {
          throw StoreException.passing("away", null);
        }
      });
      queue.handle(claim -> Outcome.done());
      Await.until("it ends", () -> queue.inspect("a").orElseThrow().state() == TaskState.FAILED);
      Await.until("it is told", () -> kinds("a").contains(FAILED));
      assertEquals(1, kinds("a").stream().filter(kind -> kind == FAILED).count());
      TaskEvent told = of("a").stream().filter(event -> event.kind() == FAILED).findFirst().orElseThrow();
      assertTrue(told.detail().contains("lease lost 1 times"), told.detail());
      forgotten.forEach(Claim::close);
    }
  }

  @Test
  void aStoreThatFailsIsToldWithItsCause() {
    try (Bide bide = start()) {
      TaskQueue<String> queue = bide.queue(spec);
      AtomicInteger failures = new AtomicInteger();
      store.before(call -> {
        if (call.limit() > 0 && failures.getAndIncrement() == 0) {
          throw StoreException.passing("away for a moment", null);
        }
      });
      queue.handle(claim -> Outcome.done());
      Await.until("it is told", () -> events.stream().anyMatch(event -> event.kind() == STORE_FAILED));
      TaskEvent told = events.get(events.size() - 1);
      assertEquals("q", told.queue());
      assertEquals("", told.task());
      assertTrue(told.detail().contains("away for a moment"));
      assertTrue(told.cause().isPresent());
    }
  }

  @Test
  void aListenerThatThrowsHarmsNeitherTasksNorOtherListeners() {
    try (LogCapture log = new LogCapture();
        Bide bide = Bide.on(store).listener(event -> {
          throw new IllegalStateException("for a test");
        }).listener(event -> {
          throw new StackOverflowError("for a test");
        }).listener(event -> Thread.currentThread().interrupt()).listener(events::add).start()) {
      TaskQueue<String> queue = bide.queue(spec);
      queue.handle(claim -> Outcome.done());
      for (int i = 0; i < 20; i++) {
        queue.schedule("t" + i, "x", When.now());
        assertTrue(Thread.interrupted(), "the listener's doing");
      }
      Await.until("all are told", () -> events.stream().filter(event -> event.kind() == COMPLETED).count() == 20);
      assertEquals(1, log.messages().stream().filter(message -> message.contains("a listener failed")).count(),
          "the first of many");
    }
  }

  @Test
  void aSlowListenerIsWarnedOf() {
    AtomicLong clock = new AtomicLong(1_000_000);
    try (LogCapture log = new LogCapture()) {
      Events slow = new Events("n1", clock::get,
          List.of(event -> clock.addAndGet(event.detail().equals("slow") ? 1_001 : 1_000)));
      slow.task(SCHEDULED, "q", "a", "quick");
      assertEquals(List.of(), log.messages());
      slow.task(SCHEDULED, "q", "a", "slow");
      assertTrue(log.messages().get(0).startsWith("the listeners took 1001 ms on "), log.messages().toString());
    }
  }

  @Test
  void theEventsOfEachClaimComeInOrderWhateverTheThreads() {
    try (Bide bide = start()) {
      TaskQueue<String> queue = bide.queue(spec.handlers(8).prefetch(8));
      queue.handle(claim -> claim.attempt() == 1 ? Outcome.retryIn(Duration.ZERO) : Outcome.done());
      queue.scheduleAll(IntStream.range(0, 100).mapToObj(i -> Entry.of("t" + i, "x", in(i % 10))).toList());
      Await.until("all are done", () -> events.stream().filter(event -> event.kind() == COMPLETED).count() == 100);
      for (int i = 0; i < 100; i++) {
        List<TaskEvent.Kind> kinds = kinds("t" + i).stream().filter(kind -> kind != SCHEDULED).toList();
        assertEquals(List.of(CLAIMED, STARTED, RETRIED, CLAIMED, STARTED, COMPLETED), kinds);
      }
    }
  }

  @Test
  void aStageGoesOnWhenTheListenersHaveBeenTold() {
    try (Bide bide = start()) {
      TaskQueue<String> queue = bide.queue(spec);
      List<TaskEvent.Kind> before = queue.scheduleAsync("a", "x", in(1_000)).thenApply(scheduled -> kinds("a"))
          .toCompletableFuture().join();
      assertEquals(List.of(SCHEDULED), before);
      List<TaskEvent.Kind> cancelled = queue.cancelAsync("a", "me").thenApply(changed -> kinds("a"))
          .toCompletableFuture().join();
      assertEquals(List.of(SCHEDULED, CANCELLED), cancelled);
    }
  }
}
