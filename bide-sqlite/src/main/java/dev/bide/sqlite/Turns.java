package dev.bide.sqlite;

/**
 * Lets other processes have their turn. SQLite keeps no queue: whoever asks in the moment between two transactions gets
 * the file, and a process that writes one after the other leaves moments so short that the pauses of those who wait
 * seldom end in one.
 *
 * <p>So once another process has been met, a process that has written for {@value #RUN_MILLIS} ms without a gap leaves one
 * that is longer than the pauses of the others; for {@value #MET_MILLIS} ms after the last meeting. It is met for
 * certain: in its own turn it refuses the process that writes without a gap.
 *
 * <p>Moments are nanoseconds of the monotonic clock. Not thread-safe.
 */
final class Turns {
  private static final long MILLI = 1_000_000;
  private static final long RUN_MILLIS = 10;
  private static final long MET_MILLIS = 10_000;
  /** The shortest and the longest pause of one who waits: uneven, so that two do not keep step. */
  private static final long PAUSE_NANOS = 700_000;
  private static final long PAUSE_LIMIT_NANOS = 1_300_000;
  private static final long GAP_NANOS = 2 * MILLI;

  private boolean met;
  private long metAt;
  private long runFrom;
  private long endedAt;

  Turns(long nanos) {
    runFrom = nanos;
    endedAt = nanos;
  }

  /**
   * Returns how long the caller shall pause before its next transaction, so that others have a gap; 0 for not at all.
   */
  long gap(long nanos) {
    if (nanos - endedAt >= GAP_NANOS) {
      runFrom = nanos;
    }
    met = met && nanos - metAt < MET_MILLIS * MILLI;
    if (!met || nanos - runFrom < RUN_MILLIS * MILLI) {
      return 0;
    }
    runFrom = nanos + GAP_NANOS;
    return GAP_NANOS;
  }

  /** Takes note that another process had the file, and returns how long to pause before asking again. */
  long refused(long nanos) {
    met = true;
    metAt = nanos;
    runFrom = nanos;
    return PAUSE_NANOS + Math.floorMod(nanos, PAUSE_LIMIT_NANOS - PAUSE_NANOS);
  }

  /** Takes note that a transaction has ended. */
  void ended(long nanos) {
    endedAt = nanos;
  }
}
