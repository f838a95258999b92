package dev.bide.task;

/**
 * What to do when the id of a new task names one already: the live one, or else the latest finished one that the store
 * still keeps.
 */
public enum OnExisting {
  /** Whatever is found stays: {@link Answer#KEPT}. The default, and what makes a repeated call harmless. */
  KEEP,
  /**
   * A waiting, paused or lapsed task is replaced ({@link Answer#REPLACED}), one in process is not
   * ({@link Answer#REFUSED}); a finished one gives way to a new life ({@link Answer#CREATED}).
   */
  REPLACE,
  /** Whatever is found stays, and the caller is told: {@link Answer#EXISTS}. */
  FAIL,
  /** A live task stays ({@link Answer#KEPT}); a finished one gives way to a new life ({@link Answer#CREATED}). */
  REUSE
}
