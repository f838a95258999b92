package dev.bide.memory;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.QueueSettings;
import dev.bide.spi.Records;
import dev.bide.spi.Scan;
import dev.bide.spi.StoredTask;
import dev.bide.spi.Tally;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import dev.bide.task.Tag;
import dev.bide.task.Task;
import dev.bide.task.TaskId;
import dev.bide.task.TaskQuery.Order;
import dev.bide.task.TaskState;
import dev.bide.task.TaskView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random changes to tasks: the records must agree with plain lists of them. A failure names its seed;
 * {@code -Dbide.seed=…} runs that one alone.
 */
class MemoryRecordsModelTest {
  private static final String QUEUE = "q";
  private static final int SHARDS = 3;
  private static final int IDS = 150;
  private static final long RETENTION = 70_000;
  private static final long DEAD_RETENTION = 90_000;
  private static final List<TaskState> LIVE = List.of(TaskState.WAITING, TaskState.PROCESSING, TaskState.PAUSED);
  private static final List<TaskState> ENDS = List.of(TaskState.COMPLETED, TaskState.FAILED, TaskState.CANCELLED);
  private static final List<Tag> TAGS = List.of(new Tag("a", "1"), new Tag("a", "12"), new Tag("b", "1"));
  private static final Comparator<StoredTask> BY_MOMENT = Comparator.<StoredTask>comparingLong(task -> task.nextAt)
      .thenComparingLong(task -> task.seq);
  private static final Comparator<StoredTask> BY_END = Comparator.<StoredTask>comparingLong(task -> task.updatedAt)
      .thenComparingLong(task -> task.seq);

  private final MemoryRecords records = new MemoryRecords();
  private final List<StoredTask> live = new ArrayList<>();
  private final List<StoredTask> done = new ArrayList<>();
  private final List<StoredTask> dead = new ArrayList<>();
  private long now = 1_000;

