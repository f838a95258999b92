package dev.bide.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.PrimitiveIterator;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random steps on a sorted set of slots and on a tree, which must always agree. A failure names its seed;
 * {@code -Dbide.seed=…} runs that one alone.
 */
class SortedSlotsModelTest {
  private static final int SLOTS = 8 * SortedSlots.BLOCK;

  private final long[] keys = new long[SLOTS];
  private final Order<Key> order = new ByKey();
  private final SortedSlots<Key> sorted = new SortedSlots<>(order);
  private final TreeSet<Integer> model = new TreeSet<>(Comparator.comparing(order::key));

  static List<Long> seeds() {
    Long only = Long.getLong("bide.seed");
    return only != null ? List.of(only) : new Random().longs(Integer.getInteger("bide.seeds", 30)).boxed().toList();
  }

  private record Key(long key, int slot) implements Comparable<Key> {

    @Override
    public int compareTo(Key other) {
      return key != other.key ? Long.compare(key, other.key) : Integer.compare(slot, other.slot);
    }
  }

  private final class ByKey implements Order<Key> {

    @Override
    public Key key(int slot) {
      return new Key(keys[slot], slot);
    }

    @Override
    public int compare(int slot, Key key) {
      return compare(key(slot), key);
    }

    @Override
    public int compare(Key key, Key other) {
      return key.compareTo(other);
    }
  }

  /** Before all slots of this key. */
  private static Key at(long key) {
    return new Key(key, -1);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void agreesWithATree(long seed) {
    Random random = new Random(seed);
    int spread = 1 << random.nextInt(14);
    for (int phase = 0; phase < 6; phase++) {
      int added = random.nextInt(11);
      int ends = random.nextInt(4);
      for (int step = 0; step < 3_000; step++) {
        int slot = random.nextInt(SLOTS);
        if (random.nextInt(10) < added) {
          add(slot, ends == 0 ? step : random.nextInt(spread));
        } else if (!model.isEmpty()) {
          remove(ends == 1 ? model.first() : ends == 2 ? model.last() : near(slot));
        }
        if (step % 200 == 0) {
          assertSame(random, spread);
        }
      }
    }
    while (!model.isEmpty()) {
      remove(near(random.nextInt(SLOTS)));
    }
    assertSame(random, spread);
  }

  private void add(int slot, long key) {
    if (!model.contains(slot)) {
      keys[slot] = key;
      model.add(slot);
      sorted.add(slot);
    }
  }

  private int near(int slot) {
    Integer near = model.ceiling(slot);
    return near == null ? model.first() : near;
  }

  private void remove(int slot) {
    model.remove(slot);
    sorted.remove(slot);
  }

  private void assertSame(Random random, int spread) {
    assertEquals(model.size(), sorted.size());
    assertEquals(List.copyOf(model), list(sorted.all()));
    long from = random.nextInt(spread) - 1L;
    long to = from + random.nextInt(spread);
    List<Integer> before = model.stream().filter(slot -> keys[slot] < from).toList();
    List<Integer> between = model.stream().filter(slot -> keys[slot] >= from && keys[slot] < to).toList();
    assertEquals(between, list(sorted.from(at(from))).subList(0, between.size()));
    assertEquals(between.size(), sorted.count(at(from), at(to)));
    List<Integer> backwards = new ArrayList<>(before);
    Collections.reverse(backwards);
    assertEquals(backwards, list(sorted.before(at(from))));
  }

  private static List<Integer> list(PrimitiveIterator.OfInt slots) {
    List<Integer> list = new ArrayList<>();
    slots.forEachRemaining((int slot) -> list.add(slot));
    assertThrows(NoSuchElementException.class, slots::nextInt);
    return list;
  }

  @Test
  void whatIsAddedAtTheEndFillsItsBlocks() {
    for (int slot = 0; slot < SLOTS; slot++) {
      add(slot, slot);
    }
    assertEquals(SLOTS / SortedSlots.BLOCK, sorted.blocks());
  }

  @Test
  void whatIsThinnedOutNeedsFewBlocks() {
    for (int slot = 0; slot < SLOTS; slot++) {
      add(slot, slot);
    }
    for (int slot = 0; slot < SLOTS; slot++) {
      if (slot % 64 != 0) {
        remove(slot);
      }
    }
    assertEquals(SLOTS / 64, sorted.size());
    assertFalse(sorted.blocks() > 2, "blocks: " + sorted.blocks());
  }

  @Test
  void aSlotThatIsNotAtItsPlaceIsABrokenInvariant() {
    assertThrows(AssertionError.class, () -> sorted.remove(1));
    add(1, 10);
    add(3, 30);
    keys[2] = 20;
    assertThrows(AssertionError.class, () -> sorted.remove(2));
    keys[2] = 40;
    assertThrows(AssertionError.class, () -> sorted.remove(2));
    assertEquals(2, sorted.size());
  }
}
