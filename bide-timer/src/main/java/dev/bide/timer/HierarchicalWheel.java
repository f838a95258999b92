package dev.bide.timer;

import java.util.stream.IntStream;

/**
 * A timer queue in a hierarchy of timing wheels that sorts each slot when its time comes: exact, with any range of
 * deadlines, 29 bytes an item, and a cost that does not grow with the number of items.
 *
 * <p>Not thread-safe. Deadlines are non-negative {@code long}s in the caller's unit; a tick is {@code 2^tickBits} of them.
 * Items leave by deadline, those of one deadline in the order in which they were scheduled or last moved. Schedule,
 * cancel and move take O(1) (O(log n) within the tick that the wheel stands in). An item changes its slot once a level
 * at most, five times, and is sorted with the others of its tick: drained items take O(levels) each, and one drain may
 * have to spread out a whole slot, whatever its limit. {@link #nextDeadline} takes O(1): where the next slot has many
 * items, it answers the slot's beginning. Where cancels leave holes among items that stay, an item takes up to 40 bytes
 * on average; all but a first piece is given back when the queue has run empty.
 *
 * <p>Hierarchy and hashing by bits of time: G. Varghese and T. Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP 1987),
 * scheme 7. The level is the highest group of bits in which an item's tick differs from the wheel's, as in Linux before
 * 4.8; so all items of a tick are on one level at any time, and lists in the order of arrival keep them in order.
 */
public final class HierarchicalWheel implements TimerQueue {
  private static final int DEFAULT_TICK_BITS = 20;
  private static final int MOST_TICK_BITS = 40;
  private static final int SLOT_BITS = Integer.numberOfTrailingZeros(Slots.ROW);
  private static final int LONGEST_SCAN = 16;
  private static final long NOT_DRAINING = -1;
  private static final int NONE = Slots.NONE;

  private final int tickBits;
  // By row: of how many bits of time a slot is. Slots of the row "ticks" are one tick long; rows below it serve to spread
  // out a tick that has too many items to be sorted at once.
  private final int[] shifts;
  private final int ticks;
  // A list of what has become due since the drain began, so that the drain does not meet it.
  private final int aside;

  // The place of an item is that in the slots, or if it is late, the complement of its index there.
  private final Records records = new Records();
  private final Slots slots;
  // What was scheduled when the wheel stood in its tick already, or beyond.
  private final IndexedHeap late = new IndexedHeap();
  private final Sink fromLate = (handle, deadline, cookie) -> lateItem = (int) cookie;
  private int lateItem;
  private final Sorting sorting;

