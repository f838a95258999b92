package dev.bide.timer;

import java.util.Arrays;

/** Sorts lists of a wheel by deadline; those of one deadline keep their order. Not thread-safe. */
final class Sorting {
  private static final int ARRIVAL_BITS = 15;
  /** The most items that it can sort. */
  static final int MOST = 1 << ARRIVAL_BITS;
  private static final int FEWEST = 64;
  private static final int RADIX_BITS = 10;
  private static final int RADIX = 1 << RADIX_BITS;
  private static final int WORTH_RADIX = RADIX / 2;

  private final int most;
  private int[] items = {};
  private long[] keys = {};
  private long[] others = {};

  /** To sort lists of up to {@code most} items. */
  Sorting(int most) {
    this.most = most;
  }

  /**
   * Sorts a list. Deadlines may differ in their lowest {@code differing} bits only, 48 at most.
   *
   * @return whether the list is sorted; false if it was not and is too long for this
   */
  boolean sort(Slots slots, int list, Records records, int differing) {
    if (sorted(slots, list, records)) {
      return true;
    }
    int length = copy(slots, list);
    if (length > most) {
      return false;
    }
    long mask = (1L << differing) - 1;
    for (int i = 0; i < length; i++) {
      keys[i] = (records.deadline(items[i]) & mask) << ARRIVAL_BITS | i;
    }
    if (length < WORTH_RADIX) {
      Arrays.sort(keys, 0, length);
    } else {
      distribute(length, ARRIVAL_BITS + differing);
    }
    for (int place = slots.first(list); place != Slots.NONE; place = slots.first(list)) {
      slots.remove(place);
    }
    for (int i = 0; i < length; i++) {
      int item = items[(int) keys[i] & MOST - 1];
      keys[i] = (long) slots.append(list, item) << 32 | item;
    }
    // By itself, so that several records are on their way from memory at a time.
    for (int i = 0; i < length; i++) {
      records.place((int) keys[i], (int) (keys[i] >> 32));
    }
    return true;
  }

  /** Gives memory back. */
  void shrink() {
    if (items.length > FEWEST) {
      items = new int[0];
      keys = new long[0];
      others = new long[0];
    }
  }

  private static boolean sorted(Slots slots, int list, Records records) {
    long latest = 0;
    for (int place = slots.first(list); place != Slots.NONE; place = slots.next(list, place)) {
      long deadline = records.deadline(slots.item(place));
      if (deadline < latest) {
        return false;
      }
      latest = deadline;
    }
    return true;
  }

  /** Copies the items, and makes room for their keys. */
  private int copy(Slots slots, int list) {
    int length = slots.copy(list, items);
    while (length > items.length && items.length < most) {
      int longer = Math.min(Math.max(FEWEST, 4 * items.length), most);
      keys = new long[longer];
      items = new int[longer];
      length = slots.copy(list, items);
    }
    return length;
  }

  /** Sorts by digits from {@link #ARRIVAL_BITS} on, the lowest first. */
  private void distribute(int length, int bits) {
    if (others.length < length) {
      others = new long[keys.length];
    }
    int[] begins = new int[RADIX];
    for (int shift = ARRIVAL_BITS; shift < bits; shift += RADIX_BITS) {
      Arrays.fill(begins, 0);
      for (int i = 0; i < length; i++) {
        begins[digit(keys[i], shift)]++;
      }
      int begin = 0;
      for (int digit = 0; digit < RADIX; digit++) {
        int count = begins[digit];
        begins[digit] = begin;
        begin += count;
      }
      for (int i = 0; i < length; i++) {
        others[begins[digit(keys[i], shift)]++] = keys[i];
      }
      long[] swapped = keys;
      keys = others;
      others = swapped;
    }
  }

  private static int digit(long key, int shift) {
    return (int) (key >>> shift) & RADIX - 1;
  }
}
