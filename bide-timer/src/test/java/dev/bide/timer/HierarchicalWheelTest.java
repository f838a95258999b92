package dev.bide.timer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HierarchicalWheelTest extends TimerQueueContract {
  private static final int MANY = 100_000;

  @Override
  TimerQueue create() {
    return new HierarchicalWheel(4);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 41})
  void ticksHaveALimit(int tickBits) {
    IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
        () -> new HierarchicalWheel(tickBits));
    assertEquals("tickBits must be from 0 to 40, got " + tickBits, e.getMessage());
  }

  /** A few are sorted by comparing, some hundred by digits, and from 32,768 on they are spread out first. */
  @ParameterizedTest
  @CsvSource({"20, 300", "20, 3_000", "20, 100_000", "40, 100_000", "13, 100_000", "7, 100_000", "1, 100_000"})
  void itemsOfOneTickAreSorted(int tickBits, int items) {
    TimerQueue wheel = new HierarchicalWheel(tickBits);
    SplittableRandom random = new SplittableRandom(42);
    long tick = 1L << tickBits;
    // Behind a tick that has come already, and cut into a few deadlines, so that many are the same.
    long[] deadlines = LongStream.generate(() -> 3 * tick + random.nextLong(tick) / 100 * 100).limit(items).toArray();
    long[] handles = new long[items];
    for (int item = 0; item < items; item++) {
      handles[item] = wheel.schedule(deadlines[item], item);
    }
    int[] expected = IntStream.range(0, items).filter(item -> item % 3 != 0).boxed()
        .sorted(Comparator.comparingLong(item -> deadlines[item])).mapToInt(Integer::intValue).toArray();
    int[] drained = new int[expected.length];
    int[] count = {0};
    for (int item = 0; item < items; item += 6) {
      assertTrue(wheel.cancel(handles[item]));
    }
    // Half of those that are cancelled are so when the tick has been sorted or spread out.
    while (wheel.size() > 0) {
      wheel.drain(Long.MAX_VALUE, 1, (handle, deadline, item) -> {
        if (item % 3 != 0) {
          drained[count[0]++] = (int) item;
        }
      });
      if (count[0] == 1) {
        for (int item = 3; item < items; item += 6) {
          wheel.cancel(handles[item]);
        }
      }
    }
    assertArrayEquals(expected, drained);
  }

  @Test
  void itemsOfOneDeadlineStayAsTheyCame() {
    TimerQueue wheel = new HierarchicalWheel(20);
    for (int item = 0; item < MANY; item++) {
      wheel.schedule(5 << 20, item);
    }
    int[] next = {0};
    assertEquals(MANY, wheel.drain(5 << 20, MANY, (handle, deadline, item) -> assertEquals(next[0]++, item)));
  }

  @Test
  void lateOnesTakeTheirPlaceInASpreadOutTick() {
    TimerQueue wheel = new HierarchicalWheel(20);
    for (int item = 0; item < MANY; item++) {
      wheel.schedule((1 << 20) + (MANY - item) * 10, item);
    }
    assertEquals(0, wheel.drain(1 << 20, MANY, (handle, deadline, item) -> {}));
    long[] before = {0};
    for (int item = 0; item < MANY; item++) {
      wheel.schedule((1 << 20) + item * 10 + 5, item);
      if (item % 1_000 == 0) {
        // Two for each 10 that have passed.
        assertEquals(item == 0 ? 1 : 2_000, wheel.drain((1 << 20) + item * 10 + 5, MANY, (handle, deadline, left) -> {
          assertTrue(deadline > before[0]);
          before[0] = deadline;
        }));
      }
    }
  }

  @Test
  void aSpreadOutTickGoesOnWithTime() {
    TimerQueue wheel = new HierarchicalWheel(20);
    for (int item = 0; item < MANY; item++) {
      wheel.schedule((1 << 20) + (MANY - item) * 10, item);
    }
    for (int now = 1 << 20; now <= (1 << 20) + MANY * 10; now += 12_345) {
      long until = now;
      wheel.drain(now, MANY, (handle, deadline, item) -> assertTrue(deadline <= until, "early"));
      assertEquals(MANY - (now - (1 << 20)) / 10, wheel.size());
      assertTrue(wheel.nextDeadline() > now && wheel.nextDeadline() <= now + 10);
      // Late ones come between.
      wheel.schedule(now, MANY);
      assertEquals(now, wheel.nextDeadline());
      assertEquals(1, wheel.drain(now, MANY, (handle, deadline, item) -> assertEquals(MANY, item)));
    }
  }
}
