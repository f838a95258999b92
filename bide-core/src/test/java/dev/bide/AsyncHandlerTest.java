package dev.bide;

import static dev.bide.TaskEvent.Kind.CLAIMED;
import static dev.bide.TaskEvent.Kind.COMPLETED;
import static dev.bide.TaskEvent.Kind.RELEASED;
import static dev.bide.TaskEvent.Kind.STARTED;
import static dev.bide.TaskEvent.Kind.STUCK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.SteppedNode.World;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Handlers that tell their outcome later; driven by hand, in virtual time, on one thread. */
class AsyncHandlerTest {
  private final World world = new World();
  private final SteppedNode node = new SteppedNode(world, "n1");
  private final List<CompletableFuture<Outcome>> stages = new ArrayList<>();
  private final LogCapture log = new LogCapture();

  @AfterEach
  void close() {
    log.close();
  }

  private static QueueSpec<String> spec() {
    return QueueSpec.of("q", String.class).retry(Retry.fixed(Duration.ofMillis(5)).attempts(3));
  }

  private CompletionStage<Outcome> later(Claim<String> claim) {
    CompletableFuture<Outcome> stage = new CompletableFuture<>();
    stages.add(stage);
    return stage;
  }

  private Task handledOnce(AsyncHandler<String> handler) {
    SteppedNode.Queue queue = node.queue(spec().retry(Retry.never())).handleAsync(handler);
    queue.schedule("a", 0);
    node.settleDown();
    assertTrue(queue.dispatcher.idle());
    return queue.task("a");
  }

  private static void assertFailed(String reason, Task task) {
    assertEquals(Optional.of("failed: " + reason), task.outcome());
  }

  @Test
  void aTaskRunsUntilItsStageIsCompleteAndItsLeaseIsRenewedMeanwhile() {
    SteppedNode.Queue queue = node.queue(spec().lease(Duration.ofSeconds(3))).handleAsync(this::later);
    queue.schedule("a", 0);
    node.runFor(Duration.ofSeconds(60));
    assertEquals(TaskState.PROCESSING, queue.task("a").state());
    assertEquals(0, queue.task("a").lapses());
    assertEquals(1, stages.size());
    assertFalse(queue.dispatcher.idle());
    stages.get(0).complete(Outcome.done());
    node.settleDown();
    assertEquals(TaskState.COMPLETED, queue.task("a").state());
    assertEquals(List.of(CLAIMED, STARTED, COMPLETED), node.kinds("a"));
    assertTrue(queue.dispatcher.idle());
  }

  @Test
  void aTaskTakesCreditAndAHandlerUntilItsStageIsComplete() {
    SteppedNode.Queue queue = node.queue(spec().handlers(2).prefetch(1)).handleAsync(this::later);
    for (int i = 0; i < 6; i++) {
      queue.schedule("t" + i, 0);
    }
    node.settleDown();
    assertEquals(2, stages.size());
    assertEquals(3, queue.leases.held().size());
    stages.get(1).complete(Outcome.done());
    node.settleDown();
    assertEquals(3, stages.size());
    assertEquals(3, queue.leases.held().size());
    for (int i = 0; i < 6; i++) {
      stages.get(i).complete(Outcome.done());
      node.settleDown();
    }
    assertEquals(TaskState.COMPLETED, queue.task("t5").state());
  }

  @Test
  void aStageThatIsCompleteWhenItComesIsSettledAtOnce() {
    assertEquals(Optional.of("skipped: paid"),
        handledOnce(claim -> CompletableFuture.completedFuture(Outcome.skip("paid"))).outcome());
  }

  @Test
  void aStageThatFailsIsAFailedAttemptWithItsReason() {
    assertFailed("java.io.IOException: no line",
        handledOnce(claim -> CompletableFuture.failedFuture(new IOException("no line"))));
  }

  @Test
  void aStageBehindOneThatFailsNamesTheReasonAndNotItsWrapping() {
    assertFailed("java.lang.IllegalStateException: no line",
        handledOnce(claim -> CompletableFuture.supplyAsync(AsyncHandlerTest::broken, Runnable::run)
            .thenApply(each -> each)));
  }

  private static Outcome broken() {
    throw new IllegalStateException("no line");
  }

  @Test
  void aWrappingWithNothingInItIsTheReasonItself() {
    assertFailed("java.util.concurrent.CompletionException: empty",
        handledOnce(claim -> CompletableFuture.failedFuture(new CompletionException("empty", null))));
  }

  @Test
  void aHandlerThatThrowsInsteadOfAStageFailsTheAttempt() {
    assertFailed("java.io.IOException: no line", handledOnce(claim -> {
      throw new IOException("no line");
    }));
  }

  @Test
  void noStageIsAFailedAttempt() {
    assertFailed("the handler returned null instead of an outcome", handledOnce(AsyncHandlerTest::nothing));
  }

  @SuppressWarnings("NullAway") // a careless handler
  private static CompletionStage<Outcome> nothing(Claim<String> claim) {
    return null;
  }

  @Test
  void aStageWithNothingInItIsAFailedAttempt() {
    assertFailed("the handler returned null instead of an outcome", handledOnce(AsyncHandlerTest::empty));
  }

