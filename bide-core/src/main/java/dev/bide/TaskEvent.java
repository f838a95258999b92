package dev.bide;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Something that happened to a task, or to the engine, on this node.
 *
 * @param kind what happened
 * @param queue the queue; empty for an event of the whole engine
 * @param task the id of the task; empty for an event of the queue or the engine
 * @param token the fencing token of the claim; 0 where there is none
 * @param attempt the number of the attempt; 0 where there is none
 * @param node the node that reports
 * @param at when, by this node's estimate of the store's clock
 * @param lateness for {@link Kind#CLAIMED}, from due (a first claim) or from ready (a later one) to claimed; for
 * {@link Kind#STARTED}, from claimed to started; empty elsewhere
 * @param detail the outcome or the reason, if there is one; never the payload
 * @param cause what was thrown, if anything was
 */
public record TaskEvent(Kind kind, String queue, String task, long token, int attempt, String node, Instant at,
    Optional<Duration> lateness, String detail, Optional<Throwable> cause) {

  /** What happened. */
  public enum Kind {
    /** A task was created, or replaced another. */
    SCHEDULED,
    /** A task that was known under the id was kept. */
    KEPT,
    /** A task was moved or extended. */
    MOVED,
    /** A task, or the whole queue, was paused. */
    PAUSED,
    /** A task, or the whole queue, was resumed. */
    RESUMED,
    /** A dead letter begins a new life. */
    REVIVED,
    /** A caller cancelled a task, or it expired. */
    CANCELLED,
    /** A caller asked for a task in process to be cancelled. */
    CANCEL_REQUESTED,
    /** This node claimed a task. */
    CLAIMED,
    /** The handler begins, or a caller has taken the claim. */
    STARTED,
    /** A task is completed. */
    COMPLETED,
    /** An attempt failed and another follows. */
    RETRIED,
    /** A claim was given back, its attempt not counted. */
    RELEASED,
    /** A task is failed: a dead letter. */
    FAILED,
    /** This node's lease on a task has run out, or another has taken the task over. */
    LEASE_LOST,
    /** A settlement was refused, because the claim was not valid any more. */
    SETTLEMENT_REFUSED,
    /** The queue's stored settings differ from this node's spec; the stored ones hold. */
    SETTINGS_DIFFER,
    /** A call to the store failed; it is repeated if it can be. */
    STORE_FAILED,
    /**
     * A handler ran longer than its timeout, and has been interrupted. This is told at once, while the end of the
     * attempt, {@link #RETRIED} or {@link #FAILED}, is told when the store has it; both name the timeout.
     */
    TIMED_OUT,
    /** A handler did not return in time at shutdown, or a second after it was interrupted by its timeout. */
    STUCK,
    /** The queue's circuit breaker opens: this node claims nothing from it for a while. The detail says why. */
    BREAKER_OPENED,
    /** The queue's circuit breaker lets this node claim one task, to see how that ends. */
    BREAKER_PROBING,
    /** The queue's circuit breaker closes: this node claims as usual. */
    BREAKER_CLOSED
  }
}
