package dev.bide.task;

/**
 * A number of tasks, which is at least known not to be smaller.
 *
 * @param count how many there are, or at least
 * @param exact whether there are no more
 */
public record Amount(long count, boolean exact) {

  /** A number that is known exactly. */
  public static Amount exactly(long count) {
    return new Amount(count, true);
  }

  /** A number whose counting was ended, to save time. */
  public static Amount atLeast(long count) {
    return new Amount(count, false);
  }

  /** Returns {@code 7}, or {@code at least 7}. */
  @Override
  public String toString() {
    return exact ? Long.toString(count) : "at least " + count;
  }
}
