package dev.bide.spi;

import org.jspecify.annotations.Nullable;

/**
 * An answer of a store, with the store's now at which it was decided.
 *
 * @param <T> what is answered
 */
public final class Reply<T> {
  private final long now;
  private final @Nullable T value;

  private Reply(long now, @Nullable T value) {
    this.now = now;
    this.value = value;
  }

  /** An answer decided at {@code now}. */
  public static <T> Reply<T> of(long now, T value) {
    return new Reply<>(now, value);
  }

  /** The call came after its sender had given up, or after a newer one of its stream: nothing was done. */
  public static <T> Reply<T> late(long now) {
    return new Reply<>(now, null);
  }

  /** Returns the store's now, in epoch milliseconds. */
  public long now() {
    return now;
  }

  /** Returns whether nothing was done because the call came late. */
  public boolean late() {
    return value == null;
  }

  /**
   * Returns the answer.
   *
   * @throws IllegalStateException if the reply is {@link #late}
   */
  public T value() {
    if (value == null) {
      throw new IllegalStateException("the call came late, at " + now + ", and did nothing");
    }
    return value;
  }

  @Override
  public String toString() {
    return "Reply[now=" + now + ", " + (value == null ? "late" : value) + "]";
  }
}
