package dev.bide.spi;

import org.jspecify.annotations.Nullable;

/** A store could not do what it was asked: it is unreachable, busy, full, read-only or damaged. */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean passing;

  private StoreException(String message, @Nullable Throwable cause, boolean passing) {
    super(message, cause);
    this.passing = passing;
  }

  /** A mishap that may be over when the same call is sent again. */
  public static StoreException passing(String message, @Nullable Throwable cause) {
    return new StoreException(message, cause, true);
  }

  /** A mishap that sending the same call again will not cure. */
  public static StoreException lasting(String message, @Nullable Throwable cause) {
    return new StoreException(message, cause, false);
  }

  /** Returns whether sending the same call again may succeed. */
  public boolean isTransient() {
    return passing;
  }
}
