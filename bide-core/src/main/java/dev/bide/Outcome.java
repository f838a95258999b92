package dev.bide;

import static java.util.Objects.requireNonNull;

import dev.bide.Breaker.Sign;
import dev.bide.delay.When;
import dev.bide.spi.End;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a handler ended a task. Immutable. */
public final class Outcome {
  private static final Outcome DONE = new Outcome(End.COMPLETE, 0, "done", Sign.SUCCESS, null);

  private final End end;
  private final long delayMillis;
  private final String note;
  private final Sign sign;
  private final @Nullable Throwable cause;

  private Outcome(End end, long delayMillis, String note, Sign sign, @Nullable Throwable cause) {
    this.end = end;
    this.delayMillis = delayMillis;
    this.note = note;
    this.sign = sign;
    this.cause = cause;
  }

  /** The work is done. */
  public static Outcome done() {
    return DONE;
  }

  /** There was nothing to do, for the reason given: the order had been paid, for instance. The task is completed. */
  public static Outcome skip(String reason) {
    return new Outcome(End.COMPLETE, 0, "skipped: " + requireNonNull(reason, "reason"), Sign.SUCCESS, null);
  }

  /**
   * The attempt failed; another follows after {@code delay} instead of the queue's backoff. On the last attempt the
   * task becomes a dead letter.
   *
   * @throws IllegalArgumentException if {@code delay} is negative
   */
  public static Outcome retryIn(Duration delay) {
    return retryIn(delay, "the handler asked for another attempt");
  }

  /** As {@link #retryIn(Duration)}, with a reason for the record. */
  public static Outcome retryIn(Duration delay, String reason) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("a retry must not be in the past, got " + delay);
    }
    return new Outcome(End.RETRY, When.millisUp(delay), requireNonNull(reason, "reason"), Sign.FAILURE, null);
  }

  /** Further attempts are useless: the task becomes a dead letter with this reason. */
  public static Outcome fail(String reason) {
    return new Outcome(End.FAIL, 0, requireNonNull(reason, "reason"), Sign.SUCCESS, null);
  }

  /** The attempt failed because of {@code cause}. */
  static Outcome failed(long delayMillis, String note, @Nullable Throwable cause) {
    return new Outcome(End.RETRY, delayMillis, note, Sign.FAILURE, cause);
  }

  /** The task can never be handled because of {@code cause}, which says {@code sign} of the world. */
  static Outcome hopeless(String note, Sign sign, Throwable cause) {
    return new Outcome(End.FAIL, 0, note, sign, cause);
  }

  /** The claim is given back: the attempt does not count, and the task is ready again. */
  static Outcome release() {
    return new Outcome(End.RELEASE, 0, "", Sign.NOTHING, null);
  }

  End end() {
    return end;
  }

  long delayMillis() {
    return delayMillis;
  }

  String note() {
    return note;
  }

  /** What it says of the world: a decision of the handler about the task alone is a success there. */
  Sign sign() {
    return sign;
  }

  @Nullable
  Throwable cause() {
    return cause;
  }

  @Override
  public String toString() {
    return end + (note.isEmpty() ? "" : " (" + note + ")");
  }
}
