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
public final class TieredHeap extends LinkedTimers {
  private static final long UNKNOWN = -1;

  private final long width;
  // By number: a list each, of which none is empty, and what names it among the numbers.
  private final Map<Long, long[]> far = new HashMap<>();
  private final IndexedHeap numbers = new IndexedHeap();
  private long firstFar = Long.MAX_VALUE;
  // The number of the near bucket: items of it and of those before are in the heap.
  private long reached;

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
  long nextPlaced() {
    return heap.size() > 0 ? heap.nextDeadline() : firstFar();
  }

  @Override
  void place(int item, long deadline) {
    if (deadline / width <= reached) {
      toHeap(item, deadline);
    } else {
      items.append(far.computeIfAbsent(deadline / width, this::bucket), 0, item);
      listed(item);
      firstFar = Math.min(firstFar, deadline);
    }
  }

  private long[] bucket(long number) {
    return new long[]{Items.EMPTY, numbers.schedule(number, 0)};
  }

  @Override
  void unlist(int item, long deadline) {
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

  @Override
  int next(long now) {
    if (heap.size() == 0) {
      goOn(now / width);
    }
    return fromHeap(now);
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
    for (int item = Items.first(bucket[0]); item != NONE;) {
      int following = items.next(item);
      toHeap(item, items.deadline(item));
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
    for (int item = Items.first(list); item != NONE; item = items.next(item)) {
      first = Math.min(first, items.deadline(item));
    }
    return first;
  }
}
