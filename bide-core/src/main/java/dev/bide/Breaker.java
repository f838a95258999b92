package dev.bide;

import static dev.bide.CircuitBreaker.State.CLOSED;
import static dev.bide.CircuitBreaker.State.OPEN;
import static dev.bide.CircuitBreaker.State.PROBING;

import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides from how the tasks of a queue end on this node how much of it may be claimed: after so many failures in a row
 * nothing for a while, then one task, the probe, until one has ended well. (Nygard, Release It!, 2007.)
 *
 * <p>Moments are nanoseconds of the engine's clock. Thread-safe: it is told by the engine's thread, and asked by others
 * how it stands.
 */
final class Breaker {

  /** What an outcome says of the world that handlers depend on. */
  enum Sign {
    SUCCESS, FAILURE, NOTHING
  }

  private final int limit;
  private final long pauseNanos;
  // Guarded by this.
  private CircuitBreaker.State state = CLOSED;
  private long failures;
  private long opened;
  private long until;
  private @Nullable HeldClaim probe;
  /** Claimed since it last opened: what was running then says nothing new. */
  private final Set<HeldClaim> counting = new HashSet<>();

  /** One that opens for {@code pauseNanos} at {@code limit} failures in a row, or never if that is 0. */
  Breaker(int limit, long pauseNanos) {
    this.limit = limit;
    this.pauseNanos = pauseNanos;
  }

  /** Returns how many tasks may be claimed. */
  synchronized int most() {
    return switch (state) {
      case CLOSED -> Integer.MAX_VALUE;
      case OPEN -> 0;
      case PROBING -> probe == null ? 1 : 0;
    };
  }

  /** Lets time pass; returns whether that ended the pause. */
  synchronized boolean turn(long now) {
    if (probe != null && !probe.owned()) {
      counting.remove(probe);
      probe = null;
    }
    boolean over = state == OPEN && until <= now;
    state = over ? PROBING : state;
    return over;
  }

  /** Returns when {@link #turn} must be called again. */
  synchronized long next() {
    return state == OPEN ? until : Duty.NEVER;
  }

  /** Takes a claim that {@link #most} allowed. */
  synchronized void claimed(HeldClaim claim) {
    counting.add(claim);
    probe = state == PROBING ? claim : null;
  }

  /** Takes how a claim ended; returns whether that opened or closed it. */
  synchronized boolean ended(HeldClaim claim, Sign sign, long now) {
    boolean probes = claim == probe;
    probe = probes ? null : probe;
    if (!counting.remove(claim) || sign == Sign.NOTHING) {
      return false;
    }
    CircuitBreaker.State before = state;
    if (sign == Sign.SUCCESS) {
      failures = 0;
      state = CLOSED;
    } else if (++failures == limit || probes) {
      counting.clear();
      opened++;
      state = OPEN;
      until = now + pauseNanos;
    }
    return state != before;
  }

  synchronized boolean closed() {
    return state == CLOSED;
  }

  /** Returns how it stands. */
  synchronized CircuitBreaker view(StoreTime time) {
    return new CircuitBreaker(state, failures, opened,
        state == OPEN ? Optional.of(Instant.ofEpochMilli(time.storeMillis(until))) : Optional.empty());
  }
}