  @SuppressWarnings("NullAway") // a careless handler
  private static CompletionStage<Outcome> empty(Claim<String> claim) {
    return CompletableFuture.completedFuture(null);
  }

  @Test
  void anErrorInAStageIsAFailedAttempt() {
    assertFailed("java.lang.OutOfMemoryError: for a test",
        handledOnce(claim -> CompletableFuture.failedFuture(new OutOfMemoryError("for a test"))));
  }

  /** The stage swallows what its callbacks throw, so the claim would be held for ever. */
  @Test
  void anOwnBackoffThatBreaksDownWhenAStageFailsForgetsNoTask() {
    SteppedNode.Queue queue = node.queue(spec().retry(Retry.by(attempt -> {
      throw new AssertionError("broken");
    }).attempts(1))).handleAsync(this::later);
    queue.schedule("a", 0);
    node.settleDown();
    stages.get(0).completeExceptionally(new IOException("no line"));
    node.settleDown();
    assertFailed("the handler broke down", queue.task("a"));
  }

  @Test
  void theFirstWordCounts() {
    SteppedNode.Queue queue = node.queue(spec()).handleAsync(this::later);
    queue.schedule("a", 0);
    node.settleDown();
    stages.get(0).complete(Outcome.done());
    stages.get(0).obtrudeValue(Outcome.fail("changed its mind"));
    node.settleDown();
    assertEquals(TaskState.COMPLETED, queue.task("a").state());
  }

  @Test
  void atTheEndOfTheShutdownLimitStagesAreCancelledAndTheirTasksGivenBack() {
    SteppedNode.Queue queue = node.queue(spec()).handleAsync(this::later);
    queue.schedule("a", 0);
    node.settleDown();
    node.post(queue.dispatcher::stop);
    node.settleDown();
    assertFalse(stages.get(0).isDone(), "the limit is not over");
    node.post(queue.dispatcher::interrupt);
    node.settleDown();
    assertTrue(stages.get(0).isCancelled());
    assertFalse(Thread.interrupted(), "no thread is interrupted for it");
    assertEquals(TaskState.WAITING, queue.task("a").state());
    assertEquals(0, queue.task("a").attempt());
    assertEquals(List.of(CLAIMED, STARTED, STUCK, RELEASED), node.kinds("a"));
    assertTrue(queue.dispatcher.idle());
  }

  /** Whoever gets to run behind the stage may say anything: nobody knows how far it came. */
  @Test
  void aStageThatMakesAnOutcomeOfItsCancelIsGivenBackAllTheSame() {
    CompletableFuture<String> call = new CompletableFuture<>();
    SteppedNode.Queue queue = node.queue(spec()).handleAsync(claim -> new Cancelling(call));
    queue.schedule("a", 0);
    node.settleDown();
    node.post(queue.dispatcher::stop);
    node.post(queue.dispatcher::interrupt);
    node.settleDown();
    assertTrue(call.isCancelled());
    assertEquals(TaskState.WAITING, queue.task("a").state());
  }

  /** Ends well by being cancelled. */
  private static final class Cancelling extends CompletableFuture<Outcome> {
    private final CompletableFuture<String> call;

    Cancelling(CompletableFuture<String> call) {
      this.call = call;
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
      return call.cancel(mayInterrupt) && complete(Outcome.done());
    }
  }

  /** A stage of others, which cannot be cancelled from outside. */
  private static final class Uncancellable extends CompletableFuture<Outcome> {
    @Override
    public CompletableFuture<Outcome> toCompletableFuture() {
      throw new UnsupportedOperationException("for a test");
    }
  }

  @Test
  void aStageThatCannotBeCancelledKeepsItsLeaseUntilItIsComplete() {
    CompletableFuture<Outcome> stage = new Uncancellable();
    SteppedNode.Queue queue = node.queue(spec()).handleAsync(claim -> stage);
    queue.schedule("a", 0);
    node.settleDown();
    node.post(queue.dispatcher::stop);
    node.post(queue.dispatcher::interrupt);
    node.runFor(Duration.ofMinutes(2));
    assertEquals(TaskState.PROCESSING, queue.task("a").state());
    stage.complete(Outcome.done());
    node.settleDown();
    assertEquals(TaskState.WAITING, queue.task("a").state());
    assertEquals(0, queue.task("a").attempt());
    assertTrue(queue.dispatcher.idle());
  }

  @Test
  void anInterruptWhileTheStageIsBeingMadeReachesTheThreadAndThenTheStage() {
    SteppedNode.Queue queue = node.queue(spec());
    queue.handleAsync(claim -> {
      node.post(queue.dispatcher::interrupt);
      node.turn();
      assertTrue(Thread.currentThread().isInterrupted());
      return later(claim);
    });
    queue.schedule("a", 0);
    node.answerAll();
    node.runHandlers();
    assertTrue(stages.get(0).isCancelled());
    assertFalse(Thread.interrupted(), "it does not stay with the thread");
    node.post(queue.dispatcher::stop);
    node.settleDown();
    assertEquals(0, queue.task("a").attempt());
  }
}
