package dev.bide;

import dev.bide.spi.Driver;
import dev.bide.spi.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

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
  static <T> T join(CompletableFuture<T> future, Driver driver) {
    try {
      boolean unused = driver.await(future, Long.MAX_VALUE);
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

  /** Returns {@code value}, or throws {@code failure} if there is one: one of them is there. */
  static <T> T result(@Nullable T value, @Nullable Throwable failure) {
    if (value != null) {
      return value;
    }
    throw failure instanceof RuntimeException known ? known : new CompletionException(failure);
  }
}
