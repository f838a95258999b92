package dev.bide.memory;

import dev.bide.memory.Lane.Spot;
import dev.bide.spi.QueuePause;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Records;
import dev.bide.spi.Rules;
import dev.bide.spi.Scan;
import dev.bide.spi.SightRecords;
import dev.bide.spi.StoredTask;
import dev.bide.spi.Tally;
import dev.bide.task.Due;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import dev.bide.task.TaskView;
import java.util.Collection;
import java.util.Comparator;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All that a store in memory keeps; outlives the store object. Everything in it is guarded by {@link #lock}. */
final class MemoryRecords implements Records, SightRecords {
  final Lock lock = new ReentrantLock();

  private final Map<String, QueueRecords> queues = new HashMap<>();
  private final Map<Long, Entry> live = new HashMap<>();
  // By last use.
  private final Map<StreamName, Used> streams = new LinkedHashMap<>(16, 0.75f, true);
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

  private static final class Used {
    final Remembered last;
    long usedAt;

    Used(Remembered last, long usedAt) {
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
    Used used = streams.get(new StreamName(node, stream));
    if (used == null) {
      return Optional.empty();
    }
    used.usedAt = now;
    return Optional.of(used.last);
  }

  @Override
  public void remember(String node, String stream, Remembered last) {
    streams.put(new StreamName(node, stream), new Used(last, now));
  }

  /** See {@link dev.bide.spi.QueueStore#names}. */
  List<String> names() {
    return queues.keySet().stream().sorted().toList();
  }

  /** See {@link dev.bide.spi.TaskStore#ids}. */
  List<String> ids(String queue, String after, int limit) {
    return live.values().stream().map(entry -> entry.task).filter(task -> task.queue.equals(queue))
        .map(task -> task.id).filter(id -> bytes(id).compareTo(bytes(after)) > 0)
        .sorted(Comparator.comparing(MemoryRecords::bytes)).limit(limit).toList();
  }

  private static String bytes(String id) {
    return new String(id.getBytes(java.nio.charset.StandardCharsets.UTF_8),
        java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  private Stream<StoredTask> all(String queue) {
    QueueRecords records = queues.get(queue);
    return records == null
        ? Stream.of()
        : Stream.concat(live.values().stream().map(entry -> entry.task).filter(task -> task.queue.equals(queue)),
            records.finished.values().stream());
  }

  @Override
  public Optional<Tally> tally(String queue, long firstHour, long endHour) {
    QueueRecords records = queues.get(queue);
    if (records == null) {
      return Optional.empty();
    }
    Tally tally = new Tally();
    all(queue).forEach(task -> {
      tally.move(null, task.spot());
      if (task.state == TaskState.FAILED && !records.dead.contains(task)) {
        tally.revived();
      }
    });
    return Optional.of(tally);
  }

  @Override
  public List<StoredTask> scan(String queue, Scan scan, int limit) {
    Comparator<StoredTask> order = order(scan);
    Scan.Place after = scan.after();
    QueueRecords records = queues.get(queue);
    return all(queue).filter(task -> scan.view().shows(task.toTask(now)))
        .filter(task -> scan.view() != TaskView.FAILED || records != null && records.dead.contains(task))
        .filter(task -> scan.tag() == null || task.tags.contains(scan.tag()))
        .filter(task -> task.id.startsWith(scan.idPrefix()))
        .filter(task -> {
          Scan.Place place = scan.place(task);
          int byMoment = Long.compare(place.moment(), after.moment());
          int bySeq = Long.compare(place.seq(), after.seq());
          return switch (scan.order()) {
            case ID -> bytes(place.id()).compareTo(bytes(after.id())) > 0 || place.id().equals(after.id()) && bySeq < 0;
            default -> scan.view().finished()
                ? byMoment < 0 || byMoment == 0 && bySeq < 0
                : byMoment > 0 || byMoment == 0 && bySeq > 0;
          };
        }).sorted(order).limit(limit).toList();
  }

  private static Comparator<StoredTask> order(Scan scan) {
    Comparator<StoredTask> bySeq = Comparator.comparingLong(task -> task.seq);
    Comparator<StoredTask> byMoment = Comparator.comparingLong(task -> scan.place(task).moment());
    return switch (scan.order()) {
      case ID -> Comparator.<StoredTask, String>comparing(task -> bytes(task.id)).thenComparing(bySeq.reversed());
      default -> scan.view().finished() ? byMoment.thenComparing(bySeq).reversed() : byMoment.thenComparing(bySeq);
    };
  }

  @Override
  public long waiting(String queue, long from, long until, long limit) {
    return all(queue).filter(task -> task.state == TaskState.WAITING && task.nextAt >= from && task.nextAt < until)
        .limit(limit).count();
  }

  @Override
  public long lapsed(String queue, long limit) {
    return all(queue).filter(task -> task.lapsed(now)).limit(limit).count();
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
    Iterator<Used> oldest = streams.values().iterator();
    for (int i = 0; i < limit && oldest.hasNext() && oldest.next().usedAt <= now - Rules.KEPT_MILLIS; i++) {
      oldest.remove();
    }
    return records.prune(now, limit);
  }
}
