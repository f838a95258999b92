package dev.bide.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random steps on a timer queue and on a sorted set, which must always agree. A failure names its seed;
 * {@code -Dbide.seed=…} runs that one alone and {@code -Dbide.seeds=…} so many.
 */
class TimerQueueModelTest {
  private static final int STEPS = 2_000;

  private record Item(long deadline, long order, long cookie) {}

  static List<Long> seeds() {
    Long only = Long.getLong("bide.seed");
    return only != null ? List.of(only) : new Random().longs(Integer.getInteger("bide.seeds", 40)).boxed().toList();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void indexedHeapAgreesWithASortedSet(long seed) {
    // Now and then it starts where the numbers of its items wrap.
    new Run(new IndexedHeap(seed % 2 == 0 ? 0 : (1L << 32) - 500), new Random(seed)).steps();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void hierarchicalWheelAgreesWithASortedSet(long seed) {
    new Run(new HierarchicalWheel((int) (seed & 7) * 3), new Random(seed)).steps();
  }

  /**
   * One random run. The item's cookie is its name; its handle is kept for good, so that stale ones are used as well.
   */
  private static final class Run {
    private final TimerQueue queue;
    private final Random random;
    private final TreeSet<Item> model = new TreeSet<>(
        Comparator.comparingLong(Item::deadline).thenComparingLong(Item::order));
    private final Map<Long, Item> live = new HashMap<>();
    private final List<Long> handles = new ArrayList<>();
    private final int spread;
    private final int growth;
    private long now;
    private long order;

    Run(TimerQueue queue, Random random) {
      this.queue = queue;
      this.random = random;
      spread = 1 << random.nextInt(12);
      growth = 1 + random.nextInt(8);
    }

    void steps() {
      for (int step = 0; step < STEPS; step++) {
        if (random.nextInt(10) == 0) {
          drain();
        } else {
          change();
        }
        assertSame();
      }
      now = Long.MAX_VALUE;
      while (queue.size() > 0) {
        drain();
      }
      assertSame();
    }

    private void assertSame() {
      assertEquals(model.size(), queue.size());
      long next = model.isEmpty() ? Long.MAX_VALUE : model.first().deadline;
      if (queue instanceof HierarchicalWheel) {
        assertTrue(next >= queue.nextDeadline());
      } else {
        assertEquals(next, queue.nextDeadline());
      }
    }

    private void change() {
      switch (random.nextInt(2 + growth)) {
        case 0 -> cancel();
        case 1 -> move();
        default -> schedule();
      }
    }

    private long someDeadline() {
      return random.nextInt(100) == 0 ? Long.MAX_VALUE : Math.max(0, now + random.nextInt(spread) - spread / 4);
    }

    private int someCookie() {
      // The latest ones are more likely to be live still.
      int back = random.nextBoolean() ? random.nextInt(Math.min(10, handles.size())) : random.nextInt(handles.size());
      return handles.size() - 1 - back;
    }

    private void schedule() {
      long cookie = handles.size();
      long deadline = someDeadline();
      long handle = queue.schedule(deadline, cookie);
      assertTrue(handle != 0);
      handles.add(handle);
      remember(cookie, deadline);
    }

    private void remember(long cookie, long deadline) {
      Item item = new Item(deadline, order++, cookie);
      live.put(cookie, item);
      model.add(item);
    }

    private boolean forget(long cookie) {
      Item item = live.remove(cookie);
      return item != null && model.remove(item);
    }

    private void cancel() {
      if (!handles.isEmpty()) {
        int cookie = someCookie();
        assertEquals(forget(cookie), queue.cancel(handles.get(cookie)));
      }
    }

    private void move() {
      if (!handles.isEmpty()) {
        int cookie = someCookie();
        long deadline = someDeadline();
        boolean moved = forget(cookie);
        if (moved) {
          remember(cookie, deadline);
        }
        assertEquals(moved, queue.move(handles.get(cookie), deadline));
      }
    }

    private void drain() {
      now = Math.max(now, now + random.nextInt(spread));
      int limit = random.nextInt(4) == 0 ? random.nextInt(5) : Integer.MAX_VALUE;
      boolean callsBack = random.nextBoolean();
      boolean throwsOnce = random.nextInt(8) == 0;
      long orderBefore = order;
      int[] count = {0};
      try {
        int drained = queue.drain(now, limit, (left, deadline, cookie) -> {
          assertEquals(expected(orderBefore), new Item(deadline, 0, cookie));
          forget(cookie);
          count[0]++;
          for (int i = random.nextInt(4); callsBack && i > 0; i--) {
            change();
            assertSame();
          }
          if (throwsOnce && random.nextBoolean()) {
            throw new Mishap();
          }
        });
        assertEquals(count[0], drained);
        assertTrue(drained == limit || none(orderBefore));
      } catch (Mishap e) {
        assertTrue(throwsOnce);
      }
      assertTrue(count[0] <= limit);
    }

    /** Returns the first item that is due and was so before the drain began. */
    private Item expected(long orderBefore) {
      for (Item item : model.headSet(new Item(now, Long.MAX_VALUE, 0))) {
        if (item.order < orderBefore) {
          return new Item(item.deadline, 0, item.cookie);
        }
      }
      throw new AssertionError("nothing is due at " + now);
    }

    private boolean none(long orderBefore) {
      return model.headSet(new Item(now, Long.MAX_VALUE, 0)).stream().allMatch(item -> item.order >= orderBefore);
    }
  }

  private static final class Mishap extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
