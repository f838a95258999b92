package dev.bide.spi;

import dev.bide.task.Due;

/**
 * The latest pause of a queue. Moments are epoch milliseconds of the store's clock.
 *
 * @param from when it began; {@link Due#NEVER} if the queue was never paused
 * @param until when it ended; {@link Due#NEVER} if it has not
 */
public record QueuePause(long from, long until) {
  /** No pause at all. */
  public static final QueuePause NONE = new QueuePause(Due.NEVER, Due.NEVER);

  /** Returns whether the queue is paused. */
  public boolean paused() {
    return from != Due.NEVER && until == Due.NEVER;
  }

  /**
   * Returns whether a task that was ready at {@code readyAt} and claimed at {@code claimedAt} had to wait for the end
   * of the pause.
   */
  public boolean heldBack(long readyAt, long claimedAt) {
    return from <= readyAt && readyAt <= until && until <= claimedAt;
  }

  /** Returns this pause, or one that begins now if there is none under way. */
  public QueuePause begun(long now) {
    return paused() ? this : new QueuePause(now, Due.NEVER);
  }

  /** Returns this pause, ended now if it is under way. */
  public QueuePause ended(long now) {
    return paused() ? new QueuePause(from, now) : this;
  }
}
