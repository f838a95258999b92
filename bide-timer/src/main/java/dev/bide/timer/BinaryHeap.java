package dev.bide.timer;

import java.util.Arrays;

/**
 * A timer queue in the binary heap of the textbooks, with numbers that keep equals in order and lazy cancellation:
 * exact, and the one to read first. {@link IndexedHeap} takes less memory, and keeps nothing of what is cancelled.
 *
 * <p>Not thread-safe. Deadlines are non-negative {@code long}s in the caller's unit. Items leave by deadline, those of one
 * deadline in the order in which they were scheduled or last moved. Schedule, move and each item drained take O(log n);
 * {@link #nextDeadline} takes O(1), within a sink O(items that came due since the drain began).
 *
 * <p>Cancel takes O(1): the item's entry stays in the heap as a tombstone, which is dropped in O(log n) when it has come
 * to the top. A move leaves one as well. As soon as there are more tombstones than items, all are dropped at once:
 * O(n), but O(1) for each of them. An item takes 32 bytes and an entry 20, so that is about 52 bytes an item, and at
 * most 20 more for tombstones; the heap's arrays double, and all is given back when the queue has run empty.
 *
 * <p>The heap is that of J. W. J. Williams, "Algorithm 232: Heapsort" (1964), and dropping rebuilds it from the bottom up,
 * as R. W. Floyd does in "Algorithm 245: Treesort 3" (1964).
 */
public final class BinaryHeap implements TimerQueue {
  private static final int SMALLEST = 16;
  private static final int LARGEST = 1 << 30;
  private static final int KEPT_WHEN_EMPTY = 1 << 10;
  private static final long NOT_DRAINING = -1;

  // An item's links are the number of its entry. Other entries that name it are tombstones.
  private final Items items = new Items();
  // What has become due since the drain began, so that the drain does not meet it: one list.
  private final long[] aside = {Items.EMPTY};

  // By place: entries, of which none is before its parent (deadline, number). The one at the top is no tombstone.
  private long[] deadlines = new long[SMALLEST];
  private long[] numbers = new long[SMALLEST];
  private int[] owners = new int[SMALLEST];
  private int entries;
  private int tombstones;

  private int size;
  private long number;
  private long drainedTo = NOT_DRAINING;

  /** An empty queue. */
  public BinaryHeap() {}

  @Override
  public Spec spec() {
    return Spec.EXACT;
  }

  @Override
  public long schedule(long deadline, long cookie) {
    Checks.deadline(deadline);
    room();
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
    tidy();
    return true;
  }

  @Override
  public boolean move(long handle, long deadline) {
    Checks.deadline(deadline);
    if (!items.holds(handle)) {
      return false;
    }
    room();
    int item = (int) handle;
    remove(item);
    items.deadline(item, deadline);
    place(item, deadline);
    tidy();
    return true;
  }

  @Override
  public int drain(long now, int limit, Sink sink) {
    Checks.drain(limit, drainedTo != NOT_DRAINING);
    int count = 0;
    drainedTo = now;
    try {
      while (count < limit && entries > 0 && deadlines[0] <= now) {
        int item = owners[0];
        long handle = items.handle(item);
        long deadline = deadlines[0];
        long cookie = items.cookie(item);
        removeFirst();
        giveBack(item);
        tidy();
        count++;
        sink.accept(handle, deadline, cookie);
      }
    } finally {
      drainedTo = NOT_DRAINING;
      for (int item = Items.first(aside[0]); item != Items.NONE; item = Items.first(aside[0])) {
        items.unlink(aside, 0, item);
        place(item, items.deadline(item));
      }
    }
    return count;
  }

  @Override
  public long nextDeadline() {
    long next = entries > 0 ? deadlines[0] : Long.MAX_VALUE;
    for (int item = Items.first(aside[0]); item != Items.NONE; item = items.next(item)) {
      next = Math.min(next, items.deadline(item));
    }
    return next;
  }

  @Override
  public int size() {
    return size;
  }

  /** Returns how many entries are there whose items have gone: never more than items. */
  int tombstones() {
    return tombstones;
  }

  private void place(int item, long deadline) {
    if (deadline <= drainedTo) {
      items.append(aside, 0, item);
      items.standing(item, Items.ASIDE);
    } else {
      number++;
      items.links(item, number);
      items.standing(item, Items.LISTED);
      add(deadline, item);
    }
  }

  private void remove(int item) {
    if (items.standing(item) == Items.ASIDE) {
      items.unlink(aside, 0, item);
    } else {
      tombstones++;
    }
  }

  private void giveBack(int item) {
    items.giveBack(item);
    size--;
  }

  /** Drops the tombstones at the top, or all of them when they are more than the items. */
  private void tidy() {
    if (tombstones > size) {
      rebuild();
    }
    for (; entries > 0 && dead(0); tombstones--) {
      removeFirst();
    }
    if (size == 0) {
      shrink();
    }
  }

  private boolean dead(int place) {
    int item = owners[place];
    return items.standing(item) != Items.LISTED || items.links(item) != numbers[place];
  }

  // The heap. Place p has its children at 2p + 1 and 2p + 2.

  private void add(long deadline, int item) {
    int place = entries;
    deadlines[place] = deadline;
    numbers[place] = number;
    owners[place] = item;
    entries++;
    for (int parent = place - 1 >> 1; place > 0 && before(place, parent); parent = place - 1 >> 1) {
      swap(place, parent);
      place = parent;
    }
  }

  private void removeFirst() {
    entries--;
    swap(0, entries);
    down(0);
  }

  private void rebuild() {
    int kept = 0;
    for (int place = 0; place < entries; place++) {
      if (!dead(place)) {
        swap(place, kept);
        kept++;
      }
    }
    entries = kept;
    tombstones = 0;
    for (int parent = kept / 2 - 1; parent >= 0; parent--) {
      down(parent);
    }
  }

  private void down(int from) {
    int place = from;
    for (int child = child(place); child < entries && before(child, place); child = child(place)) {
      swap(place, child);
      place = child;
    }
  }

  /** Returns the child that comes first, or a place behind the heap if there is none. */
  private int child(int parent) {
    int left = 2 * parent + 1;
    return left + 1 < entries && before(left + 1, left) ? left + 1 : left;
  }

  private boolean before(int one, int other) {
    return deadlines[one] < deadlines[other] || deadlines[one] == deadlines[other] && numbers[one] < numbers[other];
  }

  private void swap(int one, int other) {
    long deadline = deadlines[one];
    long numbered = numbers[one];
    int owner = owners[one];
    deadlines[one] = deadlines[other];
    numbers[one] = numbers[other];
    owners[one] = owners[other];
    deadlines[other] = deadline;
    numbers[other] = numbered;
    owners[other] = owner;
  }

  /** Makes room for one more entry, also when all that stands aside gets one. */
  private void room() {
    int length = owners.length;
    if (size + tombstones < length) {
      return;
    }
    if (length == LARGEST) {
      throw new IllegalStateException("a binary heap holds at most " + LARGEST + " items and tombstones");
    }
    deadlines = Arrays.copyOf(deadlines, 2 * length);
    numbers = Arrays.copyOf(numbers, 2 * length);
    // The last, since its length is what counts where memory runs out on the way.
    owners = Arrays.copyOf(owners, 2 * length);
  }

  private void shrink() {
    items.shrink();
    if (owners.length > KEPT_WHEN_EMPTY) {
      deadlines = new long[SMALLEST];
      numbers = new long[SMALLEST];
      owners = new int[SMALLEST];
    }
  }
}
