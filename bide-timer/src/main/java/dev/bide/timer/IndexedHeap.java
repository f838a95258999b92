package dev.bide.timer;

import java.util.Arrays;

/**
 * A timer queue in a heap with four children to a node, over arrays of primitives: exact, with any range of deadlines,
 * and about 36 bytes an item.
 *
 * <p>Not thread-safe. Deadlines are non-negative {@code long}s in the caller's unit. Items leave by deadline, those of one
 * deadline in the order in which they were scheduled or last moved. Schedule, cancel, move and each item drained take
 * O(log n); {@link #nextDeadline} takes O(1), within a sink O(items that came due since the drain began). The arrays
 * double, from a million items on they grow by half, and are given back when the queue has run empty.
 *
 * <p>A handle names the item's index and the number, of 32 bits, under which it was scheduled. So the handle of an item
 * that has left can hit another item only after four billion schedules and moves, at the very one that meets its number
 * and its index again.
 */
public final class IndexedHeap implements TimerQueue {
  private static final int SMALLEST = 16;
  private static final int KEPT_WHEN_EMPTY = 1 << 10;
  private static final int DOUBLED_UP_TO = 1 << 20;
  private static final int LARGEST = Integer.MAX_VALUE - 8;
  private static final long NOT_DRAINING = -1;
  private static final int END = -1;
  private static final long[] NO_LONGS = {};
  private static final int[] NO_INTS = {};

  // By place. [0, heaped) is the heap, ordered by (deadline, order). [heaped, size) is empty but for the time of a drain: it keeps what has
  // become due since the drain began, so that the drain does not meet it.
  private long[] deadlines = NO_LONGS;
  private long[] orders = NO_LONGS;
  private int[] items = NO_INTS;
  // By item. The place of a free item is −2 − (the next free one).
  private int[] places = NO_INTS;
  private int[] generations = NO_INTS;
  private long[] cookies = NO_LONGS;

  private int size;
  private int heaped;
  private int used;
  private int free = END;
  private long order;
  private long drainedTo = NOT_DRAINING;

  /** An empty queue. */
  public IndexedHeap() {
    this(0);
  }

  /** An empty queue that counts its schedules and moves from {@code order}. */
  IndexedHeap(long order) {
    this.order = order;
  }

  @Override
  public Spec spec() {
    return Spec.EXACT;
  }

  @Override
  public long schedule(long deadline, long cookie) {
    Checks.deadline(deadline);
    if (size == items.length) {
      grow();
    }
    int item = take();
    long number = nextOrder();
    generations[item] = (int) number;
    cookies[item] = cookie;
    add(deadline, number, item);
    return number << 32 | item;
  }

  @Override
  public boolean cancel(long handle) {
    int item = (int) handle;
    if (!holds(handle)) {
      return false;
    }
    remove(places[item]);
    giveBack(item);
    shrink();
    return true;
  }

  @Override
  public boolean move(long handle, long deadline) {
    Checks.deadline(deadline);
    int item = (int) handle;
    if (!holds(handle)) {
      return false;
    }
    if (places[item] < heaped && deadline > drainedTo) {
      sift(places[item], deadline, nextOrder(), item);
    } else {
      remove(places[item]);
      add(deadline, nextOrder(), item);
    }
    return true;
  }

  @Override
  public int drain(long now, int limit, Sink sink) {
    Checks.drain(limit, drainedTo != NOT_DRAINING);
    if (now < nextDeadline() || limit == 0) {
      return 0;
    }
    int count = 0;
    drainedTo = now;
    try {
      while (count < limit && heaped > 0 && deadlines[0] <= now) {
        long deadline = deadlines[0];
        int item = items[0];
        remove(0);
        giveBack(item);
        count++;
        sink.accept(handle(item), deadline, cookies[item]);
      }
    } finally {
      drainedTo = NOT_DRAINING;
      for (; heaped < size; heaped++) {
        up(heaped, deadlines[heaped], orders[heaped], items[heaped]);
      }
      shrink();
    }
    return count;
  }

  @Override
  public long nextDeadline() {
    long next = heaped > 0 ? deadlines[0] : Long.MAX_VALUE;
    for (int place = heaped; place < size; place++) {
      next = Math.min(next, deadlines[place]);
    }
    return next;
  }

