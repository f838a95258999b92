package dev.bide.timer;

/**
 * What timer queues have in common that keep some items in linked lists, and others in a heap until they leave. Not
 * thread-safe.
 */
abstract class LinkedTimers implements TimerQueue {
  static final int NONE = Items.NONE;
  private static final long NOT_DRAINING = -1;

  /** All items; the links of one in the heap are its handle there. */
  final Items items = new Items();
  /** Items, as cookies, by when they are due. */
  final IndexedHeap heap = new IndexedHeap();
  private final Sink fromHeap = (handle, due, item) -> taken = (int) item;
  private int taken;
  // What has become due since the drain began, so that the drain does not meet it: one list.
  private final long[] aside = {Items.EMPTY};
  private int size;
  private long drainedTo = NOT_DRAINING;

  LinkedTimers() {}

  /** Puts an item where it stands until it leaves: in a list, as {@link #listed} says, or in the heap. */
  abstract void place(int item, long deadline);

  /** Takes an item out of the list that {@link #place} has put it in. */
  abstract void unlist(int item, long deadline);

  /** Takes the first item that is due out of where it stands; returns {@link #NONE} if there is none. */
  abstract int next(long now);

  /** Returns what {@link #nextDeadline} does, of the items that {@link #place} has placed. */
  abstract long nextPlaced();

  @Override
  public final long schedule(long deadline, long cookie) {
    Checks.deadline(deadline);
    int item = items.take(deadline, cookie);
    put(item, deadline);
    size++;
    return items.handle(item);
  }

  @Override
  public final boolean cancel(long handle) {
    if (!items.holds(handle)) {
      return false;
    }
    int item = (int) handle;
    remove(item);
    giveBack(item);
    return true;
  }

  @Override
  public final boolean move(long handle, long deadline) {
    Checks.deadline(deadline);
    if (!items.holds(handle)) {
      return false;
    }
    int item = (int) handle;
    remove(item);
    items.deadline(item, deadline);
    put(item, deadline);
    return true;
  }

  @Override
  public final int drain(long now, int limit, Sink sink) {
    Checks.drain(limit, drainedTo != NOT_DRAINING);
    if (now < 0) {
      return 0;
    }
    int count = 0;
    drainedTo = now;
    try {
      while (count < limit) {
        int item = next(now);
        if (item == NONE) {
          break;
        }
        long handle = items.handle(item);
        long deadline = items.deadline(item);
        long cookie = items.cookie(item);
        giveBack(item);
        count++;
        sink.accept(handle, deadline, cookie);
      }
    } finally {
      drainedTo = NOT_DRAINING;
      for (int item = Items.first(aside[0]); item != NONE; item = Items.first(aside[0])) {
        items.unlink(aside, 0, item);
        put(item, items.deadline(item));
      }
    }
    return count;
  }

  @Override
  public final long nextDeadline() {
    long next = nextPlaced();
    for (int item = Items.first(aside[0]); item != NONE; item = items.next(item)) {
      next = Math.min(next, spec().dueAt(items.deadline(item)));
    }
    return next;
  }

  @Override
  public final int size() {
    return size;
  }

  private void put(int item, long deadline) {
    if (spec().dueAt(deadline) <= drainedTo) {
      items.append(aside, 0, item);
      items.standing(item, Items.ASIDE);
    } else {
      place(item, deadline);
    }
  }

  private void remove(int item) {
    switch (items.standing(item)) {
      case Items.HEAPED -> heap.cancel(items.links(item));
      case Items.ASIDE -> items.unlink(aside, 0, item);
      default -> unlist(item, items.deadline(item));
    }
  }

  private void giveBack(int item) {
    items.giveBack(item);
    size--;
    if (size == 0) {
      items.shrink();
    }
  }

  /** Says that an item stands in a list. */
  final void listed(int item) {
    items.standing(item, Items.LISTED);
  }

  final void toHeap(int item, long due) {
    items.links(item, heap.schedule(due, item));
    items.standing(item, Items.HEAPED);
  }

  /** Takes the first item out of the heap, if it is due; else returns {@link #NONE}. */
  final int fromHeap(long now) {
    return heap.drain(now, 1, fromHeap) == 1 ? taken : NONE;
  }
}
