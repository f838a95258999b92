package dev.bide.timer;

import static java.util.Objects.requireNonNull;

import java.util.HashMap;
import java.util.Map;

/**
 * A timer queue in buckets by due time, with a heap for the near bucket only: exact, with any range of deadlines, 32
 * bytes an item and 36 more while it is near.
 *
 * <p>Not thread-safe. Deadlines are non-negative {@code long}s in the caller's unit; a bucket is for those with the same
 * {@code deadline / width}, and only buckets that hold items exist. Items leave by deadline, those of one deadline in
 * the order in which they were scheduled or last moved. With b buckets and k items near, schedule, cancel and move take
 * O(1) for an item that is far, O(log b) where that makes or ends a bucket, and O(log k) for one that is near, and a
 * drained item takes O(log k). A bucket becomes the near one as a whole, when its time has begun and what was near has
 * left. {@link #nextDeadline} takes O(1), or a look through the first bucket when nothing is near and the first item of
 * it has gone. What was held is given back when the queue has run empty.
 *
 * <p>It suits many long delays of which most are cancelled, as timeouts are: the heap stays small, and far items are never
 * sorted. The width decides: wide buckets make it a heap, narrow ones with an item each make it two heaps, which costs
 * 140 bytes a bucket. A second is a good one for delays of minutes. The idea is that of a calendar queue: R. Brown,
 * "Calendar Queues" (CACM, 1988), here without its year.
 */
public final class TieredHeap implements TimerQueue {
  private static final int NEAR = 1;
  private static final int FAR = 2;
  private static final int ASIDE = 3;
  private static final long NOT_DRAINING = -1;
  private static final long UNKNOWN = -1;

  private final long width;
  // The links of an item that is near are its handle in the heap, whose cookies are items.
  private final Items items = new Items();
  private final IndexedHeap near = new IndexedHeap();
  private final Sink fromNear = (handle, deadline, cookie) -> nearest = (int) cookie;
  private int nearest;
  // By number: a list each, of which none is empty, and what names it among the numbers.
  private final Map<Long, long[]> far = new HashMap<>();
  private final IndexedHeap numbers = new IndexedHeap();
  private long firstFar = Long.MAX_VALUE;
  // The number of the near bucket: items of it and of those before are near.
  private long reached;
  // What has become due since the drain began, so that the drain does not meet it: one list.
  private final long[] aside = {Items.EMPTY};
  private int size;
  private long drainedTo = NOT_DRAINING;

  /**
   * An empty queue with buckets of {@code width}.
   *
   * @throws IllegalArgumentException if {@code width} is not positive
   */
  public TieredHeap(long width) {
    if (width < 1) {
      throw new IllegalArgumentException("width must be positive, got " + width);
    }
    this.width = width;
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
    int count = 0;
    drainedTo = now;
    try {
      while (count < limit && next(now)) {
        int item = nearest;
        long handle = items.handle(item);
        long deadline = items.deadline(item);
        long cookie = items.cookie(item);
        giveBack(item);
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
    long next = near.size() > 0 ? near.nextDeadline() : firstFar();
    return Math.min(next, first(aside[0]));
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

  private void place(int item, long deadline) {
    if (deadline <= drainedTo) {
      items.append(aside, 0, item);
      items.standing(item, ASIDE);
    } else if (deadline / width <= reached) {
      toNear(item, deadline);
    } else {
      items.append(far.computeIfAbsent(deadline / width, this::bucket), 0, item);
      items.standing(item, FAR);
      firstFar = Math.min(firstFar, deadline);
    }
  }

  private long[] bucket(long number) {
    return new long[]{Items.EMPTY, numbers.schedule(number, 0)};
  }

  private void toNear(int item, long deadline) {
    items.links(item, near.schedule(deadline, item));
    items.standing(item, NEAR);
  }

  private void remove(int item) {
    switch (items.standing(item)) {
      case NEAR -> near.cancel(items.links(item));
      case ASIDE -> items.unlink(aside, 0, item);
      default -> fromFar(item, items.deadline(item));
    }
  }

  private void fromFar(int item, long deadline) {
    long number = deadline / width;
    long[] bucket = requireNonNull(far.get(number), "bucket");
    if (items.unlink(bucket, 0, item)) {
      numbers.cancel(bucket[1]);
      far.remove(number);
    }
    if (deadline == firstFar) {
      firstFar = UNKNOWN;
    }
  }

  /** Takes the first item out, to be {@link #nearest}, if it is due; tells whether it is. */
  private boolean next(long now) {
    if (near.size() == 0) {
      goOn(now / width);
    }
    return near.drain(now, 1, fromNear) == 1;
  }

  /** Makes the first bucket the near one, if it is not beyond {@code number}; else the near one is that, and empty. */
  private void goOn(long number) {
    if (far.isEmpty() || numbers.nextDeadline() > number) {
      reached = Math.max(reached, number);
      return;
    }
    reached = numbers.nextDeadline();
    long[] bucket = requireNonNull(far.remove(reached), "bucket");
    numbers.cancel(bucket[1]);
    firstFar = UNKNOWN;
    // In the order in which they came, so that equals keep it.
    for (int item = Items.first(bucket[0]); item != Items.NONE;) {
      int following = items.next(item);
      toNear(item, items.deadline(item));
      item = following;
    }
  }

  private long firstFar() {
    if (firstFar == UNKNOWN) {
      firstFar = far.isEmpty()
          ? Long.MAX_VALUE
          : first(requireNonNull(far.get(numbers.nextDeadline()), "bucket")[0]);
    }
    return firstFar;
  }

  private long first(long list) {
    long first = Long.MAX_VALUE;
    for (int item = Items.first(list); item != Items.NONE; item = items.next(item)) {
      first = Math.min(first, items.deadline(item));
    }
    return first;
  }
}