  @Override
  public int size() {
    return size;
  }

  /** Returns the handle of the item that leaves first; not for a sink, nor when empty. */
  long first() {
    return handle(items[0]);
  }

  /** Returns the handle of the item that has this index. */
  long handle(int item) {
    return (long) generations[item] << 32 | item;
  }

  private boolean holds(long handle) {
    int item = (int) handle;
    return item >= 0 && item < used && places[item] >= 0 && generations[item] == (int) (handle >>> 32);
  }

  /** Counts on, past the numbers whose low half is 0, so that no handle is 0. */
  private long nextOrder() {
    order++;
    if ((int) order == 0) {
      order++;
    }
    return order;
  }

  private void add(long deadline, long number, int item) {
    if (deadline <= drainedTo) {
      put(size++, deadline, number, item);
      return;
    }
    if (heaped < size) {
      put(size, deadlines[heaped], orders[heaped], items[heaped]);
    }
    size++;
    up(heaped++, deadline, number, item);
  }

  private void remove(int place) {
    int hole = place;
    if (place < heaped) {
      hole = --heaped;
      if (place < hole) {
        sift(place, deadlines[hole], orders[hole], items[hole]);
      }
    }
    size--;
    if (hole < size) {
      put(hole, deadlines[size], orders[size], items[size]);
    }
  }

  private void sift(int hole, long deadline, long number, int item) {
    if (hole > 0 && before(deadline, number, hole - 1 >> 2)) {
      up(hole, deadline, number, item);
    } else {
      down(hole, deadline, number, item);
    }
  }

  private void up(int hole, long deadline, long number, int item) {
    int place = hole;
    while (place > 0) {
      int parent = place - 1 >> 2;
      if (!before(deadline, number, parent)) {
        break;
      }
      put(place, deadlines[parent], orders[parent], items[parent]);
      place = parent;
    }
    put(place, deadline, number, item);
  }

  private void down(int hole, long deadline, long number, int item) {
    int place = hole;
    int lastParent = heaped - 2 >> 2;
    while (place <= lastParent) {
      int child = firstOfChildren(place);
      if (before(deadline, number, child)) {
        break;
      }
      put(place, deadlines[child], orders[child], items[child]);
      place = child;
    }
    put(place, deadline, number, item);
  }

  private int firstOfChildren(int parent) {
    int first = (parent << 2) + 1;
    int end = Math.min(first + 4, heaped);
    for (int child = first + 1; child < end; child++) {
      if (before(deadlines[child], orders[child], first)) {
        first = child;
      }
    }
    return first;
  }

  private boolean before(long deadline, long number, int place) {
    return deadline < deadlines[place] || deadline == deadlines[place] && number < orders[place];
  }

  private void put(int place, long deadline, long number, int item) {
    deadlines[place] = deadline;
    orders[place] = number;
    items[place] = item;
    places[item] = place;
  }

  private int take() {
    if (free == END) {
      return used++;
    }
    int item = free;
    free = -2 - places[item];
    return item;
  }

  private void giveBack(int item) {
    places[item] = -2 - free;
    free = item;
  }

  private void grow() {
    int length = items.length;
    if (length == LARGEST) {
      throw new IllegalStateException("a timer queue holds at most " + LARGEST + " items");
    }
    long more = (long) length + (length < DOUBLED_UP_TO ? length : length >> 1);
    int longer = (int) Math.min(Math.max(more, SMALLEST), LARGEST);
    deadlines = Arrays.copyOf(deadlines, longer);
    orders = Arrays.copyOf(orders, longer);
    places = Arrays.copyOf(places, longer);
    generations = Arrays.copyOf(generations, longer);
    cookies = Arrays.copyOf(cookies, longer);
    // The last, since its length is what counts: where memory runs out on the way, the others are longer than they need be.
    items = Arrays.copyOf(items, longer);
  }

  /** Costs no more than the schedules that made the arrays grow. */
  private void shrink() {
    if (size == 0 && drainedTo == NOT_DRAINING && items.length > KEPT_WHEN_EMPTY) {
      used = 0;
      free = END;
      deadlines = orders = cookies = NO_LONGS;
      items = places = generations = NO_INTS;
    }
  }
}
