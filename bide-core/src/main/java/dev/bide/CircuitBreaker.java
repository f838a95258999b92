package dev.bide;

import java.time.Instant;
import java.util.Optional;

/**
 * How the {@linkplain QueueSpec#circuitBreaker circuit breaker} of a queue stands on this node.
 *
 * @param state whether this node claims from the queue
 * @param failures how many attempts have failed in a row, up to the one that opened it
 * @param opened how often it has opened
 * @param openUntil when a task will probe, by this node's estimate of the store's clock; empty unless it is open
 */
public record CircuitBreaker(State state, long failures, long opened, Optional<Instant> openUntil) {

  /** Whether a node claims from a queue. */
  public enum State {
    /** It claims as usual; so does a queue without a circuit breaker. */
    CLOSED,
    /** It claims nothing for a while. */
    OPEN,
    /** It claims one task, and nothing else until the outcome of that is known. */
    PROBING
  }
}
