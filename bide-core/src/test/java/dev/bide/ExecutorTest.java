package dev.bide;

import static dev.bide.SteppedNode.in;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.TaskStore;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Executors of users, good and bad. */
class ExecutorTest {
  private static final QueueSpec<String> SPEC = QueueSpec.of("q", String.class).handlers(8);

  private final TaskStore store = MemoryTaskStore.create();
  private final LogCapture log = new LogCapture();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Set<String> handled = ConcurrentHashMap.newKeySet();

  @AfterEach
  void close() {
    threads.shutdownNow();
    log.close();
  }

  private Bide on(Executor executor) {
    return Bide.on(store).shared().executor(executor).start();
  }

  private static void schedule(TaskQueue<String> queue, int tasks) {
    queue.scheduleAll(IntStream.range(0, tasks).mapToObj(i -> Entry.of("t" + i, "x", in(i % 5))).toList());
  }

  private Outcome done(Claim<String> claim) {
    handled.add(claim.id());
    return Outcome.done();
  }

  @Test
  void handlersRunOnTheExecutorGivenAndItIsNotShutDown() {
    AtomicInteger given = new AtomicInteger();
    try (Bide bide = on(task -> {
      given.incrementAndGet();
      threads.execute(task);
    })) {
      TaskQueue<String> queue = bide.queue(SPEC);
      queue.handle(this::done);
      schedule(queue, 50);
      Await.until("all are handled", () -> handled.size() == 50);
    }
    assertEquals(50, given.get());
    assertFalse(threads.isShutdown());
  }

  /** A bounded pool that refuses what it has no room for: the rest is given back, and comes again. */
  @Test
  void whatAnExecutorRejectsIsGivenBackAndComesAgain() {
    ExecutorService bounded = new ThreadPoolExecutor(2, 2, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(1));
    try (Bide bide = on(bounded)) {
      TaskQueue<String> queue = bide.queue(SPEC.handlers(5));
      queue.handle(this::done);
      schedule(queue, 12);
      Await.until("all are handled", () -> handled.size() == 12);
      for (int i = 0; i < 12; i++) {
        String id = "t" + i;
        Await.until(id, () -> queue.inspect(id).orElseThrow().state() == TaskState.COMPLETED);
        assertEquals(1, queue.inspect(id).orElseThrow().attempt());
      }
    } finally {
      bounded.shutdownNow();
    }
  }

  @Test
  void anExecutorThatThrowsAnythingLosesNothing() {
    AtomicInteger calls = new AtomicInteger();
    try (Bide bide = on(task -> {
      switch (calls.getAndIncrement()) {
        case 0 -> throw new IllegalStateException("for a test");
        case 1 -> throw new OutOfMemoryError("unable to create native thread");
        default -> threads.execute(task);
      }
    })) {
      TaskQueue<String> queue = bide.queue(SPEC);
      queue.handle(this::done);
      schedule(queue, 5);
      Await.until("all are handled", () -> handled.size() == 5);
    }
    assertEquals(1, log.messages().stream().filter(message -> message.contains("does not take a handler")).count());
  }

  /** The queue is paused meanwhile, so that nothing else comes that would start them. */
  @Test
  void whatWasClaimedAheadIsStartedAfterARefusal() {
    AtomicInteger calls = new AtomicInteger();
    CompletableFuture<TaskQueue<String>> pausing = new CompletableFuture<>();
    try (Bide bide = on(task -> {
      if (calls.getAndIncrement() == 0) {
        pausing.join().pause();
        throw new RejectedExecutionException();
      }
      threads.execute(task);
    })) {
      TaskQueue<String> queue = bide.queue(SPEC.handlers(1).prefetch(2));
      pausing.complete(queue);
      queue.scheduleAll(IntStream.range(0, 3).mapToObj(i -> Entry.of("t" + i, "x", When.now())).toList());
      queue.handle(this::done);
      Await.until("those ahead are handled", () -> handled.size() == 2);
      assertEquals(TaskState.WAITING, queue.inspect("t0").orElseThrow().state());
    }
  }

  @Test
  void aRefusalOfWhatTheCircuitBreakerGaveBackFreesThePlaceOfAHandler() {
    Semaphore room = new Semaphore(0);
    AtomicInteger calls = new AtomicInteger();
    try (Bide bide = on(task -> {
      if (calls.getAndIncrement() == 0) {
        room.acquireUninterruptibly();
        throw new RejectedExecutionException();
      }
      threads.execute(task);
    })) {
      TaskQueue<String> queue = bide.queue(SPEC.handlers(1).circuitBreaker(1, Duration.ofMillis(1)));
      queue.handle(this::done);
      queue.schedule("a", "x", When.now());
      Await.until("the executor is asked", () -> calls.get() == 1);
      queue.schedule("b", "x", When.now());
      assertTrue(queue.take(1, Await.LONG).get(0).settle(Outcome.retryIn(Duration.ofHours(1))));
      Await.until("it is given back", () -> queue.inspect("a").orElseThrow().state() == TaskState.WAITING);
      room.release();
      Await.until("it is handled", () -> handled.contains("a"));
    }
  }

