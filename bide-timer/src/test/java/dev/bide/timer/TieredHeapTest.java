package dev.bide.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TieredHeapTest extends TimerQueueContract {

  @Override
  TimerQueue create() {
    return new TieredHeap(16);
  }

  @Test
  void aWidthThatIsNotPositiveIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> new TieredHeap(0));
    assertThrows(IllegalArgumentException.class, () -> new TieredHeap(-1));
    assertEquals(0, new TieredHeap(1).size());
  }

  @Test
  void anyWidthGivesTheSameOrder() {
    List<Long> expected = List.of(5L, 15L, 10L, 11L, 20L, 1_000_000L, Long.MAX_VALUE);
    for (long width : new long[]{1, 2, 10, 16, 1_000, 1L << 40, Long.MAX_VALUE}) {
      TieredHeap heap = new TieredHeap(width);
      for (long deadline : new long[]{1_000_000, 10, Long.MAX_VALUE, 11, 5, 20}) {
        heap.schedule(deadline, deadline);
      }
      List<Long> drained = new ArrayList<>();
      heap.drain(9, 9, (handle, deadline, cookie) -> drained.add(cookie));
      heap.schedule(9, 15);
      heap.drain(Long.MAX_VALUE, 9, (handle, deadline, cookie) -> drained.add(cookie));
      assertEquals(expected, drained);
    }
  }

  @Test
  void nextDeadlineIsRightAfterEachThatLeavesTheFirstFarBucket() {
    TieredHeap heap = new TieredHeap(100);
    List<Long> handles = new ArrayList<>();
    for (long i = 0; i < 100; i++) {
      handles.add(heap.schedule(500 + i * 37 % 100, i));
    }
    for (int i = 0; i < 100; i++) {
      assertEquals(500L + i, heap.nextDeadline());
      // The item whose deadline that is: 73 * 37 is 1 modulo 100.
      assertTrue(heap.cancel(handles.get(i * 73 % 100)));
    }
    assertEquals(Long.MAX_VALUE, heap.nextDeadline());
  }
}
