package dev.bide;

import static dev.bide.SteppedNode.in;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.StoreException;
import dev.bide.spi.TaskStore;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Several nodes on one store; on real threads. */
class NodesTest {
  private static final QueueSpec<String> SPEC = QueueSpec.of("q", String.class).handlers(2);

  private final MemoryTaskStore store = MemoryTaskStore.create();

  @Test
  void nodesShareTheWorkAndEachTaskIsHandledOnce() {
    Map<String, List<String>> handled = new ConcurrentHashMap<>();
    List<Bide> nodes = new ArrayList<>();
    CountDownLatch all = new CountDownLatch(3);
    for (int i = 0; i < 3; i++) {
      Bide node = Bide.on(store).shared().name("n" + i).start();
      nodes.add(node);
      AtomicBoolean first = new AtomicBoolean(true);
      node.queue(SPEC).handle(claim -> {
        if (first.getAndSet(false)) {
          all.countDown();
        }
        // Until each node has had a task, none takes all.
        Await.latch(all);
        handled.computeIfAbsent(claim.id(), id -> new CopyOnWriteArrayList<>()).add(node.node());
        return Outcome.done();
      });
    }
    nodes.get(0).queue(SPEC)
        .scheduleAll(IntStream.range(0, 300).mapToObj(i -> Entry.of("t" + i, "x", in(i % 40))).toList());
    Await.until("all are handled", () -> handled.size() == 300);
    nodes.forEach(Bide::close);
    assertTrue(handled.values().stream().allMatch(by -> by.size() == 1));
    assertEquals(3, handled.values().stream().flatMap(List::stream).collect(Collectors.toSet()).size());
  }

  @Test
  void whatOneNodeSchedulesAnotherHandles() {
    try (Bide producer = Bide.on(store).shared().start(); Bide consumer = Bide.on(store).shared().start()) {
      CountDownLatch handled = new CountDownLatch(1);
      consumer.queue(SPEC).handle(claim -> {
        handled.countDown();
        return Outcome.done();
      });
      producer.queue(SPEC).schedule("a", "x", When.now());
      Await.latch(handled);
    }
  }

  @Test
  void aNodeThatIsCutOffLosesItsTaskToAnotherAndItsLateWordIsRefused() {
    QueueSpec<String> brief = SPEC.lease(Duration.ofMillis(500));
    TappedStore cut = new TappedStore(store);
    List<TaskEvent> events = new CopyOnWriteArrayList<>();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch toldSo = new CountDownLatch(1);
    Bide lonely = Bide.on(cut).shared().name("lonely").listener(events::add).start();
    TaskQueue<String> its = lonely.queue(brief);
    its.handle(claim -> {
      if (started.getCount() == 0) {
        return Outcome.retryIn(Duration.ZERO);
      }
      started.countDown();
      Await.until("it notices", claim::lost);
      toldSo.countDown();
      Await.latch(goOn);
      return Outcome.skip("late");
    });
    its.schedule("a", "x", When.now());
    Await.latch(started);
    cut.before(call -> {
      throw StoreException.passing("cut off", null);
    });
    try (Bide other = Bide.on(store).shared().name("other").start()) {
      TaskQueue<String> theirs = other.queue(brief);
      theirs.handle(claim -> Outcome.skip("in time"));
      Await.until("the other has it", () -> theirs.inspect("a").orElseThrow().state().finished());
      Await.latch(toldSo);
      cut.before(call -> {});
      goOn.countDown();
      lonely.close();
      Task task = theirs.inspect("a").orElseThrow();
      assertEquals("skipped: in time", task.outcome().orElseThrow());
      assertEquals(1, task.lapses());
      assertEquals(2, task.claims());
      assertEquals(TaskState.COMPLETED, task.state());
    }
    assertTrue(events.stream().anyMatch(event -> event.kind() == TaskEvent.Kind.SETTLEMENT_REFUSED));
    assertFalse(events.stream().anyMatch(event -> event.kind() == TaskEvent.Kind.COMPLETED));
  }

  @Test
  void aQueueWhoseCallsHangHoldsUpNoOther() {
    TappedStore slow = new TappedStore(store);
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    slow.before(call -> {
      if (call.request().isPresent() && call.request().get().queue().equals("stuck")) {
        hangs.countDown();
        Await.latch(goOn);
      }
    });
    try (Bide bide = Bide.on(slow).shared().start()) {
      TaskQueue<String> stuck = bide.queue(QueueSpec.of("stuck", String.class));
      stuck.handle(claim -> Outcome.done());
      Await.latch(hangs);
      TaskQueue<String> queue = bide.queue(SPEC);
      queue.handle(claim -> Outcome.done());
      queue.schedule("a", "x", When.now());
      Await.until("it is done", () -> queue.inspect("a").orElseThrow().state() == TaskState.COMPLETED);
      goOn.countDown();
    }
  }

  @Test
  void whatIsKeptLongerThanItsRetentionIsDroppedByItself() {
    AtomicLong clock = new AtomicLong(1_000_000);
    TaskStore aged = MemoryTaskStore.on(clock::get);
    QueueSpec<String> spec = SPEC.retention(Duration.ofMinutes(5));
    try (Bide bide = Bide.on(aged).shared().start()) {
      TaskQueue<String> queue = bide.queue(spec);
      queue.schedule("a", "x", When.now());
      queue.take(1, Await.LONG).forEach(claim -> claim.settle(Outcome.done()));
      assertTrue(queue.inspect("a").isPresent());
    }
    clock.addAndGet(Duration.ofMinutes(5).toMillis());
    try (Bide bide = Bide.on(aged).start()) {
      TaskQueue<String> queue = bide.queue(spec);
      Await.until("it is gone", () -> queue.inspect("a").isEmpty());
    }
  }

  @Test
  void nodesComeAndGoAndNothingIsLostOrDoubled() {
    Map<String, Integer> handled = new ConcurrentHashMap<>();
    try (Bide steady = Bide.on(store).shared().start()) {
      TaskQueue<String> queue = steady.queue(SPEC);
      queue.handle(claim -> {
        handled.merge(claim.id(), 1, Integer::sum);
        return Outcome.done();
      });
      for (int round = 0; round < 10; round++) {
        try (Bide passing = Bide.on(store).shared().start()) {
          passing.queue(SPEC.handlers(4).prefetch(8)).handle(claim -> {
            handled.merge(claim.id(), 1, Integer::sum);
            return Outcome.done();
          });
          String prefix = "r" + round + "-";
          queue.scheduleAll(IntStream.range(0, 60).mapToObj(i -> Entry.of(prefix + i, "x", in(i % 7))).toList());
        }
      }
      Await.until("all are handled", () -> handled.size() == 600);
    }
    assertTrue(handled.values().stream().allMatch(times -> times == 1));
  }
}
