package dev.bide.timer;

import java.util.Arrays;

/**
 * A timer queue in a hierarchy of timing wheels that sorts each slot when its time comes: exact, with any range of
 * deadlines, 32 bytes an item, and a cost that does not grow with the number of items.
 *
 * <p>Not thread-safe. Deadlines are non-negative {@code long}s in the caller's unit; a tick is {@code 2^tickBits} of them.
 * Items leave by deadline, those of one deadline in the order in which they were scheduled or last moved. Schedule,
 * cancel and move take O(1) (O(log n) within the tick that the wheel stands in). An item changes its slot once a level
 * at most, five times, and is sorted with the others of its tick: drained items take O(levels) each, and one drain may
 * have to spread out a whole slot, whatever its limit. {@link #nextDeadline} takes O(1): where the next slot has many
 * items, it answers the slot's beginning.
 *
 * <p>Hierarchy and hashing by bits of time: G. Varghese and T. Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP 1987),
 * scheme 7. The level is the highest group of bits in which an item's tick differs from the wheel's, as in Linux before
 * 4.8; so all items of a tick are on one level at any time, and lists in the order of arrival keep them in order.
 */
public final class HierarchicalWheel implements TimerQueue {
  private static final int DEFAULT_TICK_BITS = 20;
  private static final int SLOT_BITS = 12;
  private static final int SLOTS = 1 << SLOT_BITS;
  private static final int WORDS = SLOTS / Long.SIZE;
  private static final int LONGEST_SCAN = 16;
  private static final long NOT_DRAINING = -1;

  private static final int NONE = Items.NONE;
  private static final long EMPTY = Items.EMPTY;
  private static final int RUN = 0;
  private static final int ASIDE = 1;

  private final int tickBits;
  private final Items items = new Items();
  // By level, made when it is first needed: the lists, by slot.
  private final long[][] slots;
  // By level: the slots that have items, as bits, and which words of those have any.
  private final long[] bits;
  private final long[] words;
  // What has come to its tick, sorted; and what has become due since the drain began, so that the drain does not meet it.
  private final long[] lists = {EMPTY, EMPTY};
  // What was scheduled when the wheel stood in its tick already, or beyond.
  private final IndexedHeap late = new IndexedHeap();
  private final Sink fromLate = (handle, deadline, cookie) -> lateItem = (int) cookie;
  private int lateItem;

  // The tick that has come last: all items in slots are of later ones.
  private long cursor;
  private int size;
  private long drainedTo = NOT_DRAINING;

  /** An empty queue with ticks of 2^20, about a millisecond where the unit is a nanosecond. */
  public HierarchicalWheel() {
    this(DEFAULT_TICK_BITS);
  }

  /**
   * An empty queue with ticks of 2^tickBits. A tick should be short enough that few items share one, and so long that
   * it is worth while to wake up for it; 0 suits deadlines in milliseconds.
   *
   * @throws IllegalArgumentException unless {@code tickBits} is within 0 and 40
   */
  public HierarchicalWheel(int tickBits) {
    if (tickBits < 0 || tickBits > 40) {
      throw new IllegalArgumentException("tickBits must be from 0 to 40, got " + tickBits);
    }
    this.tickBits = tickBits;
    int levels = (Long.SIZE - 1 - tickBits + SLOT_BITS - 1) / SLOT_BITS;
    slots = new long[levels][0];
    bits = new long[levels * WORDS];
    words = new long[levels];
  }

  @Override
  public Spec spec() {
    return Spec.EXACT;
  }

  @Override
  public long schedule(long deadline, long cookie) {
    check(deadline);
    int item = items.take(deadline, cookie);
    place(item, deadline);
    size++;
    return items.handle(item);
  }

  @Override
  public boolean cancel(long handle) {
    if (!items.holds(handle)) {
      return false;
    }
    int item = (int) handle;
    remove(item);
    giveBack(item);
    return true;
  }

  @Override
  public boolean move(long handle, long deadline) {
    check(deadline);
    if (!items.holds(handle)) {
      return false;
    }
    int item = (int) handle;
    remove(item);
    items.deadline(item, deadline);
    place(item, deadline);
    return true;
  }

  @Override
  public int drain(long now, int limit, Sink sink) {
    if (limit < 0) {
      throw new IllegalArgumentException("limit must not be negative, got " + limit);
    }
    if (drainedTo != NOT_DRAINING) {
      throw new IllegalStateException("a sink must not drain the queue that calls it");
    }
    if (now < 0 || limit == 0) {
      return 0;
    }
    int count = 0;
    drainedTo = now;
    try {
      for (int item = next(now); item != NONE; item = next(now)) {
        long handle = items.handle(item);
        long deadline = items.deadline(item);
        long cookie = items.cookie(item);
        giveBack(item);
        count++;
        sink.accept(handle, deadline, cookie);
        if (count == limit) {
          break;
        }
      }
    } finally {
      drainedTo = NOT_DRAINING;
      for (int item = Items.first(lists[ASIDE]); item != NONE; item = Items.first(lists[ASIDE])) {
        items.unlink(lists, ASIDE, item);
        place(item, items.deadline(item));
      }
    }
    return count;
  }

  @Override
  public long nextDeadline() {
    int first = Items.first(lists[RUN]);
    long next = first == NONE ? late.nextDeadline() : Math.min(items.deadline(first), late.nextDeadline());
    if (next == Long.MAX_VALUE) {
      next = firstOfSlots();
    }
    for (int item = Items.first(lists[ASIDE]); item != NONE; item = items.next(item)) {
      next = Math.min(next, items.deadline(item));
    }
    return next;
  }

