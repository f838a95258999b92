package dev.bide.memory;

import dev.bide.memory.Slots.Moment;
import java.util.Comparator;
import java.util.PrimitiveIterator;
import java.util.PriorityQueue;

/**
 * Several sorted sets of slots read as one, by (moment, seq). They must not change meanwhile. Each step takes O(log of
 * how many they are). Not thread-safe.
 */
final class Merged implements PrimitiveIterator.OfInt {
  private final Slots slots;
  private final PriorityQueue<Head> heads;

  /** The next slot of one of them. */
  private record Head(Moment moment, int slot, PrimitiveIterator.OfInt rest) {}

  private Merged(Slots slots, Comparator<Head> order) {
    this.slots = slots;
    heads = new PriorityQueue<>(order);
  }

  /** Reads none yet; those added go forward. */
  static Merged forward(Slots slots) {
    return new Merged(slots, (one, other) -> slots.byMoment.compare(one.moment, other.moment));
  }

  /** Reads none yet; those added go backward. */
  static Merged backward(Slots slots) {
    return new Merged(slots, (one, other) -> slots.byMoment.compare(other.moment, one.moment));
  }

  /** Adds one. */
  void add(PrimitiveIterator.OfInt sorted) {
    if (sorted.hasNext()) {
      int slot = sorted.nextInt();
      heads.add(new Head(slots.byMoment.key(slot), slot, sorted));
    }
  }

  @Override
  public boolean hasNext() {
    return !heads.isEmpty();
  }

  /** Returns the moment of the next slot, which there must be. */
  long nextMoment() {
    return heads.element().moment.at();
  }

  @Override
  public int nextInt() {
    Head head = heads.remove();
    add(head.rest);
    return head.slot;
  }
}
