package dev.bide.task;

/** What tasks of a queue are looked at together: those in one stored state, or a part of them. */
public enum TaskView {
  /** All that have not ended: waiting, in process, or paused. */
  LIVE,
  /** Those that wait for their time, for another attempt, or for a handler. */
  WAITING,
  /** Those that wait, and their time has come. */
  READY,
  /** Those that wait for another attempt. */
  RETRY,
  /** Those that are held under a lease. */
  PROCESSING,
  /** Those in process whose lease has run out, and nobody has ended it yet. */
  LAPSED,
  /** Those that are held back. */
  PAUSED,
  /** All that have ended and are still kept. */
  FINISHED,
  /** Those that ended well. */
  COMPLETED,
  /** Those that failed for good: the dead letters. */
  FAILED,
  /** Those that were cancelled, replaced, or had expired. */
  CANCELLED;

  /** Returns whether it shows tasks that have ended. */
  public boolean finished() {
    return compareTo(FINISHED) >= 0;
  }

  /** Returns whether it shows {@code task}. */
  public boolean shows(Task task) {
    return switch (this) {
      case LIVE -> !task.state().finished();
      case FINISHED -> task.state().finished();
      case READY -> task.ready();
      case RETRY -> task.retry();
      case LAPSED -> task.lapsed();
      case WAITING -> task.state() == TaskState.WAITING;
      case PROCESSING -> task.state() == TaskState.PROCESSING;
      case PAUSED -> task.state() == TaskState.PAUSED;
      case COMPLETED -> task.state() == TaskState.COMPLETED;
      case FAILED -> task.state() == TaskState.FAILED;
      case CANCELLED -> task.state() == TaskState.CANCELLED;
    };
  }
}
