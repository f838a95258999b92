package dev.bide.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.bide.spi.QueueSettings;
import dev.bide.spi.StoredTask;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import dev.bide.task.TaskId;
import dev.bide.task.TaskState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random changes to tasks: the index must agree with a plain list of them. A failure names its seed;
 * {@code -Dbide.seed=…} runs that one alone.
 */
class MemoryRecordsModelTest {
  private static final String QUEUE = "q";
  private static final int SHARDS = 3;

  private final MemoryRecords records = new MemoryRecords();
  private final List<StoredTask> live = new ArrayList<>();
  private long now = 1_000;

  static List<Long> seeds() {
    Long only = Long.getLong("bide.seed");
    return only != null ? List.of(only) : new Random().longs(Integer.getInteger("bide.seeds", 30)).boxed().toList();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void indexAgreesWithAListOfTheTasks(long seed) {
    Random random = new Random(seed);
    records.define(new QueueSettings(QUEUE, SHARDS, 3, 1_000, 0, 0));
    for (int step = 0; step < 1_000; step++) {
      if (random.nextInt(10) == 0) {
        now += random.nextInt(50);
      }
      records.begin(now);
      if (live.isEmpty() || random.nextBoolean()) {
        add(random);
      } else {
        change(live.get(random.nextInt(live.size())), random);
      }
      look(random);
    }
  }

  private void add(Random random) {
    long seq = records.nextSeq();
    StoredTask task = new StoredTask(QUEUE, "id-" + seq, seq, TaskId.slot("id-" + seq), Payload.EMPTY, now, null);
    task.nextAt = now + random.nextInt(40);
    records.add(task);
    live.add(task);
  }

  private void change(StoredTask task, Random random) {
    task.lane = random.nextInt(StoredTask.LANES);
    task.nextAt = random.nextInt(8) == 0 ? Due.NEVER : now + random.nextInt(40);
    if (random.nextInt(3) == 0) {
      task.state = TaskState.CANCELLED;
      task.nextAt = Due.NEVER;
      task.updatedAt = now;
      live.remove(task);
    }
    records.changed(task);
  }

  private void look(Random random) {
    Set<Integer> shards = IntStream.range(0, SHARDS).filter(shard -> random.nextInt(4) > 0).boxed()
        .collect(Collectors.toSet());
    int lane = random.nextInt(StoredTask.LANES);
    int limit = 1 + random.nextInt(6);
    assertEquals(in(shards).filter(task -> task.lane == lane && task.nextAt <= now)
        .sorted(Comparator.<StoredTask>comparingLong(task -> task.nextAt).thenComparingLong(task -> task.seq))
        .limit(limit).toList(), records.due(QUEUE, shards, lane, limit));
    if (random.nextInt(4) == 0) {
      assertEquals(in(shards).mapToLong(task -> task.nextAt).filter(moment -> moment > now).min().orElse(Due.NEVER),
          records.nextMoment(QUEUE, shards));
    }
  }

  private Stream<StoredTask> in(Set<Integer> shards) {
    return live.stream().filter(task -> shards.contains(TaskId.shard(task.slot, SHARDS)));
  }
}
