package dev.bide;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Finds the handlers of one queue that run longer than they may: at the end of their time, and once more when they have
 * not returned a second after that.
 *
 * <p>All have the same time, so the first that started is the first to look at: a turn takes O(handlers found). Used by
 * the engine's thread only; moments are nanoseconds of its clock.
 */
final class Timeouts {
  private static final long GRACE_NANOS = Duration.ofSeconds(1).toNanos();

  /** When the time of each handler is over. */
  private final Map<HeldClaim, Long> running = new LinkedHashMap<>();
  /** When the grace is over of each handler that has been interrupted. */
  private final Map<HeldClaim, Long> late = new LinkedHashMap<>();

  void started(HeldClaim claim, long deadline) {
    running.put(claim, deadline);
  }

  void returned(HeldClaim claim) {
    running.remove(claim);
    late.remove(claim);
  }

  /**
   * Looks at those whose moment has come.
   *
   * @param interrupted interrupts a handler whose time is over; false if that came too late
   * @param stuck takes one that has not returned since
   * @return when this must be called again
   */
  long turn(long now, Predicate<HeldClaim> interrupted, Consumer<HeldClaim> stuck) {
    long nextOver = expire(running, now, claim -> {
      // First, since the interrupt may break down: there may be no thread for it.
      late.put(claim, now + GRACE_NANOS);
      if (!interrupted.test(claim)) {
        late.remove(claim);
      }
    });
    return Math.min(nextOver, expire(late, now, stuck));
  }

  private static long expire(Map<HeldClaim, Long> moments, long now, Consumer<HeldClaim> expired) {
    while (!moments.isEmpty()) {
      Map.Entry<HeldClaim, Long> first = moments.entrySet().iterator().next();
      if (first.getValue() > now) {
        return first.getValue();
      }
      HeldClaim claim = first.getKey();
      moments.remove(claim);
      expired.accept(claim);
    }
    return Duty.NEVER;
  }
}
