package dev.bide;

import static dev.bide.SteppedNode.in;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.Host;
import dev.bide.spi.StoreException;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Callers who take tasks and settle them by themselves; on real threads. */
class TakeTest {
  private static final QueueSpec<String> BRIEF = QueueSpec.of("brief", String.class).lease(Duration.ofMillis(600));

  private final TappedStore store = new TappedStore(MemoryTaskStore.create());
  private final Bide bide = Bide.on(store).shutdownLimit(Duration.ofMillis(100)).start();
  private final TaskQueue<String> queue = bide.queue(QueueSpec.of("q", String.class));
  private final TaskQueue<String> brief = bide.queue(BRIEF);
  private final LogCapture log = new LogCapture();

  @AfterEach
  void close() {
    bide.close();
    log.close();
  }

  private TaskState state(String id) {
    return queue.inspect(id).orElseThrow().state();
  }

  private Claim<String> taken(String id) {
    return taken(queue, id);
  }

  private static Claim<String> taken(TaskQueue<String> queue, String id) {
    queue.schedule(id, "x", When.now());
    return queue.take(1, Await.LONG).get(0);
  }

  @Test
  void takenClaimsAreSettledFromAnyThreadInAnyOrder() throws Exception {
    queue.scheduleAll(IntStream.range(0, 20).mapToObj(i -> Entry.of("t" + i, "x", When.now())).toList());
    List<Claim<String>> claims = new ArrayList<>();
    while (claims.size() < 20) {
      claims.addAll(queue.take(20, Await.LONG));
    }
    List<CompletableFuture<Boolean>> settled = new ArrayList<>();
    for (int i = 19; i >= 0; i--) {
      Claim<String> claim = claims.get(i);
      CompletableFuture<Boolean> future = new CompletableFuture<>();
      settled.add(future);
      Await.thread(() -> future.complete(claim.settle(Outcome.done())));
    }
    for (CompletableFuture<Boolean> future : settled) {
      assertTrue(future.get());
    }
    assertEquals(TaskState.COMPLETED, state("t7"));
  }

  @Test
  void aTakeWaitsUntilSomethingIsDue() {
    long before = Host.monotonicNanos();
    queue.schedule("a", "x", in(80));
    List<Claim<String>> claims = queue.take(5, Await.LONG);
    assertTrue(Host.monotonicNanos() - before >= 79_000_000);
    assertEquals(1, claims.size());
    claims.get(0).close();
  }

  @Test
  void aTakeWithoutAWaitReturnsAtOnce() {
    assertEquals(List.of(), queue.take(5, Duration.ZERO));
    queue.schedule("a", "x", When.now());
    List<Claim<String>> claims = queue.take(5, Duration.ZERO);
    assertEquals(1, claims.size());
    claims.get(0).close();
  }

  @Test
  void closingATakenClaimGivesItBackUncounted() {
    try (Claim<String> claim = taken("a")) {
      assertEquals(1, claim.attempt());
    }
    Claim<String> again = queue.take(1, Await.LONG).get(0);
    assertEquals(1, again.attempt());
    assertTrue(again.settle(Outcome.done()));
    again.close();
    assertEquals(TaskState.COMPLETED, state("a"));
  }

  @Test
  void aClaimIsSettledOnce() {
    Claim<String> claim = taken("a");
    assertTrue(claim.settle(Outcome.done()));
    assertThrows(IllegalStateException.class, () -> claim.settle(Outcome.done()));
    assertThrows(IllegalStateException.class, () -> claim.settleAsync(Outcome.done()));
  }

  @Test
  void aMissingOutcomeIsRefusedAndTheClaimStaysOpen() {
    Claim<String> claim = taken("a");
    assertThrows(NullPointerException.class, () -> claim.settle(nothing()));
    assertThrows(NullPointerException.class, () -> claim.settleAsync(nothing()));
    assertTrue(claim.settle(Outcome.done()));
  }

  @SuppressWarnings("NullAway") // a careless caller
  private static Outcome nothing() {
    return null;
  }

  @Test
  void anInterruptEndsTheTakeAndGivesBackWhatWasOnItsWay() {
    CountDownLatch claimed = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    store.after(call -> {
      if (call.limit() > 0) {
        claimed.countDown();
        Await.latch(goOn);
      }
    });
    queue.schedule("a", "x", When.now());
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread taker = Await.thread(() -> {
      boolean empty = queue.take(1, Await.LONG).isEmpty();
      interrupted.complete(empty && Thread.currentThread().isInterrupted());
    });
    Await.latch(claimed);
    taker.interrupt();
    assertTrue(interrupted.join());
    goOn.countDown();
    store.after(call -> {});
    Await.until("it is given back", () -> state("a") == TaskState.WAITING);
    assertEquals(0, queue.inspect("a").orElseThrow().attempt());
    store.forget();
    Host.pause(50_000_000);
    assertTrue(store.calls(TappedStore.Kind.EXCHANGE).size() <= 1, "nobody waits any more");
  }

