package dev.bide.task;

/**
 * What came of a caller's wish to create or change a task: expected outcomes, never exceptions.
 *
 * <p>The first group answers a schedule, the second a change; {@link #EXPIRED} and {@link #PAST} answer both.
 */
public enum Answer {
  /** A new task waits under this id. */
  CREATED,
  /** A task with this id was there and stays as it was. */
  KEPT,
  /** The task that waited under this id ended as cancelled, and the new one waits. */
  REPLACED,
  /** A task with this id was there, which the caller did not want; nothing changed. */
  EXISTS,
  /** The task with this id is being processed and cannot be replaced; nothing changed. */
  REFUSED,

  /** The change was made, or there was nothing left to change. */
  DONE,
  /** The task is cancelled: no node starts its handler after this. */
  CANCELLED,
  /** A node holds the task under a live lease; a cancel leaves its handler a request. */
  ALREADY_CLAIMED,
  /** The task has ended before; nothing changed. */
  ALREADY_FINISHED,
  /** No task with this id is known. */
  NOT_FOUND,
  /** The task is no dead letter, so it cannot be revived. */
  NOT_FAILED,

  /**
   * The due time was longer ago than the caller allows: the task is cancelled at once, with the outcome
   * {@code expired}.
   */
  EXPIRED,
  /** The due time is past, which the caller refuses; nothing changed. */
  PAST
}
