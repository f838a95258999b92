package dev.bide.timer;

import static java.util.Comparator.comparingLong;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Every promise of {@link TimerQueue}; an implementation's test extends it. The unit of deadlines is the queue's tick,
 * counted from its start, where a test says nothing else.
 */
abstract class TimerQueueContract {
  private final TimerQueue queue = create();
  private final TimerQueue.Spec spec = queue.spec();

  /** Returns an empty queue. */
  abstract TimerQueue create();

  /** Returns whether the next deadline of a few items is that of the first, and no earlier moment. */
  boolean nextIsFirst() {
    return true;
  }

  private long at(long ticks) {
    return spec.start() + ticks * spec.tick();
  }

  private long schedule(long deadline, long cookie) {
    return queue.schedule(at(deadline), cookie);
  }

  private boolean move(long handle, long deadline) {
    return queue.move(handle, at(deadline));
  }

  private List<Long> drain(long now) {
    return drain(now, Integer.MAX_VALUE);
  }

  private List<Long> drain(long now, int limit) {
    return drainAt(at(now), limit);
  }

  private List<Long> drainAt(long now, int limit) {
    List<Long> cookies = new ArrayList<>();
    int drained = queue.drain(now, limit, (left, deadline, cookie) -> {
      assertTrue(spec.dueAt(deadline) <= now, "early");
      cookies.add(cookie);
    });
    assertEquals(cookies.size(), drained);
    return cookies;
  }

  private void drain(long now, int limit, TimerQueue.Sink sink) {
    queue.drain(at(now), limit,
        (left, deadline, cookie) -> sink.accept(left, (deadline - spec.start()) / spec.tick(), cookie));
  }

  private void assertNext(long deadline) {
    assertTrue(queue.nextDeadline() <= at(deadline), "late");
    if (nextIsFirst()) {
      assertEquals(at(deadline), queue.nextDeadline());
    }
  }

  @Test
  final void anEmptyQueueHasNoDeadlineAndNothingToDrain() {
    assertEquals(0, queue.size());
    assertEquals(Long.MAX_VALUE, queue.nextDeadline());
    assertEquals(List.of(), drain(Long.MAX_VALUE));
  }

  @Test
  final void anItemLeavesAtItsDeadlineAndNotBefore() {
    schedule(100, 7);
    assertEquals(List.of(), drain(99));
    assertEquals(List.of(), drainAt(at(100) - 1, 1));
    assertEquals(1, queue.size());
    assertNext(100);
    assertEquals(List.of(7L), drain(100));
    assertEquals(0, queue.size());
    assertEquals(Long.MAX_VALUE, queue.nextDeadline());
  }

  @Test
  final void anItemLeavesOnceHoweverLateTheDrainComes() {
    schedule(100, 7);
    assertEquals(List.of(7L), drain(1_000_000));
    assertEquals(List.of(), drain(1_000_000));
  }

  @Test
  final void theSinkIsToldTheDeadlineAndTheCookie() {
    schedule(100, Long.MIN_VALUE);
    drain(500, 1, (left, deadline, cookie) -> {
      assertEquals(100, deadline);
      assertEquals(Long.MIN_VALUE, cookie);
    });
    assertEquals(0, queue.size());
  }

