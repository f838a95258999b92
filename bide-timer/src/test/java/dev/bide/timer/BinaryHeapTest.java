package dev.bide.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BinaryHeapTest extends TimerQueueContract {

  @Override
  TimerQueue create() {
    return new BinaryHeap();
  }

  @Test
  void thereAreNeverMoreTombstonesThanItems() {
    BinaryHeap heap = new BinaryHeap();
    Random random = new Random(1);
    List<Long> handles = new ArrayList<>();
    int most = 0;
    for (int step = 0; step < 10_000; step++) {
      int some = random.nextInt(handles.size() + 1);
      if (some == handles.size() || random.nextInt(8) == 0) {
        handles.add(heap.schedule(random.nextInt(1_000), 0));
      } else if (random.nextBoolean()) {
        assertTrue(heap.move(handles.get(some), random.nextInt(1_000)));
      } else {
        assertTrue(heap.cancel(handles.remove(some)));
      }
      assertTrue(heap.tombstones() <= heap.size());
      most = Math.max(most, heap.tombstones());
    }
    assertTrue(most > 1, "a cancelled item's entry stays");
    handles.forEach(heap::cancel);
    assertEquals(0, heap.tombstones());
  }

  @Test
  void orderHoldsWhenTombstonesAreDropped() {
    BinaryHeap heap = new BinaryHeap();
    List<Long> cancelled = new ArrayList<>();
    List<Long> kept = new ArrayList<>();
    for (long i = 0; i < 1_000; i++) {
      // Groups of equals, out of order.
      long handle = heap.schedule(i / 20 * 7 % 50, i);
      if (i % 20 < 3) {
        kept.add(i);
      } else {
        cancelled.add(handle);
      }
    }
    Collections.shuffle(cancelled, new Random(1));
    assertTrue(cancelled.stream().allMatch(heap::cancel));
    kept.sort(Comparator.comparing(i -> i / 20 * 7 % 50));
    List<Long> drained = new ArrayList<>();
    heap.drain(50, Integer.MAX_VALUE, (handle, deadline, cookie) -> drained.add(cookie));
    assertEquals(kept, drained);
  }
}
