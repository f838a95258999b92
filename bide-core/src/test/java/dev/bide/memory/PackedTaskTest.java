package dev.bide.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.StoredTask;
import dev.bide.task.Attempt;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import dev.bide.task.Tag;
import dev.bide.task.TaskId;
import dev.bide.task.TaskState;
import java.lang.reflect.Field;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PackedTaskTest {
  private static final long NOW = 1_900_000_000_000L;
  private static final String LONG = "Fähre 渡船 🚢 ".repeat(5_000);

  private static StoredTask task(String id, Payload payload, @Nullable String zone) {
    StoredTask task = new StoredTask("orders", id, 42, TaskId.slot(id), payload, NOW, zone);
    task.dueAt = NOW + 60_000;
    task.readyAt = NOW + 61_000;
    task.nextAt = NOW + 61_000;
    task.updatedAt = NOW;
    return task;
  }

  private static StoredTask task() {
    return task("order-42", Payload.of("payload"), null);
  }

  private static StoredTask unpacked(StoredTask task) {
    byte[] packed = PackedTask.pack(task, 3);
    assertEquals(3, PackedTask.queue(packed));
    assertEquals(task.state, PackedTask.state(packed));
    assertEquals(task.lane, PackedTask.lane(packed));
    assertEquals(task.slot, PackedTask.slot(packed));
    assertEquals(task.attempt > 0, PackedTask.retried(packed));
    assertArrayEquals(task.id.getBytes(UTF_8), PackedTask.id(packed));
    return PackedTask.unpack(packed, task.queue, PackedTask.standsApart(task.payload) ? task.payload : null);
  }

  /** By reflection, so that a field added to the task cannot be forgotten here. */
  private static void assertKept(StoredTask task) {
    StoredTask read = unpacked(task);
    for (Field field : StoredTask.class.getFields()) {
      try {
        assertEquals(field.get(task), field.get(read), field.getName());
      } catch (IllegalAccessException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static void assertKept(Consumer<StoredTask> change) {
    StoredTask task = task();
    change.accept(task);
    assertKept(task);
  }

  @Test
  void aTaskThatWaitsIsKept() {
    assertKept(task());
    assertKept(task("i", Payload.EMPTY, "Asia/Shanghai"));
  }

  @Test
  void eachFieldIsKept() {
    for (TaskState state : TaskState.values()) {
      assertKept(task -> task.state = state);
    }
    for (int lane = 0; lane < StoredTask.LANES; lane++) {
      int its = lane;
      assertKept(task -> task.lane = its);
    }
    assertKept(task -> task.rule = "cron 0 0 * * *");
    assertKept(task -> task.bufferMillis = 5_000);
    assertKept(task -> task.token = 1);
    assertKept(task -> task.attempt = 1);
    assertKept(task -> task.claims = 1);
    assertKept(task -> task.lapses = 1);
    assertKept(task -> task.claimedAt = NOW);
    assertKept(task -> task.owner = "node-1");
    assertKept(task -> task.cancelBy = "");
    assertKept(task -> task.outcome = "done");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, -1, NOW - 1, NOW + 1, Due.LAST, Due.NEVER, Long.MIN_VALUE})
  void eachMomentIsKept(long moment) {
    assertKept(task -> task.dueAt = moment);
    assertKept(task -> task.readyAt = moment);
    assertKept(task -> task.nextAt = moment);
    assertKept(task -> task.updatedAt = moment);
    assertKept(task -> task.stoppedAt = moment);
    assertKept(task -> task.claimedAt = moment);
    assertKept(task -> task.bufferMillis = moment);
  }

  @Test
  void largeNumbersAreKept() {
    String id = "x";
    assertKept(new StoredTask("orders", id, Long.MAX_VALUE, TaskId.SLOTS - 1, Payload.EMPTY, -1, null));
    assertKept(task -> task.token = Long.MAX_VALUE);
    assertKept(task -> {
      task.attempt = Integer.MAX_VALUE;
      task.claims = Integer.MAX_VALUE;
      task.lapses = Integer.MAX_VALUE;
    });
  }

  @Test
  void longTextsOfAnyScriptAreKept() {
    assertKept(task("名前🚢".repeat(50), Payload.of(LONG), LONG));
    assertKept(task -> {
      task.rule = LONG;
      task.owner = LONG;
      task.cancelBy = LONG;
      task.outcome = LONG;
    });
  }

  @Test
  void attemptsAreKept() {
    assertKept(task -> task.attempts = IntStream.range(0, 32).mapToObj(PackedTaskTest::attempt).toList());
  }

  @Test
  void tagsAreKeptAndReadOneByOne() {
    List<Tag> tags = IntStream.range(0, Tag.MOST).mapToObj(i -> new Tag("key" + i, "渡船=".repeat(i + 1))).toList();
    assertKept(task -> task.tags = tags);
    StoredTask task = task();
    assertEquals(0, PackedTask.tags(PackedTask.pack(task, 3)));
    task.tags = tags;
    byte[] packed = PackedTask.pack(task, 3);
    assertEquals(Tag.MOST, PackedTask.tags(packed));
    for (int i = 0; i < Tag.MOST; i++) {
      byte[] tag = tags.get(i).toString().getBytes(UTF_8);
      assertArrayEquals(tag, PackedTask.tag(packed, i));
      assertEquals(0, PackedTask.compareTag(packed, i, tag));
      assertTrue(PackedTask.compareTag(packed, i, Arrays.copyOf(tag, tag.length - 1)) > 0);
    }
  }

  @Test
  void anIdBeginsWithItsPrefixes() {
    byte[] packed = PackedTask.pack(task("order-42", Payload.EMPTY, null), 0);
    for (String prefix : List.of("", "o", "order-", "order-42")) {
      assertTrue(PackedTask.idStartsWith(packed, prefix.getBytes(UTF_8)), prefix);
    }
    for (String prefix : List.of("O", "order-421", "order-43", "rder")) {
      assertFalse(PackedTask.idStartsWith(packed, prefix.getBytes(UTF_8)), prefix);
    }
  }

  private static Attempt attempt(int number) {
    return new Attempt(number, "node-" + number, Instant.ofEpochMilli(NOW + number),
        Instant.ofEpochMilli(NOW + 1_000 * number), number % 2 == 0 ? "" : "retry",
        number % 3 == 0 ? Optional.of(LONG) : number % 3 == 1 ? Optional.of("") : Optional.empty());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, PackedTask.LARGEST_PAYLOAD, PackedTask.LARGEST_PAYLOAD + 1, 262_144})
  void payloadsOfAnySizeAreKept(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    assertKept(task("id", Payload.of(bytes), null));
  }

  @Test
  void aLargePayloadIsNotCopied() {
    Payload payload = Payload.of(new byte[PackedTask.LARGEST_PAYLOAD + 1]);
    StoredTask task = task("id", payload, null);
    assertTrue(PackedTask.pack(task, 0).length < 50);
    assertSame(payload, unpacked(task).payload);
  }

  @Test
  void aTaskThatWaitsTakesFewBytesMore() {
    byte[] packed = PackedTask.pack(task("123456789012", Payload.of(new byte[100]), null), 0);
    assertTrue(packed.length <= 12 + 100 + 32, packed.length + " bytes");
  }

  @Test
  void aRevivedLifeIsMarked() {
    byte[] packed = PackedTask.pack(task(), 0);
    assertFalse(PackedTask.revived(packed));
    PackedTask.setRevived(packed);
    assertTrue(PackedTask.revived(packed));
    assertEquals(TaskState.WAITING, PackedTask.state(packed));
  }

  @Test
  void idsStandInTheOrderOfTheirBytes() {
    List<String> ids = List.of("a", "aa", "ab", "b", "b".repeat(200), "é", "渡", "🚢", "\uff5e");
    for (String one : ids) {
      for (String other : ids) {
        byte[] bytes = other.getBytes(UTF_8);
        assertEquals(Integer.signum(Arrays.compareUnsigned(one.getBytes(UTF_8), bytes)),
            Integer.signum(PackedTask.compareId(PackedTask.pack(task(one, Payload.EMPTY, null), 0), bytes)));
      }
    }
  }
}
