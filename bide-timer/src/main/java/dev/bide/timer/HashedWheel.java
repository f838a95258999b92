package dev.bide.timer;

import java.util.Arrays;
import java.util.BitSet;

/**
 * A timer queue in one ring of slots, where far items wait for some rounds: quantised, with any range of deadlines, 32
 * bytes an item and 8 a slot.
 *
 * <p>Not thread-safe. Deadlines are non-negative {@code long}s in the caller's unit; tick {@code n} comes at
 * {@code start + n * tick}. An item is due at the first tick that is not before its deadline: never early, and less
 * than one tick late. Items of one tick leave in the order in which they were scheduled or last moved.
 *
 * <p>Schedule, cancel and move take O(1), or O(log n) for an item whose tick has passed. A drain visits each slot that has
 * items and whose tick has come, and looks at all its items, whatever its limit; so each item is looked at once a turn.
 * Where time jumps over more than a turn, it looks at all items once, and sorts those that are due.
 * {@link #nextDeadline} takes O(slots / 64), and is the tick of the next slot that has items: those may have rounds to
 * wait, and then nothing is due. The memory of items is given back when the queue has run empty.
 *
 * <p>With 512 slots and ticks of 100 ms, the ring turns once in 51.2 s. At tick 0, an item due in 3 s goes into slot 30.
 * One due in 120 s, at tick 1200, goes into slot 1200 mod 512 = 176 and has (1200 − 0 − 1) / 512 = 2 rounds to wait.
 *
 * <p>It suits many timeouts that are shorter than a turn, most of which are cancelled, and where a tick more is no harm.
 * {@link HierarchicalWheel} is exact, and far items cost it nothing while they wait.
 *
 * <p>G. Varghese and T. Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP 1987), scheme 6. Rounds are not stored and
 * counted down: they follow from the item's tick and the last one that was visited. To count them from now instead
 * makes items early where the wheel lags behind, and to count turns, {@code tick / slots}, makes those a turn late that
 * come beyond the ring's end.
 */
public final class HashedWheel extends LinkedTimers {
  private static final long EMPTY = Items.EMPTY;

  private final Spec spec;
  private final long start;
  private final long tick;
  // The last tick whose time a long can tell.
  private final long last;
  // The lists, by slot, and which of them are not empty.
  private final long[] ring;
  private final BitSet occupied = new BitSet();
  // What has come out of the slot of the cursor: one list. What was scheduled when its tick had been visited already, and
  // what a jump of time went over, is in the heap.
  private final long[] due = {EMPTY};

  // The tick that was visited last: all items in the ring are of later ones.
  private long cursor;

  /**
   * An empty queue.
   *
   * @param start where ticks are counted from, in the unit of deadlines
   * @param tick how long a tick is, in the same unit
   * @param slots how many ticks a turn of the ring has
   * @throws IllegalArgumentException if {@code start} is negative, or another one not positive
   */
  public HashedWheel(long start, long tick, int slots) {
    if (slots < 1) {
      throw new IllegalArgumentException("slots must be positive, got " + slots);
    }
    spec = new Spec(start, tick);
    this.start = start;
    this.tick = tick;
    last = (Long.MAX_VALUE - start) / tick;
    ring = new long[slots];
    Arrays.fill(ring, EMPTY);
  }

  @Override
  public Spec spec() {
    return spec;
  }

  @Override
  long nextPlaced() {
    if (due[0] != EMPTY) {
      return Math.min(heap.nextDeadline(), timeOf(cursor));
    }
    return heap.size() == 0 && !occupied.isEmpty() ? timeOf(cursor + ahead()) : heap.nextDeadline();
  }

  /** Returns the tick at which a deadline is due. */
  long tickOf(long deadline) {
    return -Math.floorDiv(start - deadline, tick);
  }

  /** Returns when a tick comes. */
  private long timeOf(long number) {
    return number > last ? Long.MAX_VALUE : start + number * tick;
  }

  /** Returns the last tick that has come. */
  private long ticksBy(long now) {
    return now == Long.MAX_VALUE ? tickOf(now) : Math.floorDiv(now - start, tick);
  }

  /** Returns the slot of a tick that is not negative. */
  int slotOf(long number) {
    return (int) (number % ring.length);
  }

  /** Returns how often the slot of a tick to come is visited before it comes. */
  long rounds(long number) {
    return (number - cursor - 1) / ring.length;
  }

  // Where an item is.

  @Override
  void place(int item, long deadline) {
    long number = tickOf(deadline);
    if (number > cursor) {
      items.append(ring, slotOf(number), item);
      occupied.set(slotOf(number));
      listed(item);
    } else {
      toHeap(item, timeOf(number));
    }
  }

  @Override
  void unlist(int item, long deadline) {
    long number = tickOf(deadline);
    if (number > cursor) {
      fromRing(item, slotOf(number));
    } else {
      items.unlink(due, 0, item);
    }
  }

  private void fromRing(int item, int slot) {
    if (items.unlink(ring, slot, item)) {
      occupied.clear(slot);
    }
  }

  // The way of time.

  @Override
  int next(long now) {
    if (due[0] == EMPTY && heap.size() == 0) {
      goOn(ticksBy(now));
    }
    if (heap.size() > 0 && (due[0] == EMPTY || heap.nextDeadline() < timeOf(cursor))) {
      return fromHeap(now);
    }
    if (due[0] == EMPTY || timeOf(cursor) > now) {
      return NONE;
    }
    int first = Items.first(due[0]);
    items.unlink(due, 0, first);
    return first;
  }

  /** Goes on to the next tick at which items are due; if there is none up to {@code until}, to that. */
  private void goOn(long until) {
    if (until - cursor > ring.length) {
      jump(until);
      return;
    }
    while (!occupied.isEmpty() && ahead() <= until - cursor) {
      cursor += ahead() - 1;
      visit(slotOf(cursor + 1));
      cursor++;
      if (due[0] != EMPTY) {
        return;
      }
    }
    cursor = Math.max(cursor, until);
  }

  /** Goes on to a tick beyond the next turn at once. */
  private void jump(long until) {
    for (int slot = occupied.nextSetBit(0); slot >= 0; slot = occupied.nextSetBit(slot + 1)) {
      for (int item = Items.first(ring[slot]); item != NONE;) {
        int following = items.next(item);
        long number = tickOf(items.deadline(item));
        if (number <= until) {
          fromRing(item, slot);
          toHeap(item, timeOf(number));
        }
        item = following;
      }
    }
    cursor = until;
  }

  /** Takes out of a slot what has no rounds to wait, a tick before its time. */
  private void visit(int slot) {
    for (int item = Items.first(ring[slot]); item != NONE;) {
      int following = items.next(item);
      if (rounds(tickOf(items.deadline(item))) == 0) {
        fromRing(item, slot);
        items.append(due, 0, item);
      }
      item = following;
    }
  }

  /** Returns in how many ticks, from 1 to a turn, the next slot comes that has items; there must be one. */
  private int ahead() {
    int current = slotOf(cursor);
    int next = occupied.nextSetBit(current + 1);
    return next > current ? next - current : ring.length - current + occupied.nextSetBit(0);
  }
}
