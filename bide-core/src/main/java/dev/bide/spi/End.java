package dev.bide.spi;

/** How the owner of a claim ends it. */
public enum End {
  /** The task is completed. */
  COMPLETE,
  /** The attempt failed and another shall follow after a delay; on the last attempt the task is failed. */
  RETRY,
  /** The attempt did not happen: the task waits as before, and the attempt is not counted. */
  RELEASE,
  /** The task is failed, whatever attempts are left. */
  FAIL
}