  @Test
  final void itemsLeaveByDeadline() {
    for (long deadline : new long[]{5, 3, 9, 1, 7, 8, 2, 6, 4, 0}) {
      schedule(deadline, deadline);
    }
    assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 5L), drain(5));
    assertEquals(List.of(6L, 7L, 8L, 9L), drain(9));
  }

  @Test
  final void aDeadlineWithinATickIsDueWhenTheTickHasCome() {
    for (long before : new long[]{0, 1, spec.tick() / 2, spec.tick() - 1}) {
      queue.schedule(at(10) - before % spec.tick(), before);
    }
    assertEquals(List.of(), drainAt(at(10) - 1, 9));
    assertEquals(List.of(0L, 1L, spec.tick() / 2, spec.tick() - 1), drainAt(at(10), 9));
  }

  @Test
  final void whatIsDueTogetherLeavesInTheOrderItCame() {
    queue.schedule(at(10), 1);
    queue.schedule(at(9) + 1, 2);
    queue.schedule(at(9), 3);
    assertEquals(List.of(3L, 1L, 2L), drain(10));
  }

  @Test
  final void itemsYearsApartLeaveByDeadline() {
    List<Long> deadlines = IntStream.range(2, Long.SIZE).mapToObj(shift -> at(1) + (Long.MIN_VALUE >>> shift)).toList();
    deadlines.forEach(deadline -> queue.schedule(deadline, deadline));
    List<Long> ordered = deadlines.stream().sorted(comparingLong(spec::dueAt)).toList();
    List<Long> drained = drainAt(1L << 40, Integer.MAX_VALUE);
    assertEquals(ordered.subList(0, drained.size()), drained);
    drained.addAll(drainAt(Long.MAX_VALUE, Integer.MAX_VALUE));
    assertEquals(ordered, drained);
  }

  @Test
  final void itemsOfOneDeadlineLeaveInTheOrderTheyCame() {
    List<Long> cookies = LongStream.range(0, 100).boxed().toList();
    cookies.forEach(cookie -> schedule(10, cookie));
    assertEquals(cookies, drain(10));
  }

  @Test
  final void aCancelledItemNeverLeaves() {
    schedule(10, 1);
    long handle = schedule(10, 2);
    schedule(10, 3);
    assertTrue(queue.cancel(handle));
    assertEquals(2, queue.size());
    assertEquals(List.of(1L, 3L), drain(10));
  }

  @Test
  final void cancellingTheFirstMakesTheSecondTheNext() {
    long handle = schedule(10, 1);
    schedule(20, 2);
    queue.cancel(handle);
    assertNext(20);
  }

  @Test
  final void anItemIsCancelledOnce() {
    long handle = schedule(10, 1);
    assertTrue(queue.cancel(handle));
    assertFalse(queue.cancel(handle));
    assertFalse(move(handle, 20));
    assertEquals(0, queue.size());
  }

  @Test
  final void anItemThatHasLeftIsNotCancelledOrMoved() {
    long handle = schedule(10, 1);
    drain(10);
    assertFalse(queue.cancel(handle));
    assertFalse(move(handle, 20));
    assertEquals(0, queue.size());
  }

  @Test
  final void aStaleHandleDoesNotHitTheItemThatCameAfter() {
    long cancelled = schedule(10, 1);
    queue.cancel(cancelled);
    long drained = schedule(10, 2);
    drain(10);
    schedule(10, 3);
    for (long stale : new long[]{cancelled, drained}) {
      assertFalse(queue.cancel(stale));
      assertFalse(move(stale, 20));
    }
    assertEquals(List.of(3L), drain(10));
  }

  @Test
  final void aHandleThatWasNeverGivenHitsNothing() {
    for (long never : new long[]{0, 1, -1, 1L << 32, Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertFalse(queue.cancel(never));
    }
    long handle = schedule(10, 1);
    for (long never : new long[]{0, -1, ~handle, handle + 1, handle + (1L << 32), Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertFalse(queue.cancel(never));
      assertFalse(move(never, 5));
    }
    assertEquals(List.of(1L), drain(10));
  }

  @Test
  final void handlesAreNotGivenAgainAndNever0() {
    Set<Long> handles = new HashSet<>(Set.of(0L));
    for (int round = 0; round < 100; round++) {
      for (int i = 0; i < 100; i++) {
        assertTrue(handles.add(schedule(i, i)));
      }
      assertEquals(100, drain(100).size());
    }
  }

  @Test
  final void theIndexInAHandleIsLessThanTheMostItemsHeldAtOnce() {
    List<Long> handles = new ArrayList<>();
    for (int most = 1; most < 50; most++) {
      handles.add(schedule(most, most));
      for (int round = 0; round < 5; round++) {
        int some = round * 7 % most;
        assertTrue(move(handles.get(some), most));
        assertTrue(queue.cancel(handles.get(some)));
        handles.set(some, schedule(most + round, round));
      }
      int[] indexes = handles.stream().mapToInt(Long::intValue).sorted().toArray();
      assertArrayEquals(IntStream.range(0, most).toArray(), indexes);
    }
  }

  @Test
  final void aMovedItemLeavesAtItsNewDeadline() {
    long earlier = schedule(100, 1);
    long later = schedule(100, 2);
    schedule(100, 3);
    assertTrue(move(earlier, 50));
    assertTrue(move(later, 150));
    assertEquals(3, queue.size());
    assertNext(50);
    assertEquals(List.of(), drain(49));
    assertEquals(List.of(1L), drain(50));
    assertEquals(List.of(3L), drain(149));
    assertEquals(List.of(2L), drain(150));
  }

  @Test
  final void aMovedItemKeepsItsHandle() {
    long handle = schedule(100, 1);
    move(handle, 50);
    assertTrue(move(handle, 70));
    assertTrue(queue.cancel(handle));
    assertEquals(List.of(), drain(100));
  }

  @Test
  final void aMovedItemComesLastAmongItsNewEquals() {
    long handle = schedule(5, 1);
    schedule(10, 2);
    schedule(10, 3);
    move(handle, 10);
    assertEquals(List.of(2L, 3L, 1L), drain(10));
  }

  @Test
  final void anItemMovedToTheDeadlineItHasComesLastAmongItsEquals() {
    long handle = schedule(10, 1);
    schedule(10, 2);
    move(handle, 10);
    assertEquals(List.of(2L, 1L), drain(10));
  }

  @Test
  final void negativeDeadlinesAreRefusedAndChangeNothing() {
    long handle = schedule(10, 1);
    assertThrows(IllegalArgumentException.class, () -> queue.schedule(-1, 2));
    assertThrows(IllegalArgumentException.class, () -> queue.schedule(Long.MIN_VALUE, 2));
    assertThrows(IllegalArgumentException.class, () -> queue.move(handle, -1));
    assertEquals(1, queue.size());
    assertEquals(List.of(1L), drain(10));
  }

  @Test
  final void deadline0IsDueFromTheFirstAndNotBefore() {
    queue.schedule(0, 1);
    long due = spec.dueAt(0);
    assertTrue(queue.nextDeadline() <= due);
    assertEquals(List.of(), drainAt(due - 1, 1));
    assertEquals(List.of(), drainAt(-1, 1));
    assertEquals(List.of(), drainAt(Long.MIN_VALUE, 1));
    assertEquals(List.of(1L), drainAt(due, 1));
  }

  @Test
  final void theGreatestDeadlineIsDueAtTheGreatestNowOnly() {
    long second = Long.MAX_VALUE - spec.tick();
    queue.schedule(Long.MAX_VALUE, 1);
    queue.schedule(second, 2);
    assertTrue(queue.nextDeadline() <= spec.dueAt(second));
    assertEquals(List.of(2L), drainAt(Long.MAX_VALUE - 1, 9));
    assertEquals(1, queue.size());
    assertEquals(List.of(1L), drainAt(Long.MAX_VALUE, 9));
    queue.schedule(Long.MAX_VALUE, 3);
    queue.schedule(at(10), 4);
    assertEquals(List.of(4L, 3L), drainAt(Long.MAX_VALUE, 9));
  }

  @Test
  final void aDrainHandsOutNoMoreThanItsLimit() {
    for (long i = 0; i < 5; i++) {
      schedule(10, i);
    }
    assertEquals(List.of(0L, 1L), drain(10, 2));
    assertEquals(3, queue.size());
    assertNext(10);
    assertEquals(List.of(2L, 3L, 4L), drain(10, 3));
    assertEquals(List.of(), drain(10, 3));
  }

  @Test
  final void aLimitOf0HandsOutNothing() {
    schedule(10, 1);
    assertEquals(List.of(), drain(10, 0));
    assertEquals(1, queue.size());
  }

  @Test
  final void aNegativeLimitIsRefused() {
    schedule(10, 1);
    assertThrows(IllegalArgumentException.class, () -> drain(10, -1));
    assertEquals(1, queue.size());
  }

  @Test
  final void whatComesLateLeavesBeforeWhatWasDueLater() {
    for (long deadline = 10; deadline < 14; deadline++) {
      schedule(deadline, deadline);
    }
    assertEquals(List.of(10L), drain(20, 1));
    schedule(11, 1);
    schedule(9, 2);
    schedule(20, 3);
    schedule(10, 4);
    assertEquals(List.of(2L, 4L, 11L, 1L, 12L, 13L, 3L), drain(20));
  }

  @Test
  final void nothingIsEarlyWhereNowGoesBack() {
    for (long deadline = 10; deadline < 50; deadline += 10) {
      schedule(deadline, deadline);
    }
    assertEquals(List.of(10L, 20L), drain(100, 2));
    schedule(60, 60);
    schedule(25, 25);
    assertEquals(List.of(), drain(24));
    assertEquals(List.of(25L), drain(29));
    assertEquals(List.of(30L), drain(30));
    assertEquals(List.of(40L), drain(59));
    assertEquals(List.of(60L), drain(60));
  }

  @Test
  final void whoeverDrainsAtTheNextDeadlineIsNeverLateAndAlwaysGoesOn() {
    Random random = new Random(1);
    for (long i = 0; i < 300; i++) {
      queue.schedule(at(random.nextInt(1_000)) + random.nextLong(spec.tick()), i);
    }
    for (long now = 0; queue.size() > 0;) {
      long next = queue.nextDeadline();
      assertTrue(next >= now && next < Long.MAX_VALUE);
      queue.drain(next, Integer.MAX_VALUE, (left, deadline, cookie) -> assertEquals(spec.dueAt(deadline), next));
      now = next + 1;
    }
  }

  @Test
  final void theItemHandedOutHasLeft() {
    long handle = schedule(10, 1);
    drain(10, 9, (left, deadline, cookie) -> {
      assertEquals(0, queue.size());
      assertEquals(Long.MAX_VALUE, queue.nextDeadline());
      assertFalse(queue.cancel(handle));
      assertFalse(move(handle, 20));
    });
    assertEquals(0, queue.size());
  }

  @Test
  final void whatASinkSchedulesComesWithTheNextDrainAtTheEarliest() {
    schedule(10, 1);
    schedule(20, 2);
    List<Long> cookies = new ArrayList<>();
    drain(100, Integer.MAX_VALUE, (left, deadline, cookie) -> {
      cookies.add(cookie);
      schedule(deadline - 5, cookie + 10);
      schedule(100, cookie + 20);
      schedule(101, cookie + 30);
    });
    assertEquals(List.of(1L, 2L), cookies);
    assertEquals(6, queue.size());
    assertEquals(List.of(11L, 12L, 21L, 22L), drain(100));
    assertEquals(List.of(31L, 32L), drain(101));
  }

  @Test
  final void whatASinkSchedulesIsSeenAtOnce() {
    schedule(10, 1);
    schedule(90, 2);
    drain(50, 1, (left, deadline, cookie) -> {
      long due = schedule(40, 3);
      assertNext(40);
      assertEquals(2, queue.size());
      assertTrue(move(due, 30));
      assertNext(30);
      assertTrue(queue.cancel(due));
      assertNext(90);
      assertEquals(1, queue.size());
    });
    assertEquals(List.of(2L), drain(90));
  }

  @Test
  final void aSinkCancelsWhatIsDueButHasNotLeft() {
    schedule(10, 1);
    long second = schedule(20, 2);
    schedule(30, 3);
    List<Long> cookies = new ArrayList<>();
    drain(100, Integer.MAX_VALUE, (left, deadline, cookie) -> {
      cookies.add(cookie);
      assertEquals(cookie == 1, queue.cancel(second));
    });
    assertEquals(List.of(1L, 3L), cookies);
  }

  @Test
  final void whatASinkMovesComesWithTheNextDrainAtTheEarliest() {
    schedule(10, 1);
    long later = schedule(20, 2);
    long due = schedule(30, 3);
    long notDue = schedule(200, 4);
    schedule(40, 5);
    List<Long> cookies = new ArrayList<>();
    drain(100, Integer.MAX_VALUE, (left, deadline, cookie) -> {
      cookies.add(cookie);
      if (cookie == 1) {
        assertTrue(move(later, 150));
        assertTrue(move(due, 15));
        assertTrue(move(notDue, 25));
        assertTrue(move(notDue, 100));
      }
    });
    assertEquals(List.of(1L, 5L), cookies);
    assertEquals(List.of(3L, 4L), drain(100));
    assertEquals(List.of(2L), drain(150));
  }

  @Test
  final void anItemPutOffByASinkAgainAndAgainKeepsItsPlace() {
    schedule(10, 0);
    long[] handle = {schedule(1_000, 1)};
    for (long now = 10; now < 60; now += 10) {
      drain(now, Integer.MAX_VALUE, (left, deadline, cookie) -> {
        schedule(deadline + 10, cookie);
        // Due, then not due, within one drain.
        assertTrue(move(handle[0], deadline));
        assertTrue(move(handle[0], deadline + 1_000));
      });
      assertEquals(2, queue.size());
      assertNext(now + 10);
    }
    assertTrue(queue.cancel(handle[0]));
    assertEquals(List.of(0L), drain(5_000));
  }

  @Test
  final void aSinkThatThrowsLeavesTheOthersInPlace() {
    long first = schedule(10, 1);
    long second = schedule(20, 2);
    schedule(30, 3);
    IllegalStateException mishap = new IllegalStateException("mishap");
    assertSame(mishap, assertThrows(IllegalStateException.class, () -> drain(30, 9, (left, deadline, cookie) -> {
      schedule(5, 4);
      throw mishap;
    })));
    assertEquals(3, queue.size());
    assertFalse(queue.cancel(first));
    assertTrue(move(second, 40));
    assertEquals(List.of(4L, 3L), drain(30));
    assertEquals(List.of(2L), drain(40));
  }

  @Test
  final void aSinkDoesNotDrainItsOwnQueue() {
    schedule(10, 1);
    schedule(20, 2);
    List<Long> cookies = new ArrayList<>();
    drain(20, 9, (left, deadline, cookie) -> {
      assertThrows(IllegalStateException.class, () -> drain(20));
      cookies.add(cookie);
    });
    assertEquals(List.of(1L, 2L), cookies);
    schedule(30, 3);
    assertEquals(List.of(3L), drain(30));
  }

  @Test
  final void aQueueThatRanEmptyServesAgainAndKnowsItsOldHandlesAsStale() {
    int many = 5_000;
    List<Long> old = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      old.add(schedule(many - i, i));
    }
    assertEquals(many, drain(many).size());
    long fresh = schedule(10, 1);
    assertTrue(old.stream().noneMatch(queue::cancel));
    for (int i = 0; i < many; i++) {
      assertNotEquals(fresh, schedule(20, i));
    }
    assertTrue(old.stream().noneMatch(handle -> move(handle, 5)));
    assertEquals(List.of(1L), drain(10));
    assertEquals(many, drain(20).size());
  }
}
