package dev.bide.delay;

import static dev.bide.task.Due.Base.FROM_NOW;
import static dev.bide.task.Due.Base.INSTANT;

import dev.bide.task.Due;
import java.time.Duration;
import java.time.Instant;

/**
 * When a task is due: after a duration, or at an instant. Immutable.
 *
 * <p>A duration counts from the store's now at the moment the store accepts the task; zones and the clock of this machine
 * play no part. Fractions of a millisecond are rounded up, so a task is never early.
 *
 * <pre>{@code
 * When.in(Duration.ofMinutes(30))
 * When.at(Instant.parse("2026-12-24T18:00:00Z")).orExpire(Duration.ofHours(1))
 * }</pre>
 */
public final class When {
  private static final Instant FIRST = Instant.EPOCH;
  private static final Instant LAST = Instant.ofEpochMilli(Due.LAST);

  private final Due due;

  private When(Due due) {
    this.due = due;
  }

  /** Due at once. */
  public static When now() {
    return in(Duration.ZERO);
  }

  /**
   * Due {@code delay} after the store accepts the task.
   *
   * @throws IllegalArgumentException if {@code delay} is negative
   */
  public static When in(Duration delay) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("a delay must not be negative, got " + delay);
    }
    return new When(new Due(FROM_NOW, millisUp(delay), 0, 1, Due.Past.RUN, 0, false));
  }

  /**
   * Due at {@code instant}. One that is past already runs at once, and its due time stays in the past, unless
   * {@link #orRefuse} or {@link #orExpire} says otherwise.
   *
   * @throws IllegalArgumentException if {@code instant} is not in the years 1970 to 9999
   */
  public static When at(Instant instant) {
    if (instant.isBefore(FIRST) || instant.isAfter(LAST)) {
      throw new IllegalArgumentException("a due time must be from " + FIRST + " to " + LAST + ", got " + instant);
    }
    return new When(
        new Due(INSTANT, millisUp(Duration.between(Instant.EPOCH, instant)), 0, 1, Due.Past.RUN, 0, false));
  }

  /**
   * The same, but refused when it is past at the store: {@link dev.bide.task.Answer#PAST}. Means nothing for a delay.
   */
  public When orRefuse() {
    return new When(new Due(due.base(), due.millis(), 0, 1, Due.Past.REJECT, 0, due.onlyLater()));
  }

  /**
   * The same, but ended at once when it is more than {@code age} past at the store:
   * {@link dev.bide.task.Answer#EXPIRED}. Means nothing for a delay.
   *
   * @throws IllegalArgumentException if {@code age} is negative
   */
  public When orExpire(Duration age) {
    if (age.isNegative()) {
      throw new IllegalArgumentException("an age must not be negative, got " + age);
    }
    return new When(new Due(due.base(), due.millis(), 0, 1, Due.Past.EXPIRE, millisUp(age), due.onlyLater()));
  }

  /**
   * The same for a move, but a due time that is not later than the present one changes nothing. Means nothing for a new
   * task.
   */
  public When onlyLater() {
    return new When(new Due(due.base(), due.millis(), 0, 1, due.past(), due.pastMillis(), true));
  }

  /**
   * Returns what the store needs to know.
   *
   * @param now about now, in epoch milliseconds, to judge an absolute time by
   * @param maxDelay how far ahead a task may be due
   * @throws IllegalArgumentException if it is further ahead
   */
  public Due toDue(long now, Duration maxDelay) {
    long ahead = due.base() == INSTANT ? due.millis() - now : due.millis();
    if (ahead > millisUp(maxDelay)) {
      throw new IllegalArgumentException("a task may be due at most " + maxDelay + " ahead, got " + this);
    }
    return due;
  }

  /**
   * Returns {@code duration} in milliseconds, rounded up; durations beyond the range of a {@code long} become its
   * greatest value.
   */
  public static long millisUp(Duration duration) {
    try {
      long millis = duration.toMillis();
      return duration.minusMillis(millis).isZero() || duration.isNegative() ? millis : Math.addExact(millis, 1);
    } catch (ArithmeticException e) {
      return duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  @Override
  public String toString() {
    return due.base() == INSTANT ? "at " + Instant.ofEpochMilli(due.millis()) : "in " + Duration.ofMillis(due.millis());
  }
}