  @Override
  public int size() {
    return size;
  }

  private static void check(long deadline) {
    if (deadline < 0) {
      throw new IllegalArgumentException("deadline must not be negative, got " + deadline);
    }
  }

  private void giveBack(int item) {
    items.giveBack(item);
    size--;
    if (size == 0) {
      items.shrink();
    }
  }

  // Where an item stands. It follows from its deadline and the cursor, but for what was too late for a slot.

  private void place(int item, long deadline) {
    if (deadline <= drainedTo) {
      items.append(lists, ASIDE, item);
      items.standing(item, Items.ASIDE);
    } else if (deadline >>> tickBits > cursor) {
      toSlot(item, deadline >>> tickBits);
      items.standing(item, Items.LISTED);
    } else {
      items.links(item, late.schedule(deadline, item));
      items.standing(item, Items.LATE);
    }
  }

  private void toSlot(int item, long tick) {
    int level = level(tick);
    int slot = slot(tick, level);
    if (items.append(slots(level), slot, item)) {
      bits[level * WORDS + (slot >> 6)] |= 1L << slot;
      words[level] |= 1L << (slot >> 6);
    }
  }

  private void remove(int item) {
    switch (items.standing(item)) {
      case Items.LATE -> late.cancel(items.links(item));
      case Items.ASIDE -> items.unlink(lists, ASIDE, item);
      default -> {
        long tick = items.deadline(item) >>> tickBits;
        if (tick > cursor) {
          fromSlot(item, tick);
        } else {
          items.unlink(lists, RUN, item);
        }
      }
    }
  }

  private void fromSlot(int item, long tick) {
    int level = level(tick);
    int slot = slot(tick, level);
    if (items.unlink(slots(level), slot, item)) {
      clear(level, slot);
    }
  }

  private void clear(int level, int slot) {
    int word = level * WORDS + (slot >> 6);
    bits[word] &= ~(1L << slot);
    if (bits[word] == 0) {
      words[level] &= ~(1L << (slot >> 6));
    }
  }

  private int level(long tick) {
    return (Long.SIZE - 1 - Long.numberOfLeadingZeros(tick ^ cursor)) / SLOT_BITS;
  }

  private static int slot(long tick, int level) {
    return (int) (tick >>> level * SLOT_BITS) & SLOTS - 1;
  }

  private long[] slots(int level) {
    long[] made = slots[level];
    return made.length > 0 ? made : make(level);
  }

  private long[] make(int level) {
    slots[level] = new long[SLOTS];
    Arrays.fill(slots[level], EMPTY);
    return slots[level];
  }

  // The way of time.

  /** Takes the first item that is due out of where it stands; returns {@link #NONE} if there is none. */
  private int next(long now) {
    do {
      int first = Items.first(lists[RUN]);
      if (late.size() > 0 && (first == NONE || late.nextDeadline() < items.deadline(first))) {
        return late.drain(now, 1, fromLate) == 1 ? lateItem : NONE;
      }
      if (first != NONE) {
        if (items.deadline(first) > now) {
          return NONE;
        }
        items.unlink(lists, RUN, first);
        return first;
      }
    } while (goOn(now >>> tickBits));
    return NONE;
  }

  /** Goes on to the next tick that has items, and sorts them; if there is none up to {@code until}, to that. */
  private boolean goOn(long until) {
    while (lists[RUN] == EMPTY) {
      // Slots that have items lie ahead of the cursor on their level, and all of a level come before those of the next one.
      int level = firstLevel();
      if (level == slots.length || begin(level, firstSlot(level)) > until) {
        cursor = Math.max(cursor, until);
        return false;
      }
      enter(level, firstSlot(level));
    }
    lists[RUN] = items.sorted(lists[RUN], tickBits);
    return true;
  }

  private void enter(int level, int slot) {
    long list = slots[level][slot];
    slots[level][slot] = EMPTY;
    clear(level, slot);
    cursor = begin(level, slot);
    if (level == 0) {
      lists[RUN] = list;
      return;
    }
    for (int item = Items.first(list); item != NONE;) {
      int following = items.next(item);
      long tick = items.deadline(item) >>> tickBits;
      if (tick == cursor) {
        items.append(lists, RUN, item);
      } else {
        toSlot(item, tick);
      }
      item = following;
    }
  }

  /** Returns the lowest level that has items in slots, or the number of levels. */
  private int firstLevel() {
    int level = 0;
    while (level < words.length && words[level] == 0) {
      level++;
    }
    return level;
  }

  private int firstSlot(int level) {
    int word = Long.numberOfTrailingZeros(words[level]);
    return word << 6 | Long.numberOfTrailingZeros(bits[level * WORDS + word]);
  }

  /** Returns the first tick of a slot that lies ahead. */
  private long begin(int level, int slot) {
    int shift = level * SLOT_BITS;
    return ((cursor >>> shift & -SLOTS) | slot) << shift;
  }

  /** Returns the first deadline in the slots, or when the first slot begins if it has many items. */
  private long firstOfSlots() {
    int level = firstLevel();
    if (level == slots.length) {
      return Long.MAX_VALUE;
    }
    int slot = firstSlot(level);
    long next = Long.MAX_VALUE;
    int item = Items.first(slots[level][slot]);
    for (int seen = 0; item != NONE; item = items.next(item), seen++) {
      if (seen == LONGEST_SCAN) {
        return begin(level, slot) << tickBits;
      }
      next = Math.min(next, items.deadline(item));
    }
    return next;
  }
}
