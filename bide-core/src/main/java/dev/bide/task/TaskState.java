package dev.bide.task;

/**
 * Where a task stands in its life.
 *
 * <p>Only these are stored. <em>Ready</em>, <em>retry</em> and <em>lapsed</em> are views that a {@link Task} computes from
 * the moment it was looked at.
 */
public enum TaskState {
  /** Waits for its time, or is ready and has not been claimed. */
  WAITING,
  /** Claimed by a node under a lease. */
  PROCESSING,
  /** Held back by a caller; nothing is due until it is resumed. */
  PAUSED,
  /** Ended well: done, or skipped by its handler. */
  COMPLETED,
  /** A dead letter: its attempts are used up, or its handler gave up on it. */
  FAILED,
  /** Ended by a caller, by a replacement, or because it expired. */
  CANCELLED;

  /** Returns whether the task has ended; an ended task never leaves its state. */
  public boolean finished() {
    return compareTo(COMPLETED) >= 0;
  }
}
