package dev.bide.timer;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random steps on a timer queue and on a sorted set, which must always agree. A failure names its seed;
 * {@code -Dbide.seed=…} runs that one alone and {@code -Dbide.seeds=…} so many; {@code -Dbide.long=true} takes millions
 * of steps with each engine.
 */
class TimerQueueModelTest {
  private static final boolean LONG = Boolean.getBoolean("bide.long");
  private static final int SEEDS = LONG ? 500 : 30;
  private static final int STEPS = LONG ? 10_000 : 2_000;

  // The engines, set up differently by each seed.
  private static final Map<String, LongFunction<TimerQueue>> ENGINES = new TreeMap<>();

  static {
    // Now and then it starts where the numbers of its items wrap.
    ENGINES.put("IndexedHeap", seed -> new IndexedHeap(seed % 2 == 0 ? 0 : (1L << 32) - 500));
    ENGINES.put("BinaryHeap", seed -> new BinaryHeap());
    ENGINES.put("TieredHeap", seed -> new TieredHeap(1L << (seed & 31)));
    ENGINES.put("HashedWheel",
        seed -> new HashedWheel(seed & 0xff, 1 + (seed >>> 8 & 63), 1 + (int) (seed >>> 14 & 63)));
    // Now and then it spreads out ticks that have more than two items.
    ENGINES.put("HierarchicalWheel",
        seed -> new HierarchicalWheel((int) (seed & 15) * 2, (seed & 16) == 0 ? 2 : Sorting.MOST));
  }

  private record Item(long due, long order, long deadline, long cookie) {}

  static Stream<Arguments> runs() {
    Long only = Long.getLong("bide.seed");
    List<Long> seeds = only != null
        ? List.of(only)
        : new Random().longs(Integer.getInteger("bide.seeds", SEEDS)).boxed().toList();
    return ENGINES.keySet().stream().flatMap(engine -> seeds.stream().map(seed -> Arguments.of(engine, seed)));
  }

  @ParameterizedTest(name = "{0}, seed {1}")
  @MethodSource("runs")
  void agreesWithASortedSet(String engine, long seed) {
    new Run(engine, seed).steps();
  }

  /**
   * One random run. The item's cookie is its name; its handle is kept for good, so that stale ones are used as well.
   */
  private static final class Run {
    private final TimerQueue queue;
    private final TimerQueue.Spec spec;
    private final boolean nextIsFirst;
    private final Random random;
    private final TreeSet<Item> model = new TreeSet<>(
        Comparator.comparingLong(Item::due).thenComparingLong(Item::order));
    private final Map<Long, Item> live = new HashMap<>();
    private final List<Long> handles = new ArrayList<>();
    // How far ahead deadlines are, one in how many is much farther, and how many schedules there are to a cancel.
    private final int spread;
    private final int far;
    private final int growth;
    private long now;
    private long order;

    Run(String engine, long seed) {
      queue = requireNonNull(ENGINES.get(engine)).apply(seed);
      spec = queue.spec();
      // Wheels say when they want to turn.
      nextIsFirst = !engine.endsWith("Wheel");
      random = new Random(seed);
      spread = 1 << random.nextInt(12);
      far = 1 + random.nextInt(50);
      growth = 1 + random.nextInt(8);
      now = random.nextBoolean() ? 0 : somewhere();
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
        drain(now);
      }
      assertSame();
    }

    private void assertSame() {
      assertEquals(model.size(), queue.size());
      long next = queue.nextDeadline();
      if (model.isEmpty()) {
        assertEquals(Long.MAX_VALUE, next);
      } else if (nextIsFirst) {
        assertEquals(model.first().deadline, next);
      } else {
        assertTrue(next <= model.first().due, "would wake up late");
      }
    }

    private void change() {
      switch (random.nextInt(2 + growth)) {
        case 0 -> cancel();
        case 1 -> move();
        default -> schedule();
      }
    }

    /** Returns a duration of any magnitude, up to centuries of nanoseconds. */
    private long somewhere() {
      return random.nextLong() >>> 1 + random.nextInt(Long.SIZE - 1);
    }

    private long someDeadline() {
      if (random.nextInt(100) == 0) {
        return Long.MAX_VALUE - random.nextInt(3);
      }
      long ahead = random.nextInt(far) == 0 ? somewhere() : random.nextInt(spread) - spread / 4;
      return Math.max(0, later(ahead));
    }

    private long later(long ahead) {
      return ahead > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + ahead;
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
      Item item = new Item(spec.dueAt(deadline), order++, deadline, cookie);
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
      switch (random.nextInt(16)) {
        case 0 -> drain(now - random.nextInt(spread));
        case 1 -> now = later(somewhere() >>> 4);
        case 2, 3, 4, 5 -> now = Math.max(now, Math.min(queue.nextDeadline(), later(spread)));
        default -> now = later(random.nextInt(spread));
      }
      drain(now);
    }

    private void drain(long until) {
      int limit = random.nextInt(4) == 0 ? random.nextInt(5) : Integer.MAX_VALUE;
      boolean callsBack = random.nextBoolean();
      boolean throwsOnce = random.nextInt(8) == 0;
      long orderBefore = order;
      int[] count = {0};
      try {
        int drained = queue.drain(until, limit, (left, deadline, cookie) -> {
          Item item = model.first().order < orderBefore ? model.first() : expected(until, orderBefore);
          assertTrue(item.due <= until, "early");
          assertEquals(item.cookie, cookie);
          assertEquals(item.deadline, deadline);
          assertEquals(handles.get((int) cookie), left);
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
        if (drained < limit) {
          assertTrue(model.headSet(after(until)).stream().allMatch(item -> item.order >= orderBefore),
              "not handed out");
          assertTrue(order > orderBefore || model.isEmpty() || until == Long.MAX_VALUE || queue.nextDeadline() > until);
        }
      } catch (Mishap e) {
        assertTrue(throwsOnce);
      }
      assertTrue(count[0] <= limit);
    }

    /** Returns the first item that is due and was so before the drain began. */
    private Item expected(long until, long orderBefore) {
      return model.headSet(after(until)).stream().filter(item -> item.order < orderBefore).findFirst().orElseThrow();
    }

    /** Returns where items end that are due. */
    private static Item after(long until) {
      return new Item(until, Long.MAX_VALUE, 0, 0);
    }
  }

  private static final class Mishap extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
