package dev.bide;

import static dev.bide.TaskEvent.Kind.CLAIMED;
import static dev.bide.TaskEvent.Kind.FAILED;
import static dev.bide.TaskEvent.Kind.RELEASED;
import static dev.bide.TaskEvent.Kind.RETRIED;
import static dev.bide.TaskEvent.Kind.STARTED;
import static dev.bide.TaskEvent.Kind.STUCK;
import static dev.bide.TaskEvent.Kind.TIMED_OUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.SteppedNode.World;
import dev.bide.spi.StoreException;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Handlers that run too long; driven by hand, in virtual time. */
class HandlerTimeoutTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Duration GRACE = Duration.ofSeconds(1);
  private static final Duration NANO = Duration.ofNanos(1);
  private static final String NOTE = "the handler did not return in PT5S";

  private final World world = new World();
  private final SteppedNode node = new SteppedNode(world, "n1");
  private final List<CompletableFuture<Outcome>> stages = new ArrayList<>();
  private final List<Claim<String>> claims = new ArrayList<>();
  private final LogCapture log = new LogCapture();

  @AfterEach
  void close() {
    log.close();
  }

  private static QueueSpec<String> spec() {
    return QueueSpec.of("q", String.class).handlerTimeout(TIMEOUT).lease(Duration.ofSeconds(3))
        .retry(Retry.fixed(Duration.ofMinutes(1)).attempts(3));
  }

  /** Returns when it is cancelled. */
  private CompletionStage<Outcome> obedient(Claim<String> claim) {
    return begun(claim, new CompletableFuture<>());
  }

  /** Does not return before its time. */
  private CompletionStage<Outcome> deaf(Claim<String> claim) {
    return begun(claim, new CompletableFuture<>() {
      @Override
      public boolean cancel(boolean mayInterrupt) {
        return false;
      }
    });
  }

  private CompletionStage<Outcome> begun(Claim<String> claim, CompletableFuture<Outcome> stage) {
    claims.add(claim);
    stages.add(stage);
    return stage;
  }

  private SteppedNode.Queue begin(AsyncHandler<String> handler) {
    return begin(spec(), handler);
  }

  private SteppedNode.Queue begin(QueueSpec<String> spec, AsyncHandler<String> handler) {
    SteppedNode.Queue queue = node.queue(spec).handleAsync(handler);
    queue.schedule("a", 0);
    node.settleDown();
    return queue;
  }

  @Test
  void aHandlerIsInterruptedAtTheEndOfItsTimeAndNotANanosecondBefore() {
    SteppedNode.Queue queue = begin(this::obedient);
    node.runFor(TIMEOUT.minus(NANO));
    assertFalse(stages.get(0).isDone());
    assertEquals(List.of(CLAIMED, STARTED), node.kinds("a"));
    node.runFor(NANO);
    assertTrue(stages.get(0).isCancelled());
    assertEquals(List.of(CLAIMED, STARTED, TIMED_OUT, RETRIED), node.kinds("a"));
    assertEquals(NOTE, node.event(TIMED_OUT).orElseThrow().detail());
    assertEquals(NOTE, node.event(RETRIED).orElseThrow().detail());
    assertEquals(Optional.of(NOTE), queue.task("a").attempts().get(0).error());
    assertEquals(Duration.ofMinutes(1),
        Duration.between(queue.task("a").attempts().get(0).end(), queue.task("a").readyAt()), "the queue's backoff");
  }

  @Test
  void aCancelEndsAStageAtOnceAndDoesNotReachWhatItDependsOn() {
    CompletableFuture<Outcome> call = new CompletableFuture<>();
    SteppedNode.Queue queue = begin(claim -> call.thenApply(outcome -> outcome));
    node.runFor(TIMEOUT);
    assertEquals(List.of(CLAIMED, STARTED, TIMED_OUT, RETRIED), node.kinds("a"));
    assertFalse(call.isDone());
    call.complete(Outcome.done());
    node.settleDown();
    assertEquals(Optional.of(NOTE), queue.task("a").attempts().get(0).error());
  }

  @Test
  void theTimeCountsFromTheStartAndNotFromTheClaim() {
    SteppedNode.Queue queue = node.queue(spec()).handleAsync(this::obedient);
    queue.schedule("a", 0);
    node.answerFor(Duration.ofSeconds(4));
    node.runFor(TIMEOUT.minus(NANO));
    assertFalse(stages.get(0).isDone());
    node.runFor(NANO);
    assertTrue(stages.get(0).isCancelled());
  }

  @Test
  void eachHandlerHasATimeOfItsOwn() {
    SteppedNode.Queue queue = node.queue(spec().handlers(100)).handleAsync(this::obedient);
    for (int i = 0; i < 100; i++) {
      queue.schedule("t" + i, i * 10L);
    }
    node.runFor(Duration.ofMillis(995));
    assertEquals(100, stages.size());
    stages.get(1).complete(Outcome.done());
    stages.get(50).complete(Outcome.done());
    node.runFor(Duration.ofMillis(4_005).minus(NANO));
    for (int i = 0; i < 100; i++) {
      assertEquals(i == 1 || i == 50, stages.get(i).isDone(), "t" + i);
      node.runFor(Duration.ofMillis(10));
      assertEquals(i != 1 && i != 50, stages.get(i).isCancelled(), "t" + i);
    }
    assertEquals(98, node.events.stream().filter(event -> event.kind() == TIMED_OUT).count());
  }

  @Test
  void whatReturnsInTimeCounts() {
    SteppedNode.Queue queue = begin(this::obedient);
    node.runFor(TIMEOUT.minus(NANO));
    stages.get(0).complete(Outcome.done());
    world.pass(Duration.ofSeconds(1));
    node.settleDown();
    assertEquals(TaskState.COMPLETED, queue.task("a").state());
    assertTrue(node.event(TIMED_OUT).isEmpty());
  }

  /** The engine has not heard of it when it looks. */
  @Test
  void whatReturnsBeforeItIsInterruptedCounts() {
    node.add((now, out) -> {
      stages.forEach(stage -> stage.complete(Outcome.done()));
      return Duty.NEVER;
    });
    SteppedNode.Queue queue = node.queue(spec()).handleAsync(this::obedient);
    queue.schedule("a", 0);
    node.answerAll();
    node.runHandlers();
    world.pass(TIMEOUT);
    node.settleDown();
    assertEquals(TaskState.COMPLETED, queue.task("a").state());
    assertTrue(node.event(TIMED_OUT).isEmpty());
    node.runFor(Duration.ofMinutes(1));
    assertTrue(node.event(STUCK).isEmpty());
  }

  @Test
  void whatItReturnsAfterwardsCountsForNothingAndWithinASecondTheSettlementWaitsForIt() {
    SteppedNode.Queue queue = begin(this::deaf);
    node.runFor(TIMEOUT.plus(GRACE).minus(NANO));
    assertEquals(TaskState.PROCESSING, queue.task("a").state(), "the next attempt would run beside it");
    stages.get(0).complete(Outcome.done());
    node.settleDown();
    assertEquals(Optional.of(NOTE), queue.task("a").attempts().get(0).error());
    assertEquals(List.of(CLAIMED, STARTED, TIMED_OUT, RETRIED), node.kinds("a"));
    assertTrue(queue.dispatcher.idle());
  }

  @Test
  void oneThatIgnoresItIsSettledAfterASecondAndReported() {
    SteppedNode.Queue queue = begin(this::deaf);
    node.runFor(TIMEOUT.plus(GRACE).minus(NANO));
    assertFalse(claims.get(0).lost());
    assertEquals(0, queue.task("a").lapses(), "its lease is renewed");
    node.runFor(NANO);
    assertEquals(List.of(CLAIMED, STARTED, TIMED_OUT, STUCK, RETRIED), node.kinds("a"));
    assertEquals("still running after it was interrupted: " + NOTE, node.event(STUCK).orElseThrow().detail());
    assertTrue(claims.get(0).lost(), "the task is not its own any more");
    assertEquals(TaskState.WAITING, queue.task("a").state());
    stages.get(0).complete(Outcome.done());
    node.settleDown();
    assertEquals(5, node.kinds("a").size(), "its late word says nothing");
    node.runFor(Duration.ofMinutes(1));
    assertEquals(2, stages.size());
  }

  @Test
  void oneThatIgnoresItKeepsItsPlaceAndTheOthersGoOn() {
    SteppedNode.Queue queue = node.queue(spec().handlers(2).prefetch(1))
        .handleAsync(claim -> claim.id().equals("deaf")
            ? deaf(claim)
            : CompletableFuture.completedFuture(Outcome.done()));
    queue.schedule("deaf", 0);
    node.runFor(Duration.ofSeconds(10));
    for (int i = 0; i < 5; i++) {
      queue.schedule("t" + i, 0);
    }
    node.answerAll();
    assertEquals(1, node.handlers.size());
    assertEquals(2, queue.leases.held().size(), "one for the handler that is left, one ahead");
    node.settleDown();
    for (int i = 0; i < 5; i++) {
      assertEquals(TaskState.COMPLETED, queue.task("t" + i).state());
      queue.schedule("u" + i, 0);
    }
    stages.get(0).complete(Outcome.done());
    node.answerAll();
    assertEquals(2, node.handlers.size());
    assertEquals(3, queue.leases.held().size());
  }

  @Test
  void aQueueWhoseHandlersAreAllStuckClaimsNothingUntilOneReturns() {
    SteppedNode.Queue queue = begin(spec().handlers(1), this::deaf);
    queue.schedule("b", 0);
    node.runFor(Duration.ofSeconds(30));
    assertEquals(0, queue.task("b").claims());
    stages.get(0).complete(Outcome.done());
    node.settleDown();
    assertEquals(2, stages.size());
    assertEquals("b", claims.get(1).id());
  }

  @Test
  void onTheLastAttemptItIsADeadLetter() {
    SteppedNode.Queue queue = begin(spec().retry(Retry.never()), this::obedient);
    node.runFor(TIMEOUT);
    assertEquals(Optional.of("failed: " + NOTE), queue.task("a").outcome());
    assertEquals(List.of(CLAIMED, STARTED, TIMED_OUT, FAILED), node.kinds("a"));
  }

  @Test
  void leasesAreRenewedUntilTheSettlementIsAnswered() {
    SteppedNode.Queue queue = begin(this::deaf);
    world.store.before(call -> {
      if (!call.settlements().isEmpty()) {
        throw StoreException.passing("away", null);
      }
    });
    node.runFor(Duration.ofSeconds(60));
    assertEquals(TaskState.PROCESSING, queue.task("a").state());
    assertFalse(queue.task("a").lapsed());
    world.store.before(call -> {});
    node.runFor(Duration.ofSeconds(5));
    assertEquals(Optional.of(NOTE), queue.task("a").attempts().get(0).error());
    assertTrue(queue.leases.isEmpty());
  }

  @Test
  void aGraveSuspectFreesTheGateWhenItsSettlementIsAnsweredThoughItIsStuck() {
    SteppedNode.Queue queue = node.queue(spec());
    SteppedNode.Queue other = node.queue("other");
    world.lapsed("q", 2, "grave");
    world.lapsed("other", 2, "waits");
    queue.handleAsync(this::deaf);
    node.settleDown();
    other.handle(claim -> Outcome.done());
    node.runFor(TIMEOUT.plus(GRACE).minus(NANO));
    assertEquals(TaskState.WAITING, other.task("waits").state());
    node.runFor(NANO);
    assertEquals(TaskState.COMPLETED, other.task("waits").state());
  }

  @Test
  void aTimeoutDuringTheShutdownCounts() {
    SteppedNode.Queue queue = begin(this::deaf);
    node.post(queue.dispatcher::stop);
    node.runFor(TIMEOUT);
    node.post(queue.dispatcher::interrupt);
    node.settleDown();
    stages.get(0).complete(Outcome.done());
    node.settleDown();
    assertEquals(Optional.of(NOTE), queue.task("a").attempts().get(0).error());
    assertTrue(queue.dispatcher.idle());
  }

  @Test
  void aHandlerThatTheShutdownInterruptedIsGivenBackThoughItsTimeIsOverBeforeItReturns() {
    SteppedNode.Queue queue = begin(this::deaf);
    node.post(queue.dispatcher::stop);
    node.post(queue.dispatcher::interrupt);
    node.runFor(Duration.ofMinutes(1));
    stages.get(0).complete(Outcome.done());
    node.settleDown();
    assertEquals(List.of(), queue.task("a").attempts());
    assertEquals(0, queue.task("a").attempt());
    assertEquals(List.of(CLAIMED, STARTED, STUCK, RELEASED), node.kinds("a"));
  }

  @Test
  void aStuckHandlerDoesNotHoldUpTheEnd() {
    SteppedNode.Queue queue = begin(this::deaf);
    node.runFor(TIMEOUT.plus(GRACE));
    node.post(queue.dispatcher::stop);
    node.settleDown();
    assertTrue(queue.dispatcher.idle());
  }

  /** All on one thread: the handler itself lets time pass. */
  @Test
  void aSynchronousHandlerIsInterruptedAndTheInterruptDoesNotStayWithItsThread() {
    SteppedNode.Queue queue = node.queue(spec());
    queue.handle(claim -> {
      node.answerFor(TIMEOUT.minus(NANO));
      assertFalse(Thread.currentThread().isInterrupted());
      node.answerFor(NANO);
      assertTrue(Thread.currentThread().isInterrupted());
      return Outcome.done();
    });
    queue.schedule("a", 0);
    node.settleDown();
    assertFalse(Thread.interrupted());
    assertEquals(Optional.of(NOTE), queue.task("a").attempts().get(0).error());
  }

  @Test
  void aStuckSynchronousHandlerLeavesNoInterruptBehindEither() {
    SteppedNode.Queue queue = node.queue(spec());
    queue.handle(claim -> {
      node.answerFor(TIMEOUT.plus(GRACE));
      return Outcome.done();
    });
    queue.schedule("a", 0);
    node.settleDown();
    assertFalse(Thread.interrupted());
    assertEquals(List.of(CLAIMED, STARTED, TIMED_OUT, STUCK, RETRIED), node.kinds("a"));
  }

  @Test
  void aBackoffThatBreaksDownForgetsNoTask() {
    SteppedNode.Queue queue = begin(spec().retry(Retry.by(attempt -> {
      throw new AssertionError("broken");
    }).attempts(1)), this::deaf);
    node.runFor(TIMEOUT.plus(GRACE));
    assertEquals(Optional.of("failed: the handler broke down"), queue.task("a").outcome());
  }

  @Test
  void withoutATimeoutAHandlerMayRunForDays() {
    SteppedNode.Queue queue = begin(QueueSpec.of("q", String.class).handlers(1).lease(Duration.ofHours(1)),
        this::obedient);
    node.runFor(Duration.ofDays(3));
    assertEquals(TaskState.PROCESSING, queue.task("a").state());
  }

  @Test
  void theLongestTimeoutIsNoOverflowAndLessThanAMillisecondIsRefused() {
    SteppedNode.Queue queue = begin(spec().handlerTimeout(Duration.ofSeconds(Long.MAX_VALUE)), this::obedient);
    node.runFor(Duration.ofHours(1));
    assertEquals(TaskState.PROCESSING, queue.task("a").state());
    assertThrows(IllegalArgumentException.class, () -> spec().handlerTimeout(Duration.ofMillis(1).minus(NANO)));
    assertThrows(IllegalArgumentException.class, () -> spec().handlerTimeout(Duration.ZERO));
    assertThrows(IllegalArgumentException.class, () -> spec().handlerTimeout(Duration.ofSeconds(-1)));
    assertEquals("q", spec().handlerTimeout(Duration.ofMillis(1)).name());
  }
}
