package dev.bide.timer;

/**
 * Holds items until their deadline. Passive: no thread, no clock, no lock; time is passed in.
 *
 * <p>Not thread-safe. Deadlines are non-negative {@code long}s in the caller's unit and from the caller's origin. An item
 * is a {@code long}, the <em>cookie</em>, which means something to the caller only. Nothing leaves before its deadline.
 */
public interface TimerQueue {

  /** Called with each item that is due. */
  @FunctionalInterface
  interface Sink {

    /**
     * Takes an item over; it has left the queue, and its handle is stale. May call the queue back, except to drain it:
     * what it schedules or moves to a deadline that has come is handed out by the next drain at the earliest.
     */
    void accept(long deadline, long cookie);
  }

  /**
   * Adds an item.
   *
   * @return a handle on it, never 0, that will not be given again soon: it carries a generation, so that a late cancel
   *   does not hit a stranger
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
   * Hands out items with {@code deadline <= now}, by deadline, those of one deadline in the order they came.
   *
   * <p>What the sink throws goes to the caller; the item it was given has left, the others are still there.
   *
   * @param limit how many at most
   * @return how many were handed out
   * @throws IllegalArgumentException if {@code limit} is negative
   * @throws IllegalStateException if a sink calls it on the queue that calls the sink
   */
  int drain(long now, int limit, Sink sink);

  /** Returns the earliest deadline; {@link Long#MAX_VALUE} when empty. */
  long nextDeadline();

  /** Returns the number of items. */
  int size();
}
