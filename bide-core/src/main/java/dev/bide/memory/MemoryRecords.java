package dev.bide.memory;

import dev.bide.memory.Lane.Spot;
import dev.bide.spi.QueuePause;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Records;
import dev.bide.spi.Rules;
import dev.bide.spi.StoredTask;
import dev.bide.task.Due;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** All that a store in memory keeps; outlives the store object. Everything in it is guarded by {@link #lock}. */
final class MemoryRecords implements Records {
  final Lock lock = new ReentrantLock();

  private final Map<String, QueueRecords> queues = new HashMap<>();
  private final Map<Long, Entry> live = new HashMap<>();
  // By last use.
  private final Map<StreamName, Stream> streams = new LinkedHashMap<>(16, 0.75f, true);
  private long now;
  private long lastSeq;

  /** A live task and its place in the index, which is not where the task says while it is being changed. */
  private static final class Entry {
    final StoredTask task;
    // Null while the task is paused: it is not in the index then.
    @Nullable
    Lane lane;
    long nextAt;
    long handle;

    Entry(StoredTask task) {
      this.task = task;
    }
  }

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
    return queues.computeIfAbsent(wanted.name(), name -> new QueueRecords(wanted)).settings();
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
      StoredTask task = records.live(id);
      if (task != null) {
        found.put(id, task);
      }
    }
    return found;
  }

  @Override
  public Map<Long, StoredTask> live(Collection<Long> seqs) {
    Map<Long, StoredTask> found = new HashMap<>();
    for (Long seq : seqs) {
      Entry entry = live.get(seq);
      if (entry != null) {
        found.put(seq, entry.task);
      }
    }
    return found;
  }

  @Override
  public Map<String, TaskState> latestFinished(String queue, Collection<String> ids) {
    QueueRecords records = queue(queue);
    Map<String, TaskState> found = new HashMap<>();
    for (String id : ids) {
      StoredTask task = records.latestFinished(id);
      if (task != null) {
        found.put(id, task.state);
      }
    }
    return found;
  }

  @Override
  public Optional<FinishedLife> finished(String queue, String id, long seq) {
    return Optional.ofNullable(queue(queue).finished(id, seq))
        .map(task -> new FinishedLife(task.state, task.token));
  }

  @Override
  public List<StoredTask> due(String queue, Set<Integer> shards, int lane, int limit) {
    QueueRecords records = queue(queue);
    NavigableSet<Spot> first = new TreeSet<>();
    shards.forEach(shard -> records.lane(shard, lane).mergeDue(now, limit, first));
    return first.stream().map(spot -> entry(spot.seq()).task).toList();
  }

  @Override
  public long nextMoment(String queue, Set<Integer> shards) {
    QueueRecords records = queue(queue);
    long next = Due.NEVER;
    for (int shard : shards) {
      for (int lane = 0; lane < StoredTask.LANES; lane++) {
        next = Math.min(next, records.lane(shard, lane).nextMoment(now));
      }
    }
    return next;
  }

  @Override
  public void add(StoredTask task) {
    QueueRecords queue = queue(task.queue);
    if (task.state.finished()) {
      queue.finish(task);
      return;
    }
    Entry entry = new Entry(task);
    live.put(task.seq, entry);
    queue.addLive(task);
    if (task.nextAt != Due.NEVER) {
      entry.lane = queue.laneOf(task);
      entry.nextAt = task.nextAt;
      entry.handle = entry.lane.addFresh(new Spot(task.nextAt, task.seq));
    }
  }

  @Override
  public void changed(StoredTask task) {
    Entry entry = entry(task.seq);
    QueueRecords queue = queue(task.queue);
    if (entry.lane != null) {
      entry.lane.remove(new Spot(entry.nextAt, task.seq), entry.handle);
      entry.lane = null;
    }
    if (task.state.finished()) {
      live.remove(task.seq);
      queue.finish(task);
    } else if (task.nextAt != Due.NEVER) {
      entry.lane = queue.laneOf(task);
      entry.nextAt = task.nextAt;
      entry.handle = 0;
      entry.lane.add(new Spot(task.nextAt, task.seq));
    }
  }

  private Entry entry(long seq) {
    Entry entry = live.get(seq);
    if (entry == null) {
      throw new AssertionError("seq=" + seq + " is not live");
    }
    return entry;
  }

  @Override
  public StoredTask deadLetter(String queue, String id) {
    StoredTask latest = queue(queue).latestFinished(id);
    if (latest == null) {
      throw new AssertionError("queue=" + queue + " task=" + id + " has no finished life");
    }
    return latest;
  }

  @Override
  public void revived(StoredTask dead) {
    queue(dead.queue).revived(dead);
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

  /** See {@link dev.bide.spi.TaskStore#find}. */
  List<Optional<Task>> find(String queue, List<String> ids) {
    QueueRecords records = queues.get(queue);
    return ids.stream()
        .map(id -> Optional.ofNullable(records == null ? null : records.latest(id)).map(task -> task.toTask(now)))
        .toList();
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
