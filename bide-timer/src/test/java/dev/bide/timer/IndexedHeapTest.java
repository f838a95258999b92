package dev.bide.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class IndexedHeapTest extends TimerQueueContract {

  @Override
  TimerQueue create() {
    return new IndexedHeap();
  }

  @Test
  void handlesAreNever0AndOrderHoldsWhereTheNumbersOfItemsWrap() {
    for (long wrap : new long[]{1L << 31, 1L << 32, 1L << 33}) {
      IndexedHeap heap = new IndexedHeap(wrap - 3);
      List<Long> cookies = new ArrayList<>();
      for (long cookie = 0; cookie < 6; cookie++) {
        // One item at a time has the index 0, the one whose handle could be 0.
        long handle = heap.schedule(1, 0);
        assertTrue(handle != 0);
        assertTrue(heap.cancel(handle));
        assertFalse(heap.cancel(handle));
      }
      heap = new IndexedHeap(wrap - 3);
      for (long cookie = 0; cookie < 6; cookie++) {
        heap.schedule(1, cookie);
      }
      heap.drain(1, 6, (left, deadline, cookie) -> cookies.add(cookie));
      assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 5L), cookies);
    }
  }

  @Test
  void aMillionItemsLeaveInOrder() {
    IndexedHeap heap = new IndexedHeap();
    int count = 1 << 20;
    for (long i = 0; i < count; i++) {
      // A multiple of an odd number visits every deadline once.
      heap.schedule(i * 0x9e3779b1L & count - 1, i);
    }
    long[] next = {0};
    assertEquals(count,
        heap.drain(count, Integer.MAX_VALUE, (left, deadline, cookie) -> assertEquals(next[0]++, deadline)));
    assertEquals(0, heap.size());
  }
}
