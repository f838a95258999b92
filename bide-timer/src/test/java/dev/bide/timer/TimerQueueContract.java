package dev.bide.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Every promise of {@link TimerQueue}, for an exact one; an implementation's test extends it. */
abstract class TimerQueueContract {
  private final TimerQueue queue = create();

  /** Returns an empty queue. */
  abstract TimerQueue create();

  private List<Long> drain(long now) {
    return drain(now, Integer.MAX_VALUE);
  }

  private List<Long> drain(long now, int limit) {
    List<Long> cookies = new ArrayList<>();
    int drained = queue.drain(now, limit, (left, deadline, cookie) -> {
      assertTrue(deadline <= now, "early");
      cookies.add(cookie);
    });
    assertEquals(cookies.size(), drained);
    return cookies;
  }

  @Test
  final void anEmptyQueueHasNoDeadlineAndNothingToDrain() {
    assertEquals(0, queue.size());
    assertEquals(Long.MAX_VALUE, queue.nextDeadline());
    assertEquals(List.of(), drain(Long.MAX_VALUE));
  }

  @Test
  final void anItemLeavesAtItsDeadlineAndNotBefore() {
    queue.schedule(100, 7);
    assertEquals(List.of(), drain(99));
    assertEquals(1, queue.size());
    assertEquals(100, queue.nextDeadline());
    assertEquals(List.of(7L), drain(100));
    assertEquals(0, queue.size());
    assertEquals(Long.MAX_VALUE, queue.nextDeadline());
  }

  @Test
  final void anItemLeavesOnceHoweverLateTheDrainComes() {
    queue.schedule(100, 7);
    assertEquals(List.of(7L), drain(1_000_000));
    assertEquals(List.of(), drain(1_000_000));
  }

  @Test
  final void theSinkIsToldTheDeadlineAndTheCookie() {
    queue.schedule(100, Long.MIN_VALUE);
    queue.drain(500, 1, (left, deadline, cookie) -> {
      assertEquals(100, deadline);
      assertEquals(Long.MIN_VALUE, cookie);
    });
    assertEquals(0, queue.size());
  }

