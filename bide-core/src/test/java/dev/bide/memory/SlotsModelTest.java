package dev.bide.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.task.Payload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random steps on slots and on a map, which must always agree. A failure names its seed; {@code -Dbide.seed=…} runs
 * that one alone.
 */
class SlotsModelTest {
  private final Slots slots = new Slots();
  private final Map<Integer, Content> model = new HashMap<>();
  private final List<Integer> taken = new ArrayList<>();

  private record Content(byte[] task, long moment, long seq, @Nullable Payload apart) {}

  static List<Long> seeds() {
    Long only = Long.getLong("bide.seed");
    return only != null ? List.of(only) : new Random().longs(Integer.getInteger("bide.seeds", 30)).boxed().toList();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void agreeWithAMap(long seed) {
    Random random = new Random(seed);
    int most = 0;
    for (int phase = 0; phase < 8; phase++) {
      int added = random.nextInt(11);
      for (int step = 0; step < 2_000; step++) {
        if (random.nextInt(10) < added) {
          add(content(random));
        } else if (!taken.isEmpty()) {
          change(random);
        }
        most = Math.max(most, taken.size());
      }
      model.forEach(this::assertHolds);
    }
    int highest = most;
    assertTrue(model.keySet().stream().allMatch(slot -> slot < highest + Slots.CHUNK));
  }

  private static Content content(Random random) {
    return new Content(new byte[random.nextInt(3)], random.nextLong(), random.nextLong(),
        random.nextInt(50) == 0 ? Payload.of("apart") : null);
  }

  private void add(Content content) {
    int slot = slots.add(content.task, content.moment, content.seq, content.apart);
    assertNull(model.put(slot, content));
    taken.add(slot);
  }

  private void change(Random random) {
    int at = random.nextInt(taken.size());
    int slot = taken.get(at);
    if (random.nextBoolean()) {
      Content content = content(random);
      slots.set(slot, content.task, content.moment, content.seq, content.apart);
      model.put(slot, content);
    } else {
      slots.free(slot);
      model.remove(slot);
      taken.set(at, taken.get(taken.size() - 1));
      taken.remove(taken.size() - 1);
    }
  }

  private void assertHolds(int slot, Content content) {
    assertSame(content.task, slots.task(slot));
    assertEquals(content.moment, slots.moment(slot));
    assertEquals(content.seq, slots.seq(slot));
    assertSame(content.apart, slots.apart(slot));
  }

  @Test
  void chunksThatRunEmptyGiveTheirMemoryBack() {
    Content content = new Content(new byte[1], 1, 1, null);
    for (int i = 0; i < 5 * Slots.CHUNK; i++) {
      add(content);
    }
    assertEquals(5, slots.chunksInUse());
    taken.stream().filter(slot -> slot > 10).forEach(slots::free);
    // The first one holds what is left; from the other one slots are taken next.
    assertEquals(2, slots.chunksInUse());
    for (int i = 0; i < 5 * Slots.CHUNK - 11; i++) {
      slots.add(content.task, 1, 1, null);
    }
    assertEquals(5, slots.chunksInUse());
  }
}
