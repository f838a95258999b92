package dev.bide.spi;

/** The answer to one renewal. */
public enum Renewed {
  /** The lease is prolonged. */
  RENEWED,
  /** The lease is prolonged, and a caller has asked for the task to be cancelled. */
  CANCEL_REQUESTED,
  /** The claim is not valid any more. */
  LOST,
  /** A transaction of a user holds the task: the claim is neither lost nor prolonged. */
  BUSY
}
