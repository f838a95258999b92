package dev.bide.tck;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/**
 * Virtual time: what is to happen, in order. Time passes only by {@link #runUntil}, from one event to the next; what is
 * to happen at the same moment happens in the order it was asked for. Moments are nanoseconds. Used by one thread, but
 * for {@link #now}; an event may itself let time pass.
 */
final class Timeline {
  private final PriorityQueue<Event> events = new PriorityQueue<>(
      Comparator.comparingLong(Event::nanos).thenComparingLong(Event::number));
  private volatile long now;
  private long number;
  private int happening;

  private record Event(long nanos, long number, Runnable action) {}

  /** Returns now. */
  long now() {
    return now;
  }

  /** Returns whether the caller is itself part of an event. */
  boolean happening() {
    return happening > 0;
  }

  /** Has something happen at {@code nanos}, or now if that is past. */
  void at(long nanos, Runnable action) {
    events.add(new Event(Math.max(nanos, now), number++, action));
  }

  /** Has something happen {@code nanos} from now. */
  void in(long nanos, Runnable action) {
    at(after(nanos), action);
  }

  /** Returns the moment {@code nanos} from now. */
  long after(long nanos) {
    return nanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + nanos;
  }

  /**
   * Lets everything happen that is to happen by {@code end}, or by the later moment that an event has let come, then
   * {@code end} come; stops before, at the moment reached, as soon as {@code over} holds.
   *
   * @return whether it holds
   */
  boolean runUntil(long end, BooleanSupplier over) {
    while (!over.getAsBoolean()) {
      Event next = events.peek();
      if (next == null || next.nanos > Math.max(end, now)) {
        now = Math.max(now, end);
        return over.getAsBoolean();
      }
      events.remove();
      now = next.nanos;
      happening++;
      try {
        next.action.run();
      } finally {
        happening--;
      }
    }
    return true;
  }

  /** As {@link #runUntil(long, BooleanSupplier)}, and nothing stops it before. */
  void runUntil(long end) {
    boolean unused = runUntil(end, () -> false);
  }
}
