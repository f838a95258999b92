package dev.bide;

import dev.bide.spi.TaskStore;

/**
 * Something to be asked of the store by a {@link Duty}. Whoever drives the duty performs it elsewhere and brings back
 * the reply, exactly one of {@link #answered} and {@link #failed}, on the engine's thread.
 *
 * @param <R> the type of the reply
 */
interface StoreRequest<R> {

  /** Whether it must not wait behind the others: a lease that is not prolonged in time is lost. */
  default boolean urgent() {
    return false;
  }

  /** Asks the store; may block. Uses nothing of the duty that can change. */
  R perform(TaskStore store);

  /** Takes the reply. */
  void answered(R reply, long now);

  /** Takes the failure instead; whether the store did what it was asked is unknown. */
  void failed(RuntimeException failure, long now);
}
