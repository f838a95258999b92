package dev.bide.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class HashedWheelTest extends TimerQueueContract {
  private final HashedWheel wheel = new HashedWheel(0, 1, 8);

  @Override
  TimerQueue create() {
    return new HashedWheel(1_030, 50, 8);
  }

  @Override
  boolean nextIsFirst() {
    return false;
  }

  private List<Long> drain(long now) {
    return drain(now, Integer.MAX_VALUE);
  }

  private List<Long> drain(long now, int limit) {
    List<Long> cookies = new ArrayList<>();
    wheel.drain(now, limit, (handle, deadline, cookie) -> cookies.add(cookie));
    return cookies;
  }

  /** Returns when the wheel is drained by someone who sleeps until its next deadline. */
  private List<Long> wakeUps() {
    List<Long> wakeUps = new ArrayList<>();
    while (wheel.size() > 0) {
      wakeUps.add(wheel.nextDeadline());
      drain(wheel.nextDeadline());
    }
    return wakeUps;
  }

  @Test
  void settingsThatAreNotPositiveAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new HashedWheel(-1, 1, 1));
    assertThrows(IllegalArgumentException.class, () -> new HashedWheel(0, 0, 1));
    assertThrows(IllegalArgumentException.class, () -> new HashedWheel(0, 1, 0));
    assertEquals(new TimerQueue.Spec(0, 1), new HashedWheel(0, 1, 1).spec());
    assertEquals(new TimerQueue.Spec(7, 50), new HashedWheel(7, 50, 8).spec());
  }

  @Test
  void slotsAndRoundsAreThoseOfTheWorkedExample() {
    HashedWheel tenths = new HashedWheel(0, 100, 512);
    for (long tick : new long[]{0, 100, 500, 5_000}) {
      tenths.drain(tick * 100, 1, (handle, deadline, cookie) -> {});
      long threeSeconds = tenths.tickOf(tick * 100 + 3_000);
      assertEquals((tick + 30) % 512, tenths.slotOf(threeSeconds));
      assertEquals(0, tenths.rounds(threeSeconds));
      long twoMinutes = tenths.tickOf(tick * 100 + 120_000);
      assertEquals((tick + 176) % 512, tenths.slotOf(twoMinutes));
      assertEquals(2, tenths.rounds(twoMinutes));
      assertEquals(0, tenths.rounds(tenths.tickOf(tick * 100 + 51_200)));
      assertEquals(1, tenths.rounds(tenths.tickOf(tick * 100 + 51_201)));
    }
  }

  @Test
  void itemsAreLateByTheRestOfTheirTick() {
    HashedWheel ticks = new HashedWheel(0, 50, 8);
    List<Long> delays = List.of(30L, 70L, 120L, 260L, 380L, 430L);
    assertEquals(List.of(1, 2, 3, 6, 0, 1),
        delays.stream().map(ticks::tickOf).map(ticks::slotOf).toList());
    delays.forEach(delay -> ticks.schedule(delay, delay));
    Map<Long, Long> errors = new HashMap<>();
    for (long now = 0; now <= 500; now++) {
      long time = now;
      ticks.drain(now, 9, (handle, deadline, cookie) -> errors.put(cookie, time - deadline));
    }
    assertEquals(List.of(20L, 30L, 30L, 40L, 20L, 20L), delays.stream().map(errors::get).toList());
    assertEquals(26.7, errors.values().stream().mapToLong(error -> error).average().orElseThrow(), 0.05);
  }

  @Test
  void whatComesBeyondTheEndOfTheRingIsNotATurnLate() {
    drain(6);
    // Turns would be 9 / 8 − 6 / 8 = 1, but its slot is visited first at its tick.
    wheel.schedule(9, 1);
    assertEquals(0, wheel.rounds(9));
    assertEquals(List.of(), drain(8));
    assertEquals(List.of(1L), drain(9));
    for (long deadline = 10; deadline < 200; deadline++) {
      wheel.schedule(deadline, deadline);
    }
    for (long now = 10; now < 200; now++) {
      assertEquals(List.of(now), drain(now));
    }
  }

  @Test
  void aWheelThatLagsBehindIsNotEarly() {
    // At 20 nobody has drained yet. From then on there would be (25 − 20 − 1) / 8 = 0 rounds, but the slot of tick 1 is
    // still to be visited three times, at 1, 9 and 17, before it is that of tick 25.
    wheel.schedule(25, 1);
    assertEquals(3, wheel.rounds(25));
    assertEquals(List.of(), drain(20));
    assertEquals(List.of(), drain(24));
    assertEquals(List.of(1L), drain(25));
  }

  @Test
  void aWheelThatLagsBehindAsADrainReachedItsLimitIsNotEarly() {
    wheel.schedule(1, 1);
    wheel.schedule(3, 2);
    assertEquals(List.of(1L), drain(7, 1));
    // The slot of 10 is still to be visited at 2, though it is 7 now.
    wheel.schedule(10, 3);
    assertEquals(1, wheel.rounds(10));
    assertEquals(List.of(2L), drain(9));
    assertEquals(List.of(3L), drain(10));
  }

  @Test
  void aJumpOverMoreThanATurnKeepsTheOrder() {
    for (long deadline : new long[]{30, 9, 17, 12, 9, 8, 25, 26, 1}) {
      wheel.schedule(deadline, deadline);
    }
    assertEquals(List.of(1L, 8L, 9L), drain(25, 3));
    long late = wheel.schedule(12, 13);
    wheel.schedule(12, 14);
    wheel.schedule(26, 27);
    assertTrue(wheel.cancel(late));
    assertEquals(9, wheel.nextDeadline());
    assertEquals(List.of(9L, 12L, 14L, 17L, 25L), drain(25));
    assertEquals(26, wheel.nextDeadline());
    assertEquals(List.of(26L, 27L, 30L), drain(30));
  }

  @Test
  void aSlotIsLeftAndGoneOnWithWhereALimitIsReached() {
    for (long cookie = 0; cookie < 6; cookie++) {
      wheel.schedule(3, cookie);
      wheel.schedule(19, 10 + cookie);
    }
    assertEquals(List.of(0L, 1L), drain(5, 2));
    long later = wheel.schedule(3, 6);
    wheel.schedule(4, 7);
    assertEquals(3, wheel.nextDeadline());
    assertEquals(List.of(2L), drain(5, 1));
    wheel.schedule(2, 8);
    assertTrue(wheel.cancel(later));
    assertEquals(List.of(8L, 3L, 4L, 5L, 7L), drain(18));
    assertEquals(List.of(10L, 11L, 12L, 13L), drain(19, 4));
    assertEquals(List.of(14L, 15L), drain(19));
    assertEquals(0, wheel.size());
  }

  @Test
  void nobodyWakesUpForAnEmptySlotAndOnceARoundForWhatWaits() {
    wheel.schedule(3, 1);
    wheel.schedule(20, 2);
    wheel.schedule(21, 3);
    long cancelled = wheel.schedule(22, 4);
    assertTrue(wheel.cancel(cancelled));
    assertEquals(List.of(3L, 4L, 5L, 12L, 13L, 20L, 21L), wakeUps());
  }

  @Test
  void cancelledItemsDoNotCountAndWakeNobody() {
    List<Long> handles = LongStream.range(0, 100).map(i -> wheel.schedule(i, i)).boxed().toList();
    assertEquals(List.of(0L), drain(0));
    handles.subList(1, 99).forEach(wheel::cancel);
    assertEquals(1, wheel.size());
    assertFalse(wheel.cancel(handles.get(0)));
    assertFalse(wheel.cancel(handles.get(50)));
    assertEquals(LongStream.rangeClosed(0, 12).mapToObj(round -> 3 + 8 * round).toList(), wakeUps());
  }

  @Test
  void aJumpOverCountlessRoundsEnds() {
    long far = 1L << 60;
    wheel.schedule(far + 5, 1);
    wheel.schedule(far + 4, 2);
    wheel.schedule(far / 2, 3);
    wheel.schedule(7, 4);
    assertEquals(List.of(4L, 3L), drain(far));
    assertEquals(List.of(), drain(far + 3));
    assertEquals(far + 4, wheel.nextDeadline());
    assertEquals(List.of(2L, 1L), drain(Long.MAX_VALUE));
    wheel.schedule(5, 5);
    assertEquals(5, wheel.nextDeadline());
    assertEquals(List.of(5L), drain(5));
  }

  @Test
  void aRingOfOneSlotServes() {
    HashedWheel one = new HashedWheel(0, 10, 1);
    List<Long> drained = new ArrayList<>();
    for (long deadline : new long[]{25, 11, 40, 5}) {
      one.schedule(deadline, deadline);
    }
    assertEquals(10, one.nextDeadline());
    one.drain(30, 9, (handle, deadline, cookie) -> drained.add(cookie));
    assertEquals(List.of(5L, 11L, 25L), drained);
    assertEquals(40, one.nextDeadline());
  }
}
