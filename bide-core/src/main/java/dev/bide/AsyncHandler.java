package dev.bide;

import java.util.concurrent.CompletionStage;

/**
 * Does the work of the tasks of one queue without holding a thread while it waits. Called by several threads at once,
 * and at least once for each task: what it does must bear repetition.
 *
 * @param <P> the type of the payloads
 */
@FunctionalInterface
public interface AsyncHandler<P> {

  /**
   * Begins to handle one task whose time has come. The task counts as running, and its lease is renewed, until the
   * stage completes, on whatever thread. A stage that completes with an exception, or with null, is an attempt that
   * failed.
   *
   * <p>What a {@link Handler} is told by an interrupt, this one is told by a
   * {@linkplain java.util.concurrent.CompletableFuture#cancel cancel} of its stage, if the stage can be cancelled;
   * while this method has not returned, its thread is interrupted. A cancel ends a {@code CompletableFuture} at once,
   * and does not reach what it depends on: a call behind a {@code thenApply} runs on, and the next attempt may begin
   * beside it. Whoever must not have that returns a stage whose {@code cancel} stops the work.
   *
   * @param claim the task, held until the stage completes
   * @return how it ended, when it has
   * @throws Exception to let the attempt fail; the queue's {@link Retry} decides when the next one follows
   */
  CompletionStage<Outcome> handle(Claim<P> claim) throws Exception;
}