  static List<Long> seeds() {
    Long only = Long.getLong("bide.seed");
    return only != null ? List.of(only) : new Random().longs(Integer.getInteger("bide.seeds", 30)).boxed().toList();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void recordsAgreeWithListsOfTheTasks(long seed) {
    Random random = new Random(seed);
    records.define(new QueueSettings("another", 1, 3, 1_000, 0, 0));
    records.define(new QueueSettings(QUEUE, SHARDS, 3, 1_000, RETENTION, DEAD_RETENTION));
    for (int step = 0; step < 1_000; step++) {
      if (random.nextInt(10) == 0) {
        now += random.nextInt(random.nextInt(20) == 0 ? 40_000 : 50);
      }
      records.begin(now);
      switch (random.nextInt(20)) {
        case 0 -> prune(random.nextInt(20));
        case 1, 2 -> revive(random);
        default -> write(random);
      }
      look(random);
    }
  }

  private void write(Random random) {
    String id = "id-" + random.nextInt(IDS);
    Optional<StoredTask> found = live.stream().filter(task -> task.id.equals(id)).findAny();
    if (found.isEmpty()) {
      add(id, random);
    } else {
      change(found.get(), random);
    }
  }

  private void add(String id, Random random) {
    long seq = records.nextSeq();
    StoredTask task = new StoredTask(QUEUE, id, seq, TaskId.slot(id), payload(random), now, null);
    task.nextAt = now + random.nextInt(40);
    task.updatedAt = now;
    task.tags = TAGS.stream().filter(tag -> random.nextInt(4) == 0).toList();
    if (random.nextInt(20) == 0) {
      task.state = TaskState.CANCELLED;
      task.nextAt = Due.NEVER;
      done.add(task);
    } else {
      live.add(task);
    }
    records.add(task);
  }

  private static Payload payload(Random random) {
    return random.nextInt(10) == 0
        ? Payload.of("x".repeat(random.nextInt(2 * PackedTask.LARGEST_PAYLOAD)))
        : Payload.EMPTY;
  }

  private void change(StoredTask task, Random random) {
    task.state = LIVE.get(random.nextInt(LIVE.size()));
    task.lane = task.state == TaskState.PROCESSING ? StoredTask.HELD : random.nextInt(StoredTask.HELD);
    task.attempt = random.nextInt(3);
    task.token++;
    task.nextAt = task.state == TaskState.PAUSED ? Due.NEVER : now + random.nextInt(40);
    task.updatedAt = now;
    if (random.nextInt(3) == 0) {
      task.state = ENDS.get(random.nextInt(ENDS.size()));
      task.nextAt = Due.NEVER;
      live.remove(task);
      (task.state == TaskState.FAILED ? dead : done).add(task);
    }
    records.changed(task);
  }

  private void revive(Random random) {
    List<StoredTask> latest = dead.stream().filter(task -> latest(task.id) == task).toList();
    if (latest.isEmpty()) {
      return;
    }
    StoredTask task = latest.get(random.nextInt(latest.size()));
    StoredTask handed = records.deadLetter(QUEUE, task.id).orElseThrow();
    assertEquals(task.toTask(now), handed.toTask(now));
    handed.updatedAt = now;
    task.updatedAt = now;
    records.revived(handed);
    dead.remove(task);
    done.add(task);
    add(task.id, random);
  }

  private void prune(int limit) {
    int dropped = dropFrom(done, RETENTION, limit);
    dropped += dropFrom(dead, DEAD_RETENTION, limit - dropped);
    assertEquals(dropped, records.prune(QUEUE, limit));
  }

  private int dropFrom(List<StoredTask> ended, long retention, int limit) {
    List<StoredTask> over = ended.stream().filter(task -> task.updatedAt <= now - retention).sorted(BY_END).limit(limit)
        .toList();
    ended.removeAll(over);
    return over.size();
  }

  private Stream<StoredTask> finished() {
    return Stream.concat(done.stream(), dead.stream());
  }

  private StoredTask latest(String id) {
    return Stream.concat(live.stream(), finished()).filter(task -> task.id.equals(id))
        .max(Comparator.comparingLong(task -> task.seq)).orElseThrow();
  }

  private void look(Random random) {
    Set<Integer> shards = IntStream.range(0, SHARDS).filter(shard -> random.nextInt(4) > 0).boxed()
        .collect(Collectors.toSet());
    int lane = random.nextInt(StoredTask.LANES);
    int limit = 1 + random.nextInt(6);
    assertEquals(tasks(in(shards).filter(task -> task.lane == lane && task.nextAt <= now).sorted(BY_MOMENT)
        .limit(limit)), tasks(records.due(QUEUE, shards, lane, limit).stream()));
    if (random.nextInt(4) == 0) {
      assertEquals(in(shards).mapToLong(task -> task.nextAt).filter(moment -> moment > now).min().orElse(Due.NEVER),
          records.nextMoment(QUEUE, shards));
    }
    if (random.nextInt(20) == 0) {
      lookUp();
      list(random);
      count(random);
    }
  }

  private Stream<StoredTask> in(Set<Integer> shards) {
    return live.stream().filter(task -> shards.contains(TaskId.shard(task.slot, SHARDS)));
  }

  private List<Task> tasks(Stream<StoredTask> tasks) {
    return tasks.map(task -> task.toTask(now)).toList();
  }

  private void lookUp() {
    List<String> ids = IntStream.range(0, IDS).mapToObj(i -> "id-" + i).toList();
    List<Long> seqs = Stream.concat(live.stream(), finished()).map(task -> task.seq).toList();
    assertEquals(tasks(live, task -> task.id), tasks(records.live(QUEUE, ids).values(), task -> task.id));
    assertEquals(Map.of(), records.live("another", ids));
    assertEquals(tasks(live, task -> task.seq), tasks(records.live(seqs).values(), task -> task.seq));
    Map<String, StoredTask> latestEnded = finished()
        .collect(Collectors.toMap(task -> task.id, Function.identity(), (a, b) -> a.seq > b.seq ? a : b));
    assertEquals(latestEnded.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, e -> e.getValue().state)),
        records.latestFinished(QUEUE, ids));
    for (StoredTask task : finished().toList()) {
      assertEquals(Optional.of(new Records.FinishedLife(task.state, task.token)),
          records.finished(QUEUE, task.id, task.seq));
      assertEquals(Optional.empty(), records.finished(QUEUE, task.id, task.seq + 1_000_000));
    }
    Map<String, Task> shown = tasks(latestEnded.values(), task -> task.id);
    shown.putAll(tasks(live, task -> task.id));
    assertEquals(ids.stream().map(id -> Optional.ofNullable(shown.get(id))).toList(), records.find(QUEUE, ids));
    assertEquals(Collections.nCopies(IDS, Optional.empty()), records.find("unknown", ids));
  }

  private void list(Random random) {
    TaskView view = TaskView.values()[random.nextInt(TaskView.values().length)];
    Order order = Order.values()[random.nextInt(Order.values().length)];
    Tag tag = order == Order.TAG ? TAGS.get(random.nextInt(TAGS.size())) : null;
    String prefix = order == Order.ID ? "id-" + random.nextInt(20) : "";
    long from = Math.max(0, now - random.nextInt(60_000));
    long until = random.nextInt(3) == 0 ? Due.NEVER : now + random.nextInt(50);
    Scan.Place start = order == Order.ID
        ? new Scan.Place(0, Long.MAX_VALUE, prefix)
        : new Scan.Place(view.finished() ? until : order == Order.TAG ? 0 : from, 0, "");
    Scan scan = new Scan(view, order, prefix, tag, from, until, start);
    assertEquals(expected(scan), tasks(pages(scan, 1 + random.nextInt(40)).stream().filter(task -> shows(scan, task))));
  }

  private List<StoredTask> pages(Scan scan, int limit) {
    List<StoredTask> all = new ArrayList<>();
    List<StoredTask> page = records.scan(QUEUE, scan, limit);
    while (!page.isEmpty()) {
      all.addAll(page);
      page = records.scan(QUEUE, behind(scan, page.get(page.size() - 1)), limit);
    }
    return all;
  }

  private static Scan behind(Scan scan, StoredTask task) {
    return new Scan(scan.view(), scan.order(), scan.idPrefix(), scan.tag(), scan.from(), scan.until(),
        scan.place(task));
  }

  private List<Task> expected(Scan scan) {
    Stream<StoredTask> failed = scan.view() == TaskView.FAILED ? dead.stream() : finished();
    Comparator<StoredTask> order = switch (scan.order()) {
      case ID -> Comparator.<StoredTask, String>comparing(task -> task.id).thenComparing(task -> -task.seq);
      case MOMENT -> scan.view().finished() ? BY_END.reversed() : BY_MOMENT;
      case TAG -> scan.view().finished() ? BY_END.reversed() : Comparator.comparing(task -> task.seq);
    };
    return tasks(Stream.concat(live.stream(), failed).filter(task -> shows(scan, task)).sorted(order));
  }

  private boolean shows(Scan scan, StoredTask task) {
    long moment = task.state.finished() ? task.updatedAt : task.nextAt;
    boolean within = scan.order() == Order.ID || scan.order() == Order.TAG && !scan.view().finished()
        || moment >= scan.from() && (moment < scan.until() || scan.until() == Due.NEVER);
    return within && scan.view().shows(task.toTask(now)) && task.id.startsWith(scan.idPrefix())
        && (scan.tag() == null || task.tags.contains(scan.tag()));
  }

  private void count(Random random) {
    Tally expected = new Tally();
    Stream.concat(live.stream(), finished()).forEach(task -> expected.move(null, task.spot()));
    done.stream().filter(task -> task.state == TaskState.FAILED).forEach(task -> expected.revived());
    assertEquals(counters(expected), counters(records.tally(QUEUE, 0, 1).orElseThrow()));
    assertEquals(Optional.empty(), records.tally("unknown", 0, 1));
    long from = now + random.nextInt(30);
    long until = from + random.nextInt(30);
    assertEquals(live.stream().filter(task -> task.state == TaskState.WAITING && task.nextAt >= from
        && task.nextAt < until).count(), records.waiting(QUEUE, from, until, Long.MAX_VALUE));
    assertEquals(live.stream().filter(task -> task.lapsed(now)).count(), records.lapsed(QUEUE, Long.MAX_VALUE));
    assertTrue(records.lapsed(QUEUE, 2) <= 2);
    String after = random.nextBoolean() ? "" : "id-" + random.nextInt(IDS);
    int limit = random.nextInt(IDS);
    assertEquals(
        live.stream().map(task -> task.id).filter(id -> id.compareTo(after) > 0).sorted().limit(limit).toList(),
        records.ids(QUEUE, after, limit));
    assertEquals(List.of(), records.ids("unknown", after, limit));
  }

  private static Map<Long, Long> counters(Tally tally) {
    Map<Long, Long> counters = new HashMap<>();
    tally.forEach(counters::put);
    return counters;
  }

  private <K> Map<K, Task> tasks(Iterable<StoredTask> tasks, Function<StoredTask, K> key) {
    List<StoredTask> all = new ArrayList<>();
    tasks.forEach(all::add);
    return all.stream().collect(Collectors.toMap(key, task -> task.toTask(now)));
  }

  @Test
  void withinATransactionATaskIsOneObject() {
    records.define(new QueueSettings(QUEUE, 1, 3, 1_000, 0, 0));
    records.begin(now);
    StoredTask task = new StoredTask(QUEUE, "id", records.nextSeq(), TaskId.slot("id"), Payload.EMPTY, now, null);
    records.add(task);
    assertSame(task, records.live(QUEUE, List.of("id")).get("id"));
    records.begin(now);
    StoredTask found = requireNonNull(records.live(QUEUE, List.of("id")).get("id"));
    assertNotSame(task, found);
    found.attempt = 5;
    assertSame(found, records.live(List.of(task.seq)).get(task.seq));
    assertSame(found, records.due(QUEUE, Set.of(0), StoredTask.ORDINARY, 1).get(0));
    records.changed(found);
    assertSame(found, records.live(QUEUE, List.of("id")).get("id"));
    records.begin(now);
    assertEquals(5, requireNonNull(records.live(QUEUE, List.of("id")).get("id")).attempt);
  }

  @Test
  void theLifeOfAnotherIdIsNotFoundByItsSeq() {
    records.define(new QueueSettings(QUEUE, 1, 3, 1_000, 0, 0));
    StoredTask task = new StoredTask(QUEUE, "b", records.nextSeq(), TaskId.slot("b"), Payload.EMPTY, now, null);
    task.state = TaskState.COMPLETED;
    task.nextAt = Due.NEVER;
    records.add(task);
    assertEquals(Optional.empty(), records.finished(QUEUE, "a", task.seq));
    assertEquals(Optional.empty(), records.finished(QUEUE, "c", task.seq));
    assertEquals(Optional.of(new Records.FinishedLife(TaskState.COMPLETED, 0)),
        records.finished(QUEUE, "b", task.seq));
  }

  @Test
  void aChangeOfWhatIsNotLiveIsABrokenInvariant() {
    records.define(new QueueSettings(QUEUE, 1, 3, 1_000, 0, 0));
    StoredTask task = new StoredTask(QUEUE, "id", 7, TaskId.slot("id"), Payload.EMPTY, now, null);
    assertThrows(AssertionError.class, () -> records.changed(task));
    assertThrows(AssertionError.class, () -> records.deadLetter(QUEUE, "id"));
  }
}
