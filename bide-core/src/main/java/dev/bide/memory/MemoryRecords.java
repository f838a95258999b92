package dev.bide.memory;

import static dev.bide.memory.QueueIndexes.NONE;
import static dev.bide.memory.QueueIndexes.first;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.bide.memory.Slots.Moment;
import dev.bide.spi.QueuePause;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Records;
import dev.bide.spi.Rules;
import dev.bide.spi.Scan;
import dev.bide.spi.SightRecords;
import dev.bide.spi.StoredTask;
import dev.bide.spi.Tally;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** All that a store in memory keeps; outlives the store object. Everything in it is guarded by {@link #lock}. */
final class MemoryRecords implements Records, SightRecords {
  final Lock lock = new ReentrantLock();

  private final Map<String, QueueRecords> queues = new HashMap<>();
  private final List<QueueRecords> numbered = new ArrayList<>();
  private final Slots slots = new Slots();
  // The live tasks of all queues, by seq.
  private final SortedSlots<Long> seqs = new SortedSlots<>(slots.bySeq);
  // What this transaction has handed out of them, by seq.
  private Map<Long, Handed> handed = new HashMap<>();
  // By last use.
  private final Map<StreamName, Stream> streams = new LinkedHashMap<>(16, 0.75f, true);
  private long now;
  private long lastSeq;

  private record Handed(int slot, StoredTask task) {}

  private record StreamName(String node, String stream) {}

  private static final class Stream {
    final Remembered last;
    long usedAt;

    Stream(Remembered last, long usedAt) {
      this.last = last;
      this.usedAt = usedAt;
    }
  }

  /** Begins a transaction at the moment {@code clock} says, or at that of the last one if that is later. */
  void begin(long clock) {
    now = Math.max(now, clock);
    handed = new HashMap<>();
  }

  @Override
  public long now() {
    return now;
  }

  /** See {@link dev.bide.spi.QueueStore#find}. */
  Optional<QueueSettings> defined(String name) {
    return Optional.ofNullable(queues.get(name)).map(QueueRecords::settings);
  }

  /** See {@link dev.bide.spi.QueueStore#define}. */
  QueueSettings define(QueueSettings wanted) {
    return queues.computeIfAbsent(wanted.name(), name -> {
      QueueRecords queue = new QueueRecords(numbered.size(), wanted, slots);
      numbered.add(queue);
      return queue;
    }).settings();
  }

  /** See {@link dev.bide.spi.QueueStore#update}. */
  QueueSettings update(QueueSettings wanted) {
    return queue(wanted.name()).update(wanted);
  }

  private QueueRecords queue(String name) {
    QueueRecords queue = queues.get(name);
    if (queue == null) {
      throw new IllegalArgumentException("queue=" + name + " is not defined");
    }
    return queue;
  }

  @Override
  public QueueSettings settings(String queue) {
    return queue(queue).settings();
  }

  @Override
  public QueuePause pause(String queue) {
    return queue(queue).pause;
  }

  /** See {@link dev.bide.spi.QueueStore#pause}. */
  void pauseQueue(String name) {
    QueueRecords queue = queue(name);
    queue.pause = queue.pause.begun(now);
  }

  /** See {@link dev.bide.spi.QueueStore#resume}. */
  void resumeQueue(String name) {
    QueueRecords queue = queue(name);
    queue.pause = queue.pause.ended(now);
  }

  @Override
  public long nextSeq() {
    return ++lastSeq;
  }

  @Override
  public Map<String, StoredTask> live(String queue, Collection<String> ids) {
    QueueRecords records = queue(queue);
    Map<String, StoredTask> found = new HashMap<>();
    for (String id : ids) {
      int slot = records.indexes.live(id.getBytes(UTF_8));
      if (slot != NONE) {
        found.put(id, task(slot));
      }
    }
    return found;
  }

  @Override
  public Map<Long, StoredTask> live(Collection<Long> seqs) {
    Map<Long, StoredTask> found = new HashMap<>();
    for (long seq : seqs) {
      int slot = slot(seq);
      if (slot != NONE) {
        found.put(seq, task(slot));
      }
    }
    return found;
  }

  private int slot(long seq) {
    int slot = first(seqs.from(seq));
    return slot != NONE && slots.seq(slot) == seq ? slot : NONE;
  }

  /** Returns the task in a slot; within a transaction the same object for the same life. */
  private StoredTask task(int slot) {
    return handed.computeIfAbsent(slots.seq(slot), seq -> new Handed(slot, unpack(slot))).task;
  }

  private StoredTask unpack(int slot) {
    byte[] task = slots.task(slot);
    return PackedTask.unpack(task, numbered.get(PackedTask.queue(task)).settings().name(), slots.apart(slot));
  }

  @Override
  public Map<String, TaskState> latestFinished(String queue, Collection<String> ids) {
    QueueRecords records = queue(queue);
    Map<String, TaskState> found = new HashMap<>();
    for (String id : ids) {
      int slot = records.indexes.latestFinished(id.getBytes(UTF_8));
      if (slot != NONE) {
        found.put(id, PackedTask.state(slots.task(slot)));
      }
    }
    return found;
  }

  @Override
  public Optional<FinishedLife> finished(String queue, String id, long seq) {
    int slot = queue(queue).indexes.finished(id.getBytes(UTF_8), seq);
    return slot == NONE
        ? Optional.empty()
        : Optional.of(new FinishedLife(PackedTask.state(slots.task(slot)), unpack(slot).token));
  }

  @Override
  public List<StoredTask> due(String queue, Set<Integer> shards, int lane, int limit) {
    QueueRecords records = queue(queue);
    Merged waiting = Merged.forward(slots);
    shards.forEach(shard -> waiting.add(records.indexes.lane(shard, lane).all()));
    List<StoredTask> due = new ArrayList<>();
    while (due.size() < limit && waiting.hasNext() && waiting.nextMoment() <= now) {
      due.add(task(waiting.nextInt()));
    }
    return due;
  }

  @Override
  public long nextMoment(String queue, Set<Integer> shards) {
    QueueRecords records = queue(queue);
    Moment afterNow = new Moment(now, Long.MAX_VALUE);
    long next = Due.NEVER;
    for (int shard : shards) {
      for (int lane = 0; lane < StoredTask.LANES; lane++) {
        int slot = first(records.indexes.lane(shard, lane).from(afterNow));
        next = slot == NONE ? next : Math.min(next, slots.moment(slot));
      }
    }
    return next;
  }

  @Override
  public void add(StoredTask task) {
    QueueRecords queue = queue(task.queue);
    int slot = slots.add(PackedTask.pack(task, queue.number), task.moment(), task.seq, apart(task));
    queue.indexes.enter(slot);
    if (!task.state.finished()) {
      seqs.add(slot);
      handed.put(task.seq, new Handed(slot, task));
    }
  }

  @Override
  public void changed(StoredTask task) {
    Handed known = handed.get(task.seq);
    int slot = known == null ? slot(task.seq) : known.slot;
    if (slot == NONE) {
      throw new AssertionError("seq=" + task.seq + " is not live");
    }
    QueueRecords queue = queue(task.queue);
    queue.indexes.move(slot, () -> put(slot, task, PackedTask.pack(task, queue.number)));
    if (task.state.finished()) {
      seqs.remove(slot);
    }
  }

  private void put(int slot, StoredTask task, byte[] packed) {
    slots.set(slot, packed, task.moment(), task.seq, apart(task));
  }

  private static @Nullable Payload apart(StoredTask task) {
    return PackedTask.standsApart(task.payload) ? task.payload : null;
  }

  @Override
  public Optional<StoredTask> deadLetter(String queue, String id) {
    int slot = queue(queue).indexes.latestFinished(id.getBytes(UTF_8));
    if (slot == NONE) {
      throw new AssertionError("queue=" + queue + " task=" + id + " has no finished life");
    }
    return PackedTask.revived(slots.task(slot)) ? Optional.empty() : Optional.of(task(slot));
  }

  @Override
  public void revived(StoredTask dead) {
    QueueRecords queue = queue(dead.queue);
    byte[] packed = PackedTask.pack(dead, queue.number);
    PackedTask.setRevived(packed);
    int slot = queue.indexes.finished(dead.id.getBytes(UTF_8), dead.seq);
    queue.indexes.revive(slot, () -> put(slot, dead, packed));
  }

  @Override
  public Optional<Remembered> remembered(String node, String stream) {
    Stream used = streams.get(new StreamName(node, stream));
    if (used == null) {
      return Optional.empty();
    }
    used.usedAt = now;
    return Optional.of(used.last);
  }

  @Override
  public void remember(String node, String stream, Remembered last) {
    streams.put(new StreamName(node, stream), new Stream(last, now));
  }

  /** See {@link dev.bide.spi.QueueStore#names}. */
  List<String> names() {
    return queues.keySet().stream().sorted().toList();
  }

  /** See {@link dev.bide.spi.TaskStore#ids}. */
  List<String> ids(String queue, String after, int limit) {
    List<String> ids = new ArrayList<>();
    QueueRecords records = queues.get(queue);
    if (records != null) {
      PrimitiveIterator.OfInt behind = records.indexes.liveBehind(after);
      while (ids.size() < limit && behind.hasNext()) {
        ids.add(new String(PackedTask.id(slots.task(behind.nextInt())), UTF_8));
      }
    }
    return ids;
  }

  @Override
  public Optional<Tally> tally(String queue, long firstHour, long endHour) {
    return Optional.ofNullable(queues.get(queue)).map(records -> records.indexes.tally());
  }

  @Override
  public List<StoredTask> scan(String queue, Scan scan, int limit) {
    return queue(queue).indexes.scan(scan).limit(limit).mapToObj(this::unpack).toList();
  }

  @Override
  public long waiting(String queue, long from, long until, long limit) {
    return Math.min(limit, queue(queue).indexes.count(0, StoredTask.HELD, from, until));
  }

  @Override
  public long lapsed(String queue, long limit) {
    return Math.min(limit, queue(queue).indexes.count(StoredTask.HELD, StoredTask.LANES, 0, now + 1));
  }

  /** See {@link dev.bide.spi.TaskStore#find}. */
  List<Optional<Task>> find(String queue, List<String> ids) {
    QueueRecords records = queues.get(queue);
    return ids.stream().map(id -> records == null ? Optional.<Task>empty() : find(records, id.getBytes(UTF_8)))
        .toList();
  }

  private Optional<Task> find(QueueRecords records, byte[] id) {
    int live = records.indexes.live(id);
    int slot = live == NONE ? records.indexes.latestFinished(id) : live;
    return slot == NONE ? Optional.empty() : Optional.of(unpack(slot).toTask(now));
  }

  /**
   * Drops finished tasks of a queue whose retention is over, at most {@code limit}, and as many unused streams; returns
   * how many tasks.
   */
  int prune(String queue, int limit) {
    if (limit < 0) {
      throw new IllegalArgumentException("limit must not be negative, got " + limit);
    }
    QueueRecords records = queue(queue);
    Iterator<Stream> oldest = streams.values().iterator();
    for (int i = 0; i < limit && oldest.hasNext() && oldest.next().usedAt <= now - Rules.KEPT_MILLIS; i++) {
      oldest.remove();
    }
    return records.prune(now, limit);
  }
}