  @Test
  void anExecutorThatRejectsDoesNotHoldUpThoseWhoTake() {
    try (Bide bide = on(task -> {
      throw new RejectedExecutionException();
    })) {
      TaskQueue<String> queue = bide.queue(SPEC);
      queue.handle(this::done);
      queue.schedule("a", "x", When.now());
      Claim<String> claim = queue.take(1, Await.LONG).get(0);
      assertTrue(claim.settle(Outcome.done()));
    }
    assertEquals(Set.of(), handled);
  }

  @Test
  void whatStillWaitsInAnExecutorAtTheEndIsGivenBack() {
    Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    Bide bide = on(waiting::add);
    TaskQueue<String> queue = bide.queue(SPEC);
    queue.handle(this::done);
    schedule(queue, 2);
    Await.until("both wait", () -> waiting.size() == 2);
    waiting.remove().run();
    assertEquals(1, handled.size());
    bide.close();
    assertEquals(Set.of(TaskState.COMPLETED, TaskState.WAITING), store.find("q", List.of("t0", "t1")).value().stream()
        .map(task -> task.orElseThrow().state()).collect(Collectors.toSet()));
    waiting.remove().run();
    assertEquals(1, handled.size(), "what was given back is not started");
  }

  @Test
  void anExecutorThatRunsOnTheCallersThreadRunsOneTaskAfterTheOther() {
    Set<String> names = ConcurrentHashMap.newKeySet();
    try (Bide bide = on(Runnable::run)) {
      TaskQueue<String> queue = bide.queue(SPEC);
      queue.handle(claim -> {
        names.add(Thread.currentThread().getName());
        return done(claim);
      });
      schedule(queue, 20);
      Await.until("all are handled", () -> handled.size() == 20);
    }
    assertEquals(Set.of("bide-start"), names);
  }

  /** A semaphore around a pool: its caller waits until there is room. Nothing else of the node waits with it. */
  @Test
  void anExecutorThatBlocksItsCallerHoldsUpNeitherLeasesNorThoseWhoTake() {
    Semaphore room = new Semaphore(0);
    TappedStore tapped = new TappedStore(store);
    try (Bide bide = Bide.on(tapped).shared().executor(task -> {
      room.acquireUninterruptibly();
      threads.execute(task);
    }).start()) {
      TaskQueue<String> queue = bide.queue(SPEC.lease(Duration.ofMillis(300)));
      queue.handle(this::done);
      queue.schedule("a", "x", When.now());
      Await.until("it is renewed while it waits", () -> !tapped.calls(TappedStore.Kind.RENEW).isEmpty());
      TaskQueue<String> other = bide.queue(QueueSpec.of("other", String.class));
      other.schedule("b", "x", When.now());
      assertTrue(other.take(1, Await.LONG).get(0).settle(Outcome.done()));
      assertEquals(Set.of(), handled);
      room.release(1_000);
      Await.until("it is handled", () -> handled.contains("a"));
    }
  }

  @Test
  void aVirtualMachineErrorOnTheCallersThreadIsAFailedAttemptAndStopsNothing() {
    AtomicInteger calls = new AtomicInteger();
    try (Bide bide = on(Runnable::run)) {
      TaskQueue<String> queue = bide.queue(SPEC.retry(Retry.fixed(Duration.ZERO)));
      queue.handle(claim -> {
        if (calls.getAndIncrement() == 0) {
          throw new OutOfMemoryError("for a test");
        }
        return done(claim);
      });
      queue.schedule("a", "x", When.now());
      Await.until("it is handled", () -> handled.contains("a"));
      Await.until("it is done", () -> queue.inspect("a").orElseThrow().state() == TaskState.COMPLETED);
      assertEquals(2, queue.inspect("a").orElseThrow().attempts().size());
    }
  }

  @Test
  void oneExecutorServesManyQueues() {
    CountDownLatch both = new CountDownLatch(2);
    try (Bide bide = on(threads)) {
      for (String name : List.of("a", "b")) {
        TaskQueue<String> queue = bide.queue(QueueSpec.of(name, String.class));
        queue.handle(claim -> {
          both.countDown();
          Await.latch(both);
          return Outcome.done();
        });
        queue.schedule("x", When.now());
      }
      Await.latch(both);
    }
  }
}
