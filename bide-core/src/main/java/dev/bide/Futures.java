package dev.bide;

import dev.bide.spi.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Waiting for what another thread will answer. */
final class Futures {
  private Futures() {}

  /**
   * Waits for an answer.
   *
   * @throws RuntimeException what the other thread failed with
   * @throws StoreException if this thread was interrupted: what becomes of the call is unknown then; the interrupt
   * stays set
   */
  static <T> T join(CompletableFuture<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw StoreException.passing("interrupted while waiting for the store; whether the call was done is unknown", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new CompletionException(e.getCause());
    }
  }
}