  @Test
  final void itemsLeaveByDeadline() {
    for (long deadline : new long[]{5, 3, 9, 1, 7, 8, 2, 6, 4, 0}) {
      queue.schedule(deadline, deadline);
    }
    assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 5L), drain(5));
    assertEquals(List.of(6L, 7L, 8L, 9L), drain(9));
  }

  @Test
  final void itemsOfOneDeadlineLeaveInTheOrderTheyCame() {
    List<Long> cookies = LongStream.range(0, 100).boxed().toList();
    cookies.forEach(cookie -> queue.schedule(10, cookie));
    assertEquals(cookies, drain(10));
  }

  @Test
  final void aCancelledItemNeverLeaves() {
    queue.schedule(10, 1);
    long handle = queue.schedule(10, 2);
    queue.schedule(10, 3);
    assertTrue(queue.cancel(handle));
    assertEquals(2, queue.size());
    assertEquals(List.of(1L, 3L), drain(10));
  }

  @Test
  final void cancellingTheFirstMakesTheSecondTheNext() {
    long handle = queue.schedule(10, 1);
    queue.schedule(20, 2);
    queue.cancel(handle);
    assertEquals(20, queue.nextDeadline());
  }

  @Test
  final void anItemIsCancelledOnce() {
    long handle = queue.schedule(10, 1);
    assertTrue(queue.cancel(handle));
    assertFalse(queue.cancel(handle));
    assertFalse(queue.move(handle, 20));
    assertEquals(0, queue.size());
  }

  @Test
  final void anItemThatHasLeftIsNotCancelledOrMoved() {
    long handle = queue.schedule(10, 1);
    drain(10);
    assertFalse(queue.cancel(handle));
    assertFalse(queue.move(handle, 20));
    assertEquals(0, queue.size());
  }

  @Test
  final void aStaleHandleDoesNotHitTheItemThatCameAfter() {
    long cancelled = queue.schedule(10, 1);
    queue.cancel(cancelled);
    long drained = queue.schedule(10, 2);
    drain(10);
    queue.schedule(10, 3);
    for (long stale : new long[]{cancelled, drained}) {
      assertFalse(queue.cancel(stale));
      assertFalse(queue.move(stale, 20));
    }
    assertEquals(List.of(3L), drain(10));
  }

  @Test
  final void aHandleThatWasNeverGivenHitsNothing() {
    for (long never : new long[]{0, 1, -1, 1L << 32, Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertFalse(queue.cancel(never));
    }
    long handle = queue.schedule(10, 1);
    for (long never : new long[]{0, -1, ~handle, handle + 1, handle + (1L << 32), Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertFalse(queue.cancel(never));
      assertFalse(queue.move(never, 5));
    }
    assertEquals(List.of(1L), drain(10));
  }

  @Test
  final void handlesAreNotGivenAgainAndNever0() {
    Set<Long> handles = new HashSet<>(Set.of(0L));
    for (int round = 0; round < 100; round++) {
      for (int i = 0; i < 100; i++) {
        assertTrue(handles.add(queue.schedule(i, i)));
      }
      assertEquals(100, drain(100).size());
    }
  }

  @Test
  final void aMovedItemLeavesAtItsNewDeadline() {
    long earlier = queue.schedule(100, 1);
    long later = queue.schedule(100, 2);
    queue.schedule(100, 3);
    assertTrue(queue.move(earlier, 50));
    assertTrue(queue.move(later, 150));
    assertEquals(3, queue.size());
    assertEquals(50, queue.nextDeadline());
    assertEquals(List.of(), drain(49));
    assertEquals(List.of(1L), drain(50));
    assertEquals(List.of(3L), drain(149));
    assertEquals(List.of(2L), drain(150));
  }

  @Test
  final void aMovedItemKeepsItsHandle() {
    long handle = queue.schedule(100, 1);
    queue.move(handle, 50);
    assertTrue(queue.move(handle, 70));
    assertTrue(queue.cancel(handle));
    assertEquals(List.of(), drain(100));
  }

  @Test
  final void aMovedItemComesLastAmongItsNewEquals() {
    long handle = queue.schedule(5, 1);
    queue.schedule(10, 2);
    queue.schedule(10, 3);
    queue.move(handle, 10);
    assertEquals(List.of(2L, 3L, 1L), drain(10));
  }

  @Test
  final void anItemMovedToTheDeadlineItHasComesLastAmongItsEquals() {
    long handle = queue.schedule(10, 1);
    queue.schedule(10, 2);
    queue.move(handle, 10);
    assertEquals(List.of(2L, 1L), drain(10));
  }

  @Test
  final void negativeDeadlinesAreRefusedAndChangeNothing() {
    long handle = queue.schedule(10, 1);
    assertThrows(IllegalArgumentException.class, () -> queue.schedule(-1, 2));
    assertThrows(IllegalArgumentException.class, () -> queue.schedule(Long.MIN_VALUE, 2));
    assertThrows(IllegalArgumentException.class, () -> queue.move(handle, -1));
    assertEquals(1, queue.size());
    assertEquals(List.of(1L), drain(10));
  }

  @Test
  final void deadline0IsDueAt0AndNotBefore() {
    queue.schedule(0, 1);
    assertEquals(0, queue.nextDeadline());
    assertEquals(List.of(), drain(-1));
    assertEquals(List.of(), drain(Long.MIN_VALUE));
    assertEquals(List.of(1L), drain(0));
  }

  @Test
  final void theGreatestDeadlineIsDueAtTheGreatestNowOnly() {
    queue.schedule(Long.MAX_VALUE, 1);
    queue.schedule(Long.MAX_VALUE - 1, 2);
    assertEquals(Long.MAX_VALUE - 1, queue.nextDeadline());
    assertEquals(List.of(2L), drain(Long.MAX_VALUE - 1));
    assertEquals(Long.MAX_VALUE, queue.nextDeadline());
    assertEquals(1, queue.size());
    assertEquals(List.of(1L), drain(Long.MAX_VALUE));
  }

  @Test
  final void aDrainHandsOutNoMoreThanItsLimit() {
    for (long i = 0; i < 5; i++) {
      queue.schedule(10, i);
    }
    assertEquals(List.of(0L, 1L), drain(10, 2));
    assertEquals(3, queue.size());
    assertEquals(10, queue.nextDeadline());
    assertEquals(List.of(2L, 3L, 4L), drain(10, 3));
    assertEquals(List.of(), drain(10, 3));
  }

  @Test
  final void aLimitOf0HandsOutNothing() {
    queue.schedule(10, 1);
    assertEquals(List.of(), drain(10, 0));
    assertEquals(1, queue.size());
  }

  @Test
  final void aNegativeLimitIsRefused() {
    queue.schedule(10, 1);
    assertThrows(IllegalArgumentException.class, () -> drain(10, -1));
    assertEquals(1, queue.size());
  }

  @Test
  final void theItemHandedOutHasLeft() {
    long handle = queue.schedule(10, 1);
    queue.drain(10, 9, (left, deadline, cookie) -> {
      assertEquals(0, queue.size());
      assertEquals(Long.MAX_VALUE, queue.nextDeadline());
      assertFalse(queue.cancel(handle));
      assertFalse(queue.move(handle, 20));
    });
    assertEquals(0, queue.size());
  }

  @Test
  final void whatASinkSchedulesComesWithTheNextDrainAtTheEarliest() {
    queue.schedule(10, 1);
    queue.schedule(20, 2);
    List<Long> cookies = new ArrayList<>();
    queue.drain(100, Integer.MAX_VALUE, (left, deadline, cookie) -> {
      cookies.add(cookie);
      queue.schedule(deadline - 5, cookie + 10);
      queue.schedule(100, cookie + 20);
      queue.schedule(101, cookie + 30);
    });
    assertEquals(List.of(1L, 2L), cookies);
    assertEquals(6, queue.size());
    assertEquals(List.of(11L, 12L, 21L, 22L), drain(100));
    assertEquals(List.of(31L, 32L), drain(101));
  }

  @Test
  final void whatASinkSchedulesIsSeenAtOnce() {
    queue.schedule(10, 1);
    queue.schedule(90, 2);
    queue.drain(50, 1, (left, deadline, cookie) -> {
      long due = queue.schedule(40, 3);
      assertEquals(40, queue.nextDeadline());
      assertEquals(2, queue.size());
      assertTrue(queue.move(due, 30));
      assertEquals(30, queue.nextDeadline());
      assertTrue(queue.cancel(due));
      assertEquals(90, queue.nextDeadline());
      assertEquals(1, queue.size());
    });
    assertEquals(List.of(2L), drain(90));
  }

  @Test
  final void aSinkCancelsWhatIsDueButHasNotLeft() {
    queue.schedule(10, 1);
    long second = queue.schedule(20, 2);
    queue.schedule(30, 3);
    List<Long> cookies = new ArrayList<>();
    queue.drain(100, Integer.MAX_VALUE, (left, deadline, cookie) -> {
      cookies.add(cookie);
      assertEquals(cookie == 1, queue.cancel(second));
    });
    assertEquals(List.of(1L, 3L), cookies);
  }

  @Test
  final void whatASinkMovesComesWithTheNextDrainAtTheEarliest() {
    queue.schedule(10, 1);
    long later = queue.schedule(20, 2);
    long due = queue.schedule(30, 3);
    long notDue = queue.schedule(200, 4);
    queue.schedule(40, 5);
    List<Long> cookies = new ArrayList<>();
    queue.drain(100, Integer.MAX_VALUE, (left, deadline, cookie) -> {
      cookies.add(cookie);
      if (cookie == 1) {
        assertTrue(queue.move(later, 150));
        assertTrue(queue.move(due, 15));
        assertTrue(queue.move(notDue, 25));
        assertTrue(queue.move(notDue, 100));
      }
    });
    assertEquals(List.of(1L, 5L), cookies);
    assertEquals(List.of(3L, 4L), drain(100));
    assertEquals(List.of(2L), drain(150));
  }

  @Test
  final void anItemPutOffByASinkAgainAndAgainKeepsItsPlace() {
    queue.schedule(10, 0);
    long[] handle = {queue.schedule(1_000, 1)};
    for (long now = 10; now < 60; now += 10) {
      queue.drain(now, Integer.MAX_VALUE, (left, deadline, cookie) -> {
        queue.schedule(deadline + 10, cookie);
        // Due, then not due, within one drain.
        assertTrue(queue.move(handle[0], deadline));
        assertTrue(queue.move(handle[0], deadline + 1_000));
      });
      assertEquals(2, queue.size());
      assertEquals(now + 10, queue.nextDeadline());
    }
    assertTrue(queue.cancel(handle[0]));
    assertEquals(List.of(0L), drain(5_000));
  }

  @Test
  final void aSinkThatThrowsLeavesTheOthersInPlace() {
    long first = queue.schedule(10, 1);
    long second = queue.schedule(20, 2);
    queue.schedule(30, 3);
    IllegalStateException mishap = new IllegalStateException("mishap");
    assertSame(mishap, assertThrows(IllegalStateException.class, () -> queue.drain(30, 9, (left, deadline, cookie) -> {
      queue.schedule(5, 4);
      throw mishap;
    })));
    assertEquals(3, queue.size());
    assertFalse(queue.cancel(first));
    assertTrue(queue.move(second, 40));
    assertEquals(List.of(4L, 3L), drain(30));
    assertEquals(List.of(2L), drain(40));
  }

  @Test
  final void aSinkDoesNotDrainItsOwnQueue() {
    queue.schedule(10, 1);
    queue.schedule(20, 2);
    List<Long> cookies = new ArrayList<>();
    queue.drain(20, 9, (left, deadline, cookie) -> {
      assertThrows(IllegalStateException.class, () -> drain(20));
      cookies.add(cookie);
    });
    assertEquals(List.of(1L, 2L), cookies);
    queue.schedule(30, 3);
    assertEquals(List.of(3L), drain(30));
  }

  @Test
  final void aQueueThatRanEmptyServesAgainAndKnowsItsOldHandlesAsStale() {
    int many = 5_000;
    List<Long> old = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      old.add(queue.schedule(many - i, i));
    }
    assertEquals(many, drain(many).size());
    long fresh = queue.schedule(10, 1);
    assertTrue(old.stream().noneMatch(queue::cancel));
    for (int i = 0; i < many; i++) {
      assertNotEquals(fresh, queue.schedule(20, i));
    }
    assertTrue(old.stream().noneMatch(handle -> queue.move(handle, 5)));
    assertEquals(List.of(1L), drain(10));
    assertEquals(many, drain(20).size());
  }
}
