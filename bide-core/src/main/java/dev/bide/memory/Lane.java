package dev.bide.memory;

import dev.bide.timer.IndexedHeap;
import dev.bide.timer.TimerQueue;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The index of one lane of a shard: live tasks by (nextAt, seq).
 *
 * <p>Most tasks are put in once, at the end of all seqs, and wait long. They stand in a timer queue, which is small and,
 * being first in first out, orders them by seq as well. What comes back to the index, claimed, retried or moved, has a
 * seq from the middle and goes to a sorted set; so does what the timer queue has handed out and nobody took, such as a
 * suspect that no handler has room for.
 */
final class Lane {
  private final TimerQueue fresh = new IndexedHeap();
  private final NavigableSet<Spot> others = new TreeSet<>();

  /** A place in the index. */
  record Spot(long nextAt, long seq) implements Comparable<Spot> {

    @Override
    public int compareTo(Spot other) {
      return nextAt != other.nextAt ? Long.compare(nextAt, other.nextAt) : Long.compare(seq, other.seq);
    }
  }

  /** Adds a task whose seq is greater than any before; returns a handle on it. */
  long addFresh(Spot spot) {
    return fresh.schedule(spot.nextAt, spot.seq);
  }

  /** Adds any task. */
  void add(Spot spot) {
    others.add(spot);
  }

  /**
   * Removes a task.
   *
   * @param handle what {@link #addFresh} returned, or 0
   */
  void remove(Spot spot, long handle) {
    if (!fresh.cancel(handle)) {
      others.remove(spot);
    }
  }

  /**
   * Merges what is due here into {@code first}, which keeps the first {@code limit} of several lanes. O((log n) · items
   * looked at).
   */
  void mergeDue(long now, int limit, NavigableSet<Spot> first) {
    sortFresh(now, limit);
    for (Spot spot : others) {
      if (spot.nextAt > now) {
        return;
      }
      first.add(spot);
      if (first.size() > limit && spot.equals(first.pollLast())) {
        return;
      }
    }
  }

  /** Returns the smallest nextAt after {@code now}; {@link Long#MAX_VALUE} if there is none. */
  long nextMoment(long now) {
    sortFresh(now, Integer.MAX_VALUE);
    Spot next = others.higher(new Spot(now, Long.MAX_VALUE));
    return next == null ? fresh.nextDeadline() : Math.min(next.nextAt, fresh.nextDeadline());
  }

  private void sortFresh(long now, int limit) {
    fresh.drain(now, limit, (nextAt, seq) -> others.add(new Spot(nextAt, seq)));
  }
}
