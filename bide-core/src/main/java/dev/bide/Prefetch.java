package dev.bide;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides how many tasks of one queue are claimed ahead of its handlers, so that short ones need not wait for the store
 * each time.
 *
 * <p>Never more than they will start within {@value #HORIZON_MILLIS} ms, or a tenth of the lease, going by what the latest
 * tasks took; and none where that is less than two for each handler, since waiting for the store is little to them. And
 * never more than {@value #MOST_BYTES} bytes of payload, by the mean of what came lately. Within these bounds it
 * doubles each time that all that was asked for came, and found a handler idle; and is halved when there was less to
 * claim. The mean follows a slower task at once and faster ones by and by. A task with one attempt is not claimed
 * ahead: if the process died it would be a dead letter that no handler has seen.
 *
 * <pre>
 * 16 handlers, 50 µs a task: 16 × 1,000, so 1,000      5 ms: 16 × 10 = 160      25 ms: 16 × 2 = 32      26 ms: 0
 * </pre>
 *
 * <p>Used by the engine's thread only; durations are nanoseconds of its clock.
 */
final class Prefetch {
  private static final long HORIZON_MILLIS = 50;
  private static final int MOST = 1_000;
  private static final long MOST_BYTES = 16L * 1024 * 1024;
  /** A claim that has waited so long here shows that the handlers have slowed down. */
  private static final long PATIENCE_NANOS = Duration.ofMillis(500).toNanos();

  private final int handlers;
  private final int attempts;
  private final @Nullable Integer fixed;
  private final long horizonNanos;
  private long meanNanos = Duty.NEVER;
  private long meanBytes;
  private int wished;

  /**
   * A prefetch for so many handlers, of tasks that have so many attempts.
   *
   * @param fixed how many tasks are claimed ahead whatever happens; null to go by what happens
   */
  Prefetch(@Nullable Integer fixed, int handlers, int attempts, long leaseNanos) {
    this.fixed = fixed;
    this.handlers = handlers;
    this.attempts = attempts;
    horizonNanos = Math.min(Duration.ofMillis(HORIZON_MILLIS).toNanos(), leaseNanos / 10);
  }

  /** Returns how many tasks may be held beyond those that run. */
  int tasks() {
    return fixed == null ? Math.min(wished, bound()) : fixed;
  }

  private int bound() {
    long each = horizonNanos / Math.max(1, meanNanos);
    long most = Math.min(MOST, MOST_BYTES / Math.max(1, meanBytes));
    return each < 2 || attempts == 1 ? 0 : (int) Math.min(most, handlers * each);
  }

  /** Returns after how long a task that still waits here is given back; {@link Duty#NEVER} for not at all. */
  long patienceNanos() {
    return fixed == null ? PATIENCE_NANOS : Duty.NEVER;
  }

  /** Learns that a task has ended, so long after it was given to a handler. */
  void ended(long tookNanos) {
    meanNanos = meanNanos == Duty.NEVER ? tookNanos : mean(meanNanos, tookNanos);
  }

  /** Learns how large the payload of a task is that was claimed. */
  void carried(int bytes) {
    meanBytes = mean(meanBytes, bytes);
  }

  private static long mean(long before, long latest) {
    long more = latest - before;
    return before + (more > 0 ? more / 4 : more / 16);
  }

  /**
   * Learns that an attempt has failed. It counts as a slow one: tasks ahead of it would spend their attempts on the
   * same trouble.
   */
  void failed() {
    ended(horizonNanos);
  }

  /** Learns that tasks ahead have waited too long: the handlers at work have slowed down, and none has said so yet. */
  void stalled() {
    meanNanos = horizonNanos;
    wished = 0;
  }

  /** Learns what a claim brought: whether all that was asked for, and whether a handler was idle when it came. */
  void claimed(boolean all, boolean idle) {
    if (all && idle) {
      wished = Math.min(bound(), Math.max(handlers, 2 * wished));
    } else if (!all) {
      wished /= 2;
    }
  }
}
