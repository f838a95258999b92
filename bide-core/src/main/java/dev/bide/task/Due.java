package dev.bide.task;

/**
 * A due time in parts, so that the store can add its own now to them.
 *
 * @param base what {@code millis} counts from
 * @param millis epoch milliseconds for {@link Base#INSTANT}, else a number of milliseconds, not negative
 * @param bufferMillis how much later than due the task becomes available; extending a task keeps the buffer it has and
 * ignores this one
 * @param tierMillis the unit to which the available time is rounded up; 1 for none
 * @param past what happens when the due time is already past
 * @param pastMillis how far past it may be before {@link Past#EXPIRE} ends the task; 0 elsewhere
 * @param onlyLater for a change: an earlier due time than the present one changes nothing
 */
public record Due(Base base, long millis, long bufferMillis, long tierMillis, Past past, long pastMillis,
    boolean onlyLater) {

  /** Stands for "no moment": what {@code nextAt} is while a task is paused. Later than every moment. */
  public static final long NEVER = Long.MAX_VALUE;

  /** The last moment a task can be due: the end of the year 9999, in epoch milliseconds. */
  public static final long LAST = 253_402_300_799_999L;

  /** What a number of milliseconds counts from. */
  public enum Base {
    /** The epoch. */
    INSTANT,
    /** The store's now at the call. */
    FROM_NOW,
    /** The task's present due time. */
    FROM_DUE
  }

  /** What to do with a due time before the store's now. */
  public enum Past {
    /** Run at once; the due time keeps the past value, so lateness stays visible. */
    RUN,
    /** Refuse: {@link Answer#PAST}. */
    REJECT,
    /** End at once as cancelled when it is further past than allowed: {@link Answer#EXPIRED}; else as {@link #RUN}. */
    EXPIRE
  }

  /** Checks the ranges. */
  public Due {
    if (millis < 0) {
      throw new IllegalArgumentException("millis must not be negative, got " + millis);
    }
    // No sum of a due time, a buffer and a tier overflows: that would make the task early.
    if (bufferMillis < 0 || bufferMillis > LAST) {
      throw new IllegalArgumentException("buffer must be 0 to " + LAST + " ms, got " + bufferMillis);
    }
    if (tierMillis < 1 || tierMillis > LAST) {
      throw new IllegalArgumentException("tier must be 1 to " + LAST + " ms, got " + tierMillis);
    }
    if (pastMillis < 0) {
      throw new IllegalArgumentException("past must not be negative, got " + pastMillis);
    }
  }

  /** Due {@code millis} after the store's now. */
  public static Due fromNow(long millis) {
    return new Due(Base.FROM_NOW, millis, 0, 1, Past.RUN, 0, false);
  }

  /** Due at {@code epochMillis}; if that is past, at once. */
  public static Due at(long epochMillis) {
    return new Due(Base.INSTANT, epochMillis, 0, 1, Past.RUN, 0, false);
  }

  /**
   * Returns the promised moment in epoch milliseconds, never after {@link #LAST}.
   *
   * @param now the store's now
   * @param oldDueAt the present due time, for {@link Base#FROM_DUE}
   */
  public long dueAt(long now, long oldDueAt) {
    long origin = switch (base) {
      case INSTANT -> 0;
      case FROM_NOW -> now;
      case FROM_DUE -> oldDueAt;
    };
    return millis > LAST - origin ? LAST : origin + millis;
  }

  /**
   * Returns when a task may be claimed: rounded up to the tier, never before {@code now}.
   *
   * @param bufferedDueAt the due time with the buffer of the task added
   */
  public long availableAt(long bufferedDueAt, long now) {
    long roundedUp = -Math.floorDiv(-bufferedDueAt, tierMillis) * tierMillis;
    return Math.max(roundedUp, now);
  }
}