  @Test
  void leasesOfTakenClaimsAreRenewedUntilTheyAreSettled() {
    Claim<String> claim = taken(brief, "a");
    Await.until("three renewals", () -> store.calls(TappedStore.Kind.RENEW).size() >= 3);
    assertTrue(claim.settle(Outcome.done()));
    store.forget();
    Host.pause(300_000_000);
    assertTrue(store.calls(TappedStore.Kind.RENEW).size() <= 1, "at most the one that was under way");
  }

  @Test
  void aStaleClaimSettlesToFalse() throws Exception {
    Claim<String> claim = taken(brief, "a");
    // The renewals fail until the lease is over and another node has the task.
    store.before(call -> {
      if (call.kind() == TappedStore.Kind.RENEW) {
        throw StoreException.passing("away", null);
      }
    });
    Await.until("it is lost", claim::lost);
    try (Bide other = Bide.on(store).shared().start()) {
      assertTrue(other.queue(BRIEF).take(1, Await.LONG).get(0).settle(Outcome.skip("elsewhere")));
    }
    assertFalse(claim.settleAsync(Outcome.done()).toCompletableFuture().get());
    assertEquals("skipped: elsewhere", brief.inspect("a").orElseThrow().outcome().orElseThrow());
  }

  @Test
  void whatDependsOnASettlementMayBlockAndStopsNothing() throws Exception {
    Claim<String> first = taken("a");
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    // Were the settlement answered before anything depends on it, that would run here and now.
    CountDownLatch depends = new CountDownLatch(1);
    store.before(call -> Await.latch(depends));
    CompletableFuture<Void> dependent = first.settleAsync(Outcome.done()).thenAccept(valid -> {
      blocked.countDown();
      Await.latch(goOn);
    }).toCompletableFuture();
    depends.countDown();
    Await.latch(blocked);
    assertTrue(taken("b").settle(Outcome.done()), "a plain settlement does not wait behind it");
    goOn.countDown();
    dependent.get();
  }

  @Test
  void whatDependsOnASettlementMaySettleAndTakeItself() throws Exception {
    Claim<String> first = taken("a");
    queue.schedule("b", "x", When.now());
    assertTrue(first.settleAsync(Outcome.done())
        .thenApply(valid -> queue.take(1, Await.LONG).get(0).settle(Outcome.done())).toCompletableFuture().get());
  }

  @Test
  void aClaimThatOutlivesItsBideCannotBeSettled() throws Exception {
    Claim<String> claim = taken("a");
    Claim<String> another = taken("b");
    bide.close();
    assertThrows(IllegalStateException.class, () -> claim.settle(Outcome.done()));
    ExecutionException failure = assertThrows(ExecutionException.class,
        () -> another.settleAsync(Outcome.done()).toCompletableFuture().get());
    assertInstanceOf(IllegalStateException.class, failure.getCause());
    claim.close();
  }

  @Test
  void whoWaitsForASettlementWhileTheBideClosesIsTold() {
    Claim<String> claim = taken("a");
    store.before(call -> {
      if (call.kind() == TappedStore.Kind.EXCHANGE) {
        throw StoreException.passing("away for good", null);
      }
    });
    CompletableFuture<Boolean> told = new CompletableFuture<>();
    Await.thread(() -> {
      try {
        claim.settle(Outcome.done());
      } catch (IllegalStateException e) {
        told.complete(true);
      }
    });
    Await.until("it is on its way", () -> !store.calls(TappedStore.Kind.EXCHANGE).isEmpty());
    // Without the full five seconds that a close allows for the flush.
    Thread closer = Await.thread(bide::close);
    Await.until("closing", () -> {
      closer.interrupt();
      return told.isDone();
    });
    Await.join(closer);
  }

  @Test
  void takersInManyThreadsShareEverything() {
    queue.scheduleAll(IntStream.range(0, 200).mapToObj(i -> Entry.of("t" + i, "x", in(i % 50))).toList());
    List<String> taken = Collections.synchronizedList(new ArrayList<>());
    List<Thread> takers = new ArrayList<>();
    for (int t = 0; t < 6; t++) {
      takers.add(Await.thread(() -> {
        while (taken.size() < 200) {
          for (Claim<String> claim : queue.take(7, Duration.ofMillis(50))) {
            taken.add(claim.id());
            assertTrue(claim.settle(Outcome.done()));
          }
        }
      }));
    }
    takers.forEach(Await::join);
    assertEquals(200, taken.size());
    assertEquals(200, taken.stream().distinct().count());
  }

  @Test
  void aListenerMustNotWaitForItsOwnThread() {
    CompletableFuture<Throwable> refused = new CompletableFuture<>();
    TaskQueue<?>[] its = new TaskQueue<?>[1];
    try (Bide listened = Bide.on(MemoryTaskStore.create()).listener(event -> {
      if (event.kind() == TaskEvent.Kind.COMPLETED) {
        try {
          its[0].take(1, Await.LONG);
        } catch (IllegalStateException e) {
          refused.complete(e);
        }
      }
    }).start()) {
      TaskQueue<String> tasks = listened.queue(QueueSpec.of("q", String.class));
      its[0] = tasks;
      tasks.handle(claim -> Outcome.done());
      tasks.schedule("a", "x", When.now());
      refused.join();
    }
  }
}
