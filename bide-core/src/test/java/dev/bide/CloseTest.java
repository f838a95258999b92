package dev.bide;

import static dev.bide.SteppedNode.in;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.Host;
import dev.bide.spi.StoreException;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How a node stops; on real threads. */
class CloseTest {
  private static final QueueSpec<String> SPEC = QueueSpec.of("q", String.class);

  private final TappedStore store = new TappedStore(MemoryTaskStore.create());
  private final List<TaskEvent> events = new CopyOnWriteArrayList<>();
  private final LogCapture log = new LogCapture();
  /** Opened at the end of each test, so that no handler outlives it. */
  private final CountDownLatch end = new CountDownLatch(1);

  @AfterEach
  void close() {
    end.countDown();
    log.close();
  }

  private BideBuilder builder() {
    return Bide.on(store).shared().name("close-test").listener(events::add);
  }

  private Task task(String id) {
    return store.find("q", List.of(id)).value().get(0).orElseThrow();
  }

  private long events(TaskEvent.Kind kind) {
    return events.stream().filter(event -> event.kind() == kind).count();
  }

  private static long millis(Runnable body) {
    long before = Host.monotonicNanos();
    body.run();
    return (Host.monotonicNanos() - before) / 1_000_000;
  }

  @Test
  void closingWhileIdleReturnsAtOnce() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 5 && least >= 500; i++) {
      Bide bide = builder().start();
      TaskQueue<String> queue = bide.queue(SPEC);
      queue.handle(claim -> Outcome.done());
      queue.schedule("a", "x", in(3_600_000));
      Await.until("it sleeps", () -> !store.calls(TappedStore.Kind.EXCHANGE).isEmpty());
      least = Math.min(least, millis(bide::close));
    }
    assertTrue(least < 500, "at least " + least + " ms");
    assertEquals(TaskState.WAITING, task("a").state());
  }

  @Test
  void handlersAreWaitedForAndTheirSettlementsReachTheStore() {
    Bide bide = builder().start();
    TaskQueue<String> queue = bide.queue(SPEC.handlers(4));
    CountDownLatch started = new CountDownLatch(4);
    queue.handle(claim -> {
      started.countDown();
      Await.latch(end);
      return Outcome.done();
    });
    queue.scheduleAll(IntStream.range(0, 4).mapToObj(i -> Entry.of("t" + i, "x", When.now())).toList());
    Await.latch(started);
    Thread closer = Await.thread(bide::close);
    Await.until("it is closing", () -> refuses(queue));
    assertTrue(closer.isAlive());
    end.countDown();
    Await.join(closer);
    for (int i = 0; i < 4; i++) {
      assertEquals(TaskState.COMPLETED, task("t" + i).state());
    }
    assertEquals(0, events(TaskEvent.Kind.STUCK));
  }

  private static boolean refuses(TaskQueue<String> queue) {
    try {
      queue.inspect("any");
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  @Test
  void leasesAreRenewedWhileHandlersAreWaitedFor() {
    Bide bide = builder().start();
    TaskQueue<String> queue = bide.queue(SPEC.lease(Duration.ofMillis(300)));
    CountDownLatch started = new CountDownLatch(1);
    queue.handle(claim -> {
      started.countDown();
      Await.latch(end);
      return Outcome.done();
    });
    queue.schedule("a", "x", When.now());
    Await.latch(started);
    Thread closer = Await.thread(bide::close);
    Await.until("it is closing", () -> refuses(queue));
    store.forget();
    Await.until("more than a lease", () -> store.calls(TappedStore.Kind.RENEW).size() >= 5);
    end.countDown();
    Await.join(closer);
    assertEquals(TaskState.COMPLETED, task("a").state());
    assertEquals(0, task("a").lapses());
  }

  @Test
  void whatHasNotStartedIsGivenBackAtOnceAndNothingMoreIsClaimed() {
    Bide bide = builder().start();
    TaskQueue<String> queue = bide.queue(SPEC.handlers(1).prefetch(3));
    CountDownLatch started = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    queue.handle(claim -> {
      calls.incrementAndGet();
      started.countDown();
      Await.latch(end);
      return Outcome.done();
    });
    queue.scheduleAll(IntStream.range(0, 9).mapToObj(i -> Entry.of("t" + i, "x", When.now())).toList());
    Await.latch(started);
    Await.until("four are claimed", () -> task("t3").state() == TaskState.PROCESSING);
    Thread closer = Await.thread(bide::close);
    Await.until("three are given back", () -> events(TaskEvent.Kind.RELEASED) == 3);
    for (int i = 1; i < 9; i++) {
      assertEquals(TaskState.WAITING, task("t" + i).state());
      assertEquals(0, task("t" + i).attempt());
    }
    end.countDown();
    Await.join(closer);
    assertEquals(1, calls.get());
  }

  @Test
  void whatIsInterruptedAtTheLimitAndReturnsIsGivenBackUncounted() {
    Bide bide = builder().shutdownLimit(Duration.ofMillis(30)).start();
    TaskQueue<String> queue = bide.queue(SPEC.handlers(2));
    CountDownLatch started = new CountDownLatch(2);
    queue.handle(claim -> {
      started.countDown();
      if (claim.id().equals("throws")) {
        new CountDownLatch(1).await();
      }
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        // It says that it is done, but nobody can know what the interrupt has cut short.
        return Outcome.done();
      }
      return Outcome.fail("not reached");
    });
    queue.schedule("throws", "x", When.now());
    queue.schedule("returns", "x", When.now());
    Await.latch(started);
    bide.close();
    for (String id : List.of("throws", "returns")) {
      assertEquals(TaskState.WAITING, task(id).state());
      assertEquals(0, task(id).attempt());
      assertEquals(List.of(), task(id).attempts());
    }
    assertEquals(2, events(TaskEvent.Kind.STUCK));
    assertEquals(2, events(TaskEvent.Kind.RELEASED));
  }

  @Test
  void stagesThatAreNotCompleteAtTheLimitAreCancelledAndGivenBackUncounted() {
    Bide bide = builder().shutdownLimit(Duration.ofMillis(30)).start();
    TaskQueue<String> queue = bide.queue(SPEC.handlers(2));
    CountDownLatch started = new CountDownLatch(2);
    CompletableFuture<String> cancelledOn = new CompletableFuture<>();
    queue.handleAsync(claim -> {
      CompletableFuture<Outcome> stage = new CompletableFuture<>();
      var unused = stage.whenComplete((outcome, failure) -> cancelledOn.complete(Thread.currentThread().getName()));
      started.countDown();
      return stage;
    });
    queue.schedule("a", "x", When.now());
    queue.schedule("b", "x", When.now());
    Await.latch(started);
    bide.close();
    for (String id : List.of("a", "b")) {
      assertEquals(TaskState.WAITING, task(id).state());
      assertEquals(0, task(id).attempt());
    }
    assertEquals(2, events(TaskEvent.Kind.RELEASED));
    assertFalse(cancelledOn.join().endsWith("-engine"), "what depends on a stage must not stop the engine");
  }

  @Test
  void whatDoesNotReturnIsReportedAndKeepsItsLease() {
    Bide bide = builder().shutdownLimit(Duration.ofMillis(30)).start();
    TaskQueue<String> queue = bide.queue(SPEC);
    CountDownLatch started = new CountDownLatch(1);
    queue.handle(claim -> {
      started.countDown();
      while (end.getCount() > 0) {
        Host.pause(1_000_000);
        Thread.interrupted();
      }
      return Outcome.done();
    });
    queue.schedule("a", "x", When.now());
    Await.latch(started);
    bide.close();
    assertEquals(TaskState.PROCESSING, task("a").state());
    assertFalse(task("a").lapsed());
    TaskEvent stuck = events.stream().filter(event -> event.kind() == TaskEvent.Kind.STUCK).findFirst().orElseThrow();
    assertEquals("a", stuck.task());
    assertTrue(stuck.token() > 0);
    end.countDown();
    Host.pause(20_000_000);
    assertEquals(TaskState.PROCESSING, task("a").state(), "its late word reaches nobody");
  }

  @Test
  void aHandlerThatHangsHoldsUpNoOtherAndTheEndSaysWhichItWas() {
    Bide bide = builder().shutdownLimit(Duration.ofMillis(30)).start();
    TaskQueue<String> queue = bide.queue(SPEC.handlers(2));
    queue.handle(claim -> {
      if (claim.id().equals("hangs")) {
        Await.latch(end);
      }
      return Outcome.done();
    });
    queue.schedule("hangs", "x", When.now());
    queue.scheduleAll(IntStream.range(0, 100).mapToObj(i -> Entry.of("t" + i, "x", When.now())).toList());
    TaskQueue<String> another = bide.queue(QueueSpec.of("another", String.class));
    another.handle(claim -> Outcome.done());
    another.schedule("a", "x", When.now());
    Await.until("the others are done", () -> events(TaskEvent.Kind.COMPLETED) == 101);
    assertEquals(TaskState.PROCESSING, task("hangs").state());
    bide.close();
    assertEquals(
        List.of("queue=q: 1 still running at the end of the shutdown limit are interrupted: [hangs]"),
        log.messages());
    assertEquals(TaskState.WAITING, task("hangs").state());
  }

  @Test
  void takenClaimsCountAsRunning() {
    Bide bide = builder().start();
    TaskQueue<String> queue = bide.queue(SPEC);
    queue.schedule("a", "x", When.now());
    Claim<String> claim = queue.take(1, Await.LONG).get(0);
    Thread closer = Await.thread(bide::close);
    Await.until("it is closing", () -> refuses(queue));
    assertTrue(claim.settle(Outcome.done()));
    Await.join(closer);
    assertEquals(TaskState.COMPLETED, task("a").state());
  }

  @Test
  void whoWaitsInATakeIsSentAwayWithNothing() {
    Bide bide = builder().start();
    TaskQueue<String> queue = bide.queue(SPEC);
    CompletableFuture<List<Claim<String>>> taken = new CompletableFuture<>();
    Await.thread(() -> taken.complete(queue.take(1, Duration.ofHours(1))));
    Await.until("it waits", () -> !store.calls(TappedStore.Kind.EXCHANGE).isEmpty());
    bide.close();
    assertEquals(List.of(), taken.join());
  }

  @Test
  void takesAroundTheEndAllReturn() {
    for (int round = 0; round < 30; round++) {
      Bide bide = builder().start();
      TaskQueue<String> queue = bide.queue(SPEC);
      CountDownLatch returned = new CountDownLatch(4);
      for (int t = 0; t < 4; t++) {
        Await.thread(() -> {
          try {
            while (true) {
              queue.take(1, Duration.ofHours(1));
            }
          } catch (IllegalStateException e) {
            returned.countDown();
          }
        });
      }
      bide.close();
      Await.latch(returned);
    }
  }

  @Test
  void theStoreIsClosedUnlessItIsShared() {
    try (Bide bide = builder().start()) {
      bide.queue(SPEC);
    }
    assertFalse(store.closed);
    try (Bide bide = Bide.on(store).start()) {
      bide.queue(SPEC);
    }
    assertTrue(store.closed);
  }

  @Test
  void closingIsIdempotentAndSafeFromManyThreads() {
    Bide bide = Bide.on(store).start();
    bide.queue(SPEC).handle(claim -> Outcome.done());
    List<Thread> closers = IntStream.range(0, 8).mapToObj(i -> Await.thread(bide::close)).toList();
    closers.forEach(Await::join);
    bide.close();
    assertTrue(store.closed);
  }

  @Test
  void everyCloserWaitsForTheFirst() {
    Bide bide = builder().start();
    TaskQueue<String> queue = bide.queue(SPEC);
    queue.schedule("a", "x", When.now());
    Claim<String> claim = queue.take(1, Await.LONG).get(0);
    Thread first = Await.thread(bide::close);
    Await.until("it is closing", () -> refuses(queue));
    Thread second = Await.thread(bide::close);
    Host.pause(20_000_000);
    assertTrue(first.isAlive() && second.isAlive());
    claim.close();
    Await.join(first);
    Await.join(second);
  }

  @Test
  void aStoreThatFailsToCloseLeavesNoCloserWaiting() {
    TappedStore failing = new TappedStore(MemoryTaskStore.create()) {
      @Override
      public void close() {
        throw StoreException.lasting("for a test", null);
      }
    };
    Bide bide = Bide.on(failing).start();
    assertThrows(StoreException.class, bide::close);
    bide.close();
  }

  @Test
  void aHandlerCannotCloseTheBideItRunsIn() {
    Bide bide = builder().start();
    TaskQueue<String> queue = bide.queue(SPEC);
    queue.handle(claim -> {
      assertThrows(IllegalStateException.class, bide::close);
      try (Bide another = builder().start()) {
        another.queue(SPEC);
      }
      return Outcome.done();
    });
    queue.schedule("a", "x", When.now());
    Await.until("it is done", () -> task("a").state().finished());
    assertEquals(TaskState.COMPLETED, task("a").state(), task("a").outcome().toString());
    bide.close();
  }

  @Test
  void aListenerCannotCloseTheBideItHears() {
    Bide[] bide = new Bide[1];
    CompletableFuture<List<Throwable>> refusals = new CompletableFuture<>();
    List<Throwable> refused = new ArrayList<>();
    bide[0] = Bide.on(store).shared().listener(event -> {
      if (event.kind() == TaskEvent.Kind.STARTED || event.kind() == TaskEvent.Kind.COMPLETED) {
        refused.add(assertThrows(IllegalStateException.class, bide[0]::close));
        if (refused.size() == 2) {
          refusals.complete(refused);
        }
      }
    }).start();
    TaskQueue<String> queue = bide[0].queue(SPEC);
    queue.handle(claim -> Outcome.done());
    queue.schedule("a", "x", When.now());
    assertEquals(2, refusals.join().size());
    bide[0].close();
  }

  @Test
  void anInterruptShortensTheWaitForHandlersButNotTheFlush() {
    Bide bide = builder().start();
    TaskQueue<String> queue = bide.queue(SPEC);
    CountDownLatch started = new CountDownLatch(1);
    queue.handle(claim -> {
      started.countDown();
      new CountDownLatch(1).await();
      return Outcome.done();
    });
    queue.schedule("a", "x", When.now());
    Await.latch(started);
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread closer = Await.thread(() -> {
      bide.close();
      interrupted.complete(Thread.currentThread().isInterrupted());
    });
    Await.until("it is closing", () -> refuses(queue));
    closer.interrupt();
    assertTrue(interrupted.join(), "the interrupt stays");
    assertEquals(TaskState.WAITING, task("a").state());
    assertEquals(0, task("a").attempt());
  }

  @Test
  void aStoreThatHangsDoesNotHoldUpTheEndForEver() {
    BideBuilder builder = builder().shutdownLimit(Duration.ofMillis(20));
    builder.flushLimit = Duration.ofMillis(20);
    Bide bide = builder.start();
    TaskQueue<String> queue = bide.queue(SPEC);
    CountDownLatch hangs = new CountDownLatch(1);
    store.before(call -> {
      if (call.kind() == TappedStore.Kind.EXCHANGE) {
        hangs.countDown();
        Await.latch(end);
      }
    });
    queue.handle(claim -> Outcome.done());
    Await.latch(hangs);
    Thread closer = Await.thread(bide::close);
    Await.join(closer);
    end.countDown();
  }

  @Test
  void whatWasAcceptedIsInTheStoreAndToldWhenTheEndIsOver() {
    Bide bide = builder().start();
    TaskQueue<String> queue = bide.queue(SPEC);
    List<String> told = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 500; i++) {
      var unused = queue.scheduleAsync("t" + i, "x", in(60_000)).thenAccept(scheduled -> told.add(scheduled.id()));
    }
    bide.close();
    assertEquals(IntStream.range(0, 500).mapToObj(i -> "t" + i).toList(), told);
    assertThrows(IllegalStateException.class, () -> queue.scheduleAsync("late", "x", in(1)));
    told.forEach(this::task);
  }

  @Test
  void aWriteThatHangsHoldsUpNeitherTheEndNorTheCallersForEver() {
    BideBuilder builder = builder();
    builder.flushLimit = Duration.ofMillis(20);
    Bide bide = builder.start();
    TaskQueue<String> queue = bide.queue(SPEC);
    CountDownLatch hangs = new CountDownLatch(1);
    store.before(call -> {
      if (call.kind() == TappedStore.Kind.WRITE) {
        hangs.countDown();
        Await.latch(end);
      }
    });
    var first = queue.scheduleAsync("a", "x", in(1)).toCompletableFuture();
    Await.latch(hangs);
    CompletableFuture<String> second = new CompletableFuture<>();
    Thread caller = Await.thread(() -> {
      try {
        queue.schedule("b", "x", in(1));
      } catch (StoreException e) {
        second.complete(e.getMessage());
      }
    });
    Await.until("it waits", () -> caller.getState() == Thread.State.TIMED_WAITING);
    bide.close();
    assertEquals("the Bide was closed before it was sent, so nothing was done", second.join());
    Throwable unknown = assertThrows(CompletionException.class, first::join).getCause();
    assertTrue(String.valueOf(unknown).contains("whether the call was done is unknown"), String.valueOf(unknown));
  }

  @Test
  void aStepAfterAnAnswerMayEndEverything() {
    Bide bide = builder().start();
    CompletableFuture<Void> closed = bide.queue(SPEC).scheduleAsync("a", "x", in(60_000))
        .thenAccept(scheduled -> bide.close()).toCompletableFuture();
    closed.join();
  }

  @Test
  void aQueueThatIsBeingDefinedDoesNotHoldUpTheEnd() {
    Bide bide = builder().start();
    CountDownLatch hangs = new CountDownLatch(1);
    store.before(call -> {
      hangs.countDown();
      Await.latch(end);
    });
    CompletableFuture<Boolean> refused = new CompletableFuture<>();
    Await.thread(() -> {
      try {
        bide.queue(SPEC);
      } catch (IllegalStateException e) {
        refused.complete(true);
      }
    });
    Await.latch(hangs);
    bide.close();
    end.countDown();
    assertTrue(refused.join());
  }

  @Test
  void theLongestLimitIsNoOverflow() {
    builder().shutdownLimit(Duration.ofSeconds(Long.MAX_VALUE)).start().close();
  }

  @Test
  void noThreadIsLeftBehind() {
    Set<Thread> before = threads();
    for (int round = 0; round < 5; round++) {
      Bide bide = builder().start();
      TaskQueue<String> queue = bide.queue(SPEC.lease(Duration.ofMillis(150)));
      queue.handle(claim -> Outcome.done());
      TaskQueue<String> taken = bide.queue(QueueSpec.of("taken", String.class));
      for (int i = 0; i < 5; i++) {
        queue.schedule("x", in(i));
        taken.schedule("x", When.now());
        assertTrue(taken.take(1, Await.LONG).get(0).settleAsync(Outcome.done()).toCompletableFuture().join());
      }
      bide.close();
    }
    Await.until("all threads have ended", () -> before.containsAll(threads()));
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().startsWith("close-test"))
        .collect(Collectors.toSet());
  }
}
