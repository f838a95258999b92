package dev.bide.timer;

/**
 * Holds items until their deadline. Passive: no thread, no clock, no lock; time is passed in.
 *
 * <p>Not thread-safe. Deadlines are non-negative {@code long}s in the caller's unit and from the caller's origin. An item
 * is a {@code long}, the <em>cookie</em>, which means something to the caller only. Nothing leaves before its deadline.
 *
 * <p>A handle names an item until it leaves. Its low 31 bits are the item's index: no two items in the queue have the
 * same, and none has one as great as the most items the queue ever held at once. So whoever knows more of an item than
 * its cookie may keep that in an array. The other bits are a generation, so that a late cancel does not hit the item
 * that has the index now.
 */
public interface TimerQueue {

  /**
   * What a timer queue promises of time and order: an item is due when its deadline, rounded up to a multiple of
   * {@code tick} behind {@code start}, has come. What is due leaves by that moment, and where it is the same, in the
   * order in which it was scheduled or last moved.
   *
   * @param start where ticks are counted from
   * @param tick at least 1, in the caller's unit; 1 for an exact queue
   */
  record Spec(long start, long tick) {
    /** What an exact queue promises: to order by deadline, and to be late by nothing. */
    public static final Spec EXACT = new Spec(0, 1);

    /** Checks the values. */
    public Spec {
      if (start < 0) {
        throw new IllegalArgumentException("start must not be negative, got " + start);
      }
      if (tick < 1) {
        throw new IllegalArgumentException("tick must be positive, got " + tick);
      }
    }

    /** Returns whether items leave by deadline, and not later than they could. */
    public boolean exact() {
      return tick == 1;
    }

    /**
     * Returns when an item with this deadline is due; {@link Long#MAX_VALUE} where that is no {@code long} any more.
     */
    public long dueAt(long deadline) {
      long more = Math.floorMod(start - deadline, tick);
      return deadline > Long.MAX_VALUE - more ? Long.MAX_VALUE : deadline + more;
    }
  }

  /** Called with each item that is due. */
  @FunctionalInterface
  interface Sink {

    /**
     * Takes an item over; it has left the queue, and its handle is stale. May call the queue back, except to drain it:
     * what it schedules or moves to a deadline that has come is handed out by the next drain at the earliest.
     */
    void accept(long handle, long deadline, long cookie);
  }

  /** Returns what this queue promises of time and order. */
  Spec spec();

  /**
   * Adds an item.
   *
   * @return a handle on it, never 0, that will not be given again before four billion others
   * @throws IllegalArgumentException if {@code deadline} is negative
   */
  long schedule(long deadline, long cookie);

  /** Removes an item before it leaves; returns false if it has left, or was cancelled before. */
  boolean cancel(long handle);

  /**
   * Gives an item another deadline. Its handle stays; among items of the same deadline it comes last now.
   *
   * @return false if it has left, or was cancelled before
   * @throws IllegalArgumentException if {@code deadline} is negative
   */
  boolean move(long handle, long deadline);

  /**
   * Hands out items that are due, in the order of {@link #spec}. {@code now} may be less than before; nothing is due
   * then that was not.
   *
   * <p>What the sink throws goes to the caller; the item it was given has left, the others are still there.
   *
   * @param limit how many at most
   * @return how many were handed out
   * @throws IllegalArgumentException if {@code limit} is negative
   * @throws IllegalStateException if a sink calls it on the queue that calls the sink
   */
  int drain(long now, int limit, Sink sink);

  /**
   * Returns when this queue wants to be drained next; {@link Long#MAX_VALUE} when empty. That is never later than an
   * item is due. It may be earlier where an implementation says so, but after a drain that handed out all that was due
   * it is later than the {@code now} of that drain.
   */
  long nextDeadline();

  /** Returns the number of items. */
  int size();
}