  // How far the wheel has come: but for the run, and for rows below "ticks", items in slots are of later ticks.
  private long reached;
  // The list that the wheel has come to, sorted; NONE if there is none.
  private int run = NONE;
  private int size;
  private long drainedTo = NOT_DRAINING;
  // What comes later has a place in the slots: it is beyond the tick that was reached, and beyond what is drained.
  private long slotsFrom;

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
    this(tickBits, Sorting.MOST);
  }

  /** The same; a tick is spread out where it has more than {@code sorted} items that are in no order. */
  HierarchicalWheel(int tickBits, int sorted) {
    if (tickBits < 0 || tickBits > MOST_TICK_BITS) {
      throw new IllegalArgumentException("tickBits must be from 0 to " + MOST_TICK_BITS + ", got " + tickBits);
    }
    this.tickBits = tickBits;
    sorting = new Sorting(sorted);
    ticks = rows(tickBits);
    int rows = ticks + rows(Long.SIZE - 1 - tickBits);
    shifts = IntStream.range(0, rows).map(row -> Math.max(tickBits + (row - ticks) * SLOT_BITS, 0)).toArray();
    aside = rows * Slots.ROW;
    slots = new Slots(rows + 1);
    bound();
  }

  private static int rows(int bits) {
    return (bits + SLOT_BITS - 1) / SLOT_BITS;
  }

  @Override
  public Spec spec() {
    return Spec.EXACT;
  }

  @Override
  public long schedule(long deadline, long cookie) {
    int item = records.next();
    long handle = records.add(item, deadline, cookie, place(item, deadline));
    size++;
    return handle;
  }

  @Override
  public boolean cancel(long handle) {
    long state = records.state(handle);
    if (state == Records.GONE) {
      return false;
    }
    leave((int) state);
    giveBack((int) handle);
    return true;
  }

  @Override
  public boolean move(long handle, long deadline) {
    long state = records.state(handle);
    if (state == Records.GONE) {
      return false;
    }
    int item = (int) handle;
    int place = place(item, deadline);
    leave((int) state);
    records.deadline(item, deadline);
    records.place(item, place);
    return true;
  }

  @Override
  public int drain(long now, int limit, Sink sink) {
    Checks.drain(limit, drainedTo != NOT_DRAINING);
    if (now < 0 || limit == 0) {
      return 0;
    }
    if (size == 0) {
      // It may have been drained to a time that is still to come.
      reached = Math.min(reached, now);
    }
    int count = 0;
    drainedTo = now;
    bound();
    try {
      for (int item = next(now); item != NONE; item = next(now)) {
        long handle = records.handle(item);
        long deadline = records.deadline(item);
        long cookie = records.cookie(item);
        giveBack(item);
        count++;
        sink.accept(handle, deadline, cookie);
        if (count == limit) {
          break;
        }
      }
    } finally {
      drainedTo = NOT_DRAINING;
      bound();
      for (int place = slots.first(aside); place != NONE; place = slots.first(aside)) {
        int item = slots.item(place);
        records.place(item, place(item, records.deadline(item)));
        slots.remove(place);
      }
    }
    return count;
  }

  @Override
  public long nextDeadline() {
    long next = late.nextDeadline();
    int first = first();
    if (first != NONE) {
      next = Math.min(next, deadline(first));
    } else if (slotsMayBeFirst()) {
      next = Math.min(next, firstOfSlots());
    }
    for (int place = slots.first(aside); place != NONE; place = slots.next(aside, place)) {
      next = Math.min(next, deadline(place));
    }
    return next;
  }

  @Override
  public int size() {
    return size;
  }

  private void giveBack(int item) {
    records.remove(item);
    size--;
    if (size == 0) {
      records.shrink();
      slots.shrink();
      sorting.shrink();
    }
  }

  // Where an item is.

  /** To be called when {@link #reached} or {@link #drainedTo} has changed. */
  private void bound() {
    slotsFrom = Math.max(reached | (1L << tickBits) - 1, drainedTo);
  }

  private int place(int item, long deadline) {
    return deadline > slotsFrom ? slots.append(slot(deadline), item) : placeElsewhere(item, deadline);
  }

  private int placeElsewhere(int item, long deadline) {
    Checks.deadline(deadline);
    return deadline <= drainedTo ? slots.append(aside, item) : ~(int) late.schedule(deadline, item);
  }

  private void leave(int place) {
    if (place >= 0) {
      slots.remove(place);
    } else {
      late.cancel(late.handle(~place));
    }
  }

  /** Returns the slot for a deadline of a tick that lies ahead, or of the one that the wheel stands in. */
  private int slot(long deadline) {
    long tick = deadline >>> tickBits;
    int highest = Long.SIZE - 1 - Long.numberOfLeadingZeros(tick ^ reached >>> tickBits | 1);
    // highest / SLOT_BITS
    int level = highest * 43 >>> 9;
    return ticks + level << SLOT_BITS | (int) (tick >>> level * SLOT_BITS) & Slots.ROW - 1;
  }

  // The way of time.

  /** Returns the place of the first item of the run, or {@link #NONE}. */
  private int first() {
    return run == NONE ? NONE : slots.first(run);
  }

  /** Takes the first item that is due out of where it is; returns {@link #NONE} if there is none. */
  private int next(long now) {
    int place = first();
    if (place == NONE && slotsMayBeFirst()) {
      goOn(now);
      place = first();
    }
    if (late.size() > 0 && (place == NONE || late.nextDeadline() < deadline(place))) {
      return late.drain(now, 1, fromLate) == 1 ? lateItem : NONE;
    }
    if (place == NONE || deadline(place) > now) {
      return NONE;
    }
    int item = slots.item(place);
    slots.remove(place);
    return item;
  }

  private long deadline(int place) {
    return records.deadline(slots.item(place));
  }

  /**
   * Returns whether items in slots may come before those that are late: there are none, or slots hold some of their
   * tick.
   */
  private boolean slotsMayBeFirst() {
    return late.size() == 0 || firstList(ticks) != NONE;
  }

  /** Goes on to the next slot that has items, and sorts them; if there is none up to {@code until}, to that. */
  private void goOn(long until) {
    run = NONE;
    while (run == NONE) {
      int list = firstList(shifts.length);
      boolean here = list != NONE && begin(list) <= until;
      reached = here ? begin(list) : Math.max(reached, until);
      bound();
      if (!here) {
        return;
      }
      enter(list);
    }
  }

  private void enter(int list) {
    int row = list >> SLOT_BITS;
    if (row <= ticks && sorting.sort(slots, list, records, shifts[row])) {
      run = list;
      return;
    }
    for (int place = slots.first(list); place != NONE; place = slots.first(list)) {
      int item = slots.item(place);
      long deadline = records.deadline(item);
      int to = row > ticks ? slot(deadline) : below(row, deadline);
      records.place(item, slots.append(to, item));
      slots.remove(place);
    }
  }

  private int below(int row, long deadline) {
    return row - 1 << SLOT_BITS | (int) (deadline >>> shifts[row - 1]) & Slots.ROW - 1;
  }

  /**
   * Returns the first list of the lowest {@code rows} that is not empty, or {@link #NONE}. Slots that have items lie
   * ahead on their row, and all of a row come before those of the next one.
   */
  private int firstList(int rows) {
    for (int row = 0; row < rows; row++) {
      int list = slots.firstOf(row);
      if (list != NONE) {
        return list;
      }
    }
    return NONE;
  }

  /** Returns the first deadline of a slot that lies ahead. */
  private long begin(int list) {
    int shift = shifts[list >> SLOT_BITS];
    return (reached >>> shift & -Slots.ROW | list & Slots.ROW - 1) << shift;
  }

  /** Returns the first deadline in the slots, or when the first slot begins if it has many items. */
  private long firstOfSlots() {
    int list = firstList(shifts.length);
    if (list == NONE) {
      return Long.MAX_VALUE;
    }
    long next = Long.MAX_VALUE;
    int place = slots.first(list);
    for (int seen = 0; place != NONE; place = slots.next(list, place), seen++) {
      if (seen == LONGEST_SCAN) {
        return begin(list);
      }
      next = Math.min(next, deadline(place));
    }
    return next;
  }
}
