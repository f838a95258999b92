package dev.bide;

import static dev.bide.SteppedNode.in;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.SteppedNode.World;
import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.StoreException;
import dev.bide.spi.TaskStore;
import dev.bide.task.Answer;
import dev.bide.task.Attempt;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The promises of the contract as an application meets them, one test or two for each. */
class PromisesTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final QueueSpec<String> SPEC = QueueSpec.of("q", String.class).lease(LEASE)
      .retry(Retry.fixed(Duration.ofMillis(5)).attempts(3));

  private final AtomicLong clock = new AtomicLong(1_000_000);
  private final List<Bide> nodes = new ArrayList<>();
  private final LogCapture log = new LogCapture();

  private Bide node(TaskStore store) {
    return node(store, "promise");
  }

  private Bide node(TaskStore store, String name) {
    Bide node = Bide.on(store).shared().name(name).shutdownLimit(Duration.ZERO).start();
    nodes.add(node);
    return node;
  }

  @AfterEach
  void close() {
    nodes.forEach(Bide::close);
    log.close();
  }

  private static Task task(TaskQueue<?> queue, String id) {
    return queue.inspect(id).orElseThrow();
  }

  @Test
  void promise1_anAcknowledgedScheduleIsNeverLost() {
    MemoryTaskStore store = MemoryTaskStore.create();
    Bide first = node(store);
    TaskQueue<String> queue = first.queue(SPEC);
    List<String> acknowledged = new CopyOnWriteArrayList<>();
    List<Thread> callers = IntStream.range(0, 4).mapToObj(t -> Await.thread(() -> {
      try {
        for (int i = 0; i < 100_000; i++) {
          acknowledged.add(queue.schedule("x", in(i % 10)).id());
        }
      } catch (IllegalStateException e) {
        // The node is closed under its callers' feet; what it has acknowledged counts.
        return;
      }
    })).toList();
    Await.until("some", () -> acknowledged.size() > 100);
    first.close();
    callers.forEach(Await::join);
    Set<String> handled = ConcurrentHashMap.newKeySet();
    node(store).queue(SPEC).handle(claim -> {
      handled.add(claim.id());
      return Outcome.done();
    });
    Await.until("all are handled", () -> handled.containsAll(acknowledged));
  }

  @Test
  void promise2_noTaskIsEarlyByTheClockOfTheStore() {
    TaskQueue<String> queue = node(MemoryTaskStore.on(clock::get)).queue(SPEC);
    queue.schedule("a", "x", in(50));
    clock.addAndGet(49);
    assertEquals(List.of(), queue.take(1, Duration.ZERO));
    clock.addAndGet(1);
    Claim<String> claim = queue.take(1, Duration.ZERO).get(0);
    assertEquals(claim.dueAt(), claim.claimedAt());
    assertTrue(claim.settle(Outcome.retryIn(Duration.ofMillis(20))));
    clock.addAndGet(19);
    assertEquals(List.of(), queue.take(1, Duration.ZERO));
    clock.addAndGet(1);
    assertTrue(queue.take(1, Duration.ZERO).get(0).settle(Outcome.done()));
  }

  @Test
  void promise2_noTaskIsEarlyOnRealClocks() {
    MemoryTaskStore store = MemoryTaskStore.create();
    TaskQueue<String> queue = node(store).queue(SPEC);
    AtomicInteger handled = new AtomicInteger();
    List<String> early = new CopyOnWriteArrayList<>();
    queue.handle(claim -> {
      if (claim.claimedAt().isBefore(claim.dueAt()) || store.now() < claim.dueAt().toEpochMilli()) {
        early.add(claim.toString());
      }
      handled.incrementAndGet();
      return Outcome.done();
    });
    Instant base = Instant.ofEpochMilli(store.now());
    for (int i = 0; i < 200; i++) {
      queue.schedule("x", i % 2 == 0 ? When.in(Duration.ofNanos(i * 700_001L)) : When.at(base.plusNanos(i * 700_001L)));
    }
    Await.until("all are handled", () -> handled.get() == 200);
    assertEquals(List.of(), early);
  }

  @Test
  void promise3_aClaimHasOneValidOwnerAndAStaleOnesWordIsRefused() {
    MemoryTaskStore store = MemoryTaskStore.on(clock::get);
    TaskQueue<String> slow = node(store).queue(SPEC);
    TaskQueue<String> quick = node(store).queue(SPEC);
    slow.schedule("a", "x", When.now());
    Claim<String> stale = slow.take(1, Duration.ZERO).get(0);
    clock.addAndGet(LEASE.toMillis() - 1);
    assertEquals(List.of(), quick.take(1, Duration.ZERO), "its lease has a millisecond left");
    clock.addAndGet(1);
    Claim<String> valid = quick.take(1, Duration.ZERO).get(0);
    assertTrue(valid.token() > stale.token());
    assertFalse(stale.settle(Outcome.fail("stale")));
    assertEquals(TaskState.PROCESSING, task(quick, "a").state());
    assertTrue(valid.settle(Outcome.done()));
    assertEquals(TaskState.COMPLETED, task(quick, "a").state());
  }

  @Test
  void promise4_aCancelThatAnsweredCancelledIsFollowedByNoHandler() {
    MemoryTaskStore store = MemoryTaskStore.create();
    TaskQueue<String> queue = node(store).queue(SPEC);
    Set<String> started = ConcurrentHashMap.newKeySet();
    Bide other = node(store);
    for (TaskQueue<String> each : List.of(queue, other.queue(SPEC))) {
      each.handle(claim -> {
        started.add(claim.id());
        return Outcome.done();
      });
    }
    Set<String> cancelled = ConcurrentHashMap.newKeySet();
    AtomicInteger answered = new AtomicInteger();
    List<Thread> callers = IntStream.range(0, 3).mapToObj(t -> Await.thread(() -> {
      for (int i = 0; i < 150; i++) {
        String id = t + "-" + i;
        queue.schedule(id, "x", in(i % 3));
        Changed changed = queue.cancel(id);
        answered.incrementAndGet();
        if (changed.answer() == Answer.CANCELLED) {
          assertFalse(started.contains(id));
          cancelled.add(id);
        } else {
          assertTrue(changed.found().isPresent(), "any other answer carries the state found");
        }
      }
    })).toList();
    callers.forEach(Await::join);
    assertEquals(450, answered.get());
    Await.until("the rest is handled", () -> started.size() + cancelled.size() >= 450);
    assertTrue(cancelled.stream().noneMatch(started::contains));
  }

  @Test
  void promise5_aLifeEndsOnceAndItsHistoryIsAPath() {
    TaskQueue<String> queue = node(MemoryTaskStore.create()).queue(SPEC);
    queue.handle(claim -> switch (claim.id().charAt(0)) {
      case 'd' -> Outcome.done();
      case 'r' -> claim.attempt() < 3 ? Outcome.retryIn(Duration.ZERO) : Outcome.done();
      default -> Outcome.retryIn(Duration.ofMillis(1));
    });
    Map<Character, TaskState> ends = Map.of('d', TaskState.COMPLETED, 'r', TaskState.COMPLETED, 'f', TaskState.FAILED);
    Map<Character, Integer> attempts = Map.of('d', 1, 'r', 3, 'f', 3);
    for (char kind : ends.keySet()) {
      String id = kind + "-task";
      queue.schedule(id, "x", When.now());
      Await.until(id, () -> task(queue, id).state().finished());
      Task ended = task(queue, id);
      assertEquals(ends.get(kind), ended.state());
      assertEquals(attempts.get(kind), ended.attempts().size());
      for (int i = 0; i < ended.attempts().size(); i++) {
        Attempt attempt = ended.attempts().get(i);
        assertEquals(i + 1, attempt.number());
        assertFalse(attempt.end().isBefore(attempt.start()));
        assertTrue(i == 0 || !attempt.start().isBefore(ended.attempts().get(i - 1).end()));
      }
      assertEquals(Answer.ALREADY_FINISHED, queue.cancel(id).answer());
      assertEquals(Answer.ALREADY_FINISHED, queue.move(id, in(1)).answer());
      assertEquals(ended.outcome(), task(queue, id).outcome());
    }
  }

  @Test
  void promise6_aTaskThatKillsItsProcessEndsAsADeadLetterAndItsMatesAreDone() {
    World world = new World();
    for (int process = 0; process < 20; process++) {
      SteppedNode node = new SteppedNode(world, "process-" + process);
      SteppedNode.Queue queue = node.queue(SPEC.handlers(4)).handle(claim -> Outcome.done());
      for (int i = 0; i < 6; i++) {
        queue.schedule(i == 2 ? "killer" : "mate-" + i, 0);
      }
      for (int round = 0; round < 3; round++) {
        node.answerAll();
        if (queue.leases.held().stream().anyMatch(claim -> claim.task.id().equals("killer"))) {
          break;
        }
        node.runHandlers();
      }
      world.pass(LEASE);
    }
    Task killer = world.task("q", "killer");
    assertEquals("failed: attempts used up (3), claimed 3 times, lease lost 3 times", killer.outcome().orElseThrow());
    for (int i : new int[]{0, 1, 3, 4, 5}) {
      assertEquals(TaskState.COMPLETED, world.task("q", "mate-" + i).state(), "mate " + i);
    }
  }

  @Test
  void promise7_equalDueTimesComeInTheOrderTheyWereScheduled() {
    TaskQueue<String> queue = node(MemoryTaskStore.on(clock::get)).queue(SPEC);
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      ids.add(queue.schedule("x", in(100)).id());
    }
    queue.schedule("sooner", "x", in(99));
    queue.schedule("later", "x", in(101));
    clock.addAndGet(200);
    List<Claim<String>> claims = queue.take(100, Duration.ZERO);
    ids.add(0, "sooner");
    ids.add("later");
    assertEquals(ids, claims.stream().map(Claim::id).toList());
    claims.forEach(Claim::close);
  }

  @Test
  void promise8_aDueTaskIsClaimedWithinASecondThoughEveryNotificationIsLost() {
    World world = new World();
    SteppedNode node = new SteppedNode(world, "n1");
    List<String> handled = new ArrayList<>();
    SteppedNode.Queue queue = node.queue(SPEC).handle(claim -> {
      handled.add(claim.id());
      return Outcome.done();
    });
    for (int i = 0; i < 40; i++) {
      world.insert("q", "t" + i, (i * 773L) % 1_500);
      node.runFor(Duration.ofMillis(137));
    }
    node.runFor(Duration.ofSeconds(3));
    assertEquals(40, handled.size());
    for (String id : handled) {
      Task task = queue.task(id);
      long late = Duration.between(task.dueAt(), task.attempts().get(0).start()).toMillis();
      assertTrue(late >= 0 && late <= 1_000, id + " is late by " + late);
    }
  }

  @Test
  void promise9_aShutdownLosesNothing() {
    MemoryTaskStore store = MemoryTaskStore.create();
    Map<String, Integer> handled = new ConcurrentHashMap<>();
    for (int round = 0; round < 6; round++) {
      try (Bide node = Bide.on(store).shared().start()) {
        TaskQueue<String> queue = node.queue(SPEC.handlers(3).prefetch(3));
        String prefix = "r" + round + "-";
        queue.scheduleAll(IntStream.range(0, 60).mapToObj(i -> Entry.of(prefix + i, "x", in(i % 5))).toList());
        int before = handled.size();
        queue.handle(claim -> {
          handled.merge(claim.id(), 1, Integer::sum);
          return Outcome.done();
        });
        Await.until("in the middle of it", () -> handled.size() > before + 10);
      }
    }
    TaskQueue<String> last = node(store).queue(SPEC);
    last.handle(claim -> {
      handled.merge(claim.id(), 1, Integer::sum);
      return Outcome.done();
    });
    Await.until("all are handled", () -> handled.size() == 360);
    for (String id : handled.keySet()) {
      Await.until(id, () -> task(last, id).state() == TaskState.COMPLETED);
      assertEquals(1, task(last, id).attempt(), "what was given back did not count");
    }
    assertTrue(handled.values().stream().allMatch(times -> times == 1));
  }

  @Test
  void promise10_everyCallMayBeDoneTwiceAndHasItsEffectOnce() {
    TappedStore store = new TappedStore(MemoryTaskStore.create());
    AtomicInteger calls = new AtomicInteger();
    store.after(call -> {
      boolean repeated = call.kind() == TappedStore.Kind.WRITE || call.kind() == TappedStore.Kind.EXCHANGE;
      if (repeated && calls.incrementAndGet() % 2 == 1) {
        throw StoreException.passing("the reply is lost", null);
      }
    });
    TaskQueue<String> queue = node(store).queue(SPEC.retry(Retry.fixed(Duration.ZERO).attempts(3)));
    Map<String, Integer> handled = new ConcurrentHashMap<>();
    queue.schedule("extended", "x", in(60_000));
    Instant due = task(queue, "extended").dueAt();
    queue.extend("extended", Duration.ofSeconds(7));
    assertEquals(due.plusSeconds(7), task(queue, "extended").dueAt());
    assertEquals(Answer.CANCELLED, queue.cancel("extended").answer());
    queue.handle(claim -> {
      handled.merge(claim.id(), 1, Integer::sum);
      return claim.attempt() == 1 ? Outcome.retryIn(Duration.ZERO) : Outcome.done();
    });
    for (int i = 0; i < 20; i++) {
      assertEquals(Answer.CREATED, queue.schedule("t" + i, "x", When.now()).answer());
    }
    for (int i = 0; i < 20; i++) {
      String id = "t" + i;
      Await.until(id, () -> task(queue, id).state() == TaskState.COMPLETED);
      assertEquals(2, handled.get(id), id);
      assertEquals(2, task(queue, id).claims(), id);
      assertEquals(2, task(queue, id).attempts().size(), id);
    }
  }

  @Test
  void promise11_threadsAndClaimsAreBoundedUnderAnyBacklog() {
    TappedStore store = new TappedStore(MemoryTaskStore.create());
    // Threads of other tests may still be ending.
    TaskQueue<String> queue = node(store, "bounded").queue(SPEC.handlers(3).prefetch(5));
    queue.scheduleAll(IntStream.range(0, 20_000).mapToObj(i -> Entry.of("t" + i, "x", When.now())).toList());
    AtomicInteger handled = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch goOn = new CountDownLatch(1);
    queue.handle(claim -> {
      most.accumulateAndGet(threads(), Math::max);
      if (handled.incrementAndGet() > 60) {
        Await.latch(goOn);
      }
      return Outcome.done();
    });
    Await.until("some are handled", () -> handled.get() > 60);
    assertTrue(store.calls(TappedStore.Kind.EXCHANGE).stream().allMatch(call -> call.limit() <= 8));
    // The engine, a few for the store, and the handlers.
    assertTrue(most.get() <= 3 + 5, "threads: " + most);
    goOn.countDown();
    queue.credit(0);
  }

  private static int threads() {
    return (int) Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().startsWith("bounded"))
        .count();
  }

  @Test
  void promise12_aHandlerRunsAtLeastOnceAndAgainWhenItsSettlementIsLost() {
    MemoryTaskStore store = MemoryTaskStore.on(clock::get);
    TappedStore cut = new TappedStore(store);
    AtomicInteger runs = new AtomicInteger();
    TaskQueue<String> lonely = node(cut).queue(SPEC);
    lonely.handle(claim -> {
      cut.before(call -> {
        throw StoreException.passing("cut off for good", null);
      });
      runs.incrementAndGet();
      return Outcome.done();
    });
    lonely.schedule("a", "x", When.now());
    Await.until("it ran", () -> runs.get() == 1);
    clock.addAndGet(LEASE.toMillis());
    TaskQueue<String> other = node(store).queue(SPEC);
    other.handle(claim -> {
      runs.incrementAndGet();
      return Outcome.done();
    });
    Await.until("it ran again", () -> task(other, "a").state() == TaskState.COMPLETED);
    assertEquals(2, runs.get());
    cut.before(call -> {});
  }
}
