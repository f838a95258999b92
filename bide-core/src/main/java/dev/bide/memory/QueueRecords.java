package dev.bide.memory;

import dev.bide.spi.QueuePause;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Rules;
import dev.bide.spi.StoredTask;
import dev.bide.task.TaskId;
import dev.bide.task.TaskState;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The tasks of one queue. Not thread-safe. */
final class QueueRecords {
  private static final Comparator<Life> BY_ID = Comparator.comparing(Life::id).thenComparingLong(Life::seq);

  private final Lane[][] lanes;
  private final Map<String, StoredTask> live = new HashMap<>();
  final NavigableMap<Life, StoredTask> finished = new TreeMap<>(BY_ID);
  // Both by the moment of the end, since now never goes back.
  private final Set<StoredTask> done = new LinkedHashSet<>();
  final Set<StoredTask> dead = new LinkedHashSet<>();
  private QueueSettings settings;
  QueuePause pause = QueuePause.NONE;

  record Life(String id, long seq) {}

  QueueRecords(QueueSettings settings) {
    this.settings = settings;
    lanes = new Lane[settings.shards()][StoredTask.LANES];
    for (Lane[] shard : lanes) {
      for (int lane = 0; lane < StoredTask.LANES; lane++) {
        shard[lane] = new Lane();
      }
    }
  }

  QueueSettings settings() {
    return settings;
  }

  /** See {@link dev.bide.spi.QueueStore#update}. */
  QueueSettings update(QueueSettings wanted) {
    if (wanted.shards() != settings.shards()) {
      throw new IllegalArgumentException("queue=" + settings.name() + " has " + settings.shards()
          + " shards, fixed when it was made; got " + wanted.shards());
    }
    settings = wanted;
    return settings;
  }

  Lane lane(int shard, int lane) {
    return lanes[shard][lane];
  }

  Lane laneOf(StoredTask task) {
    return lane(TaskId.shard(task.slot, settings.shards()), task.lane);
  }

  @Nullable
  StoredTask live(String id) {
    return live.get(id);
  }

  void addLive(StoredTask task) {
    live.put(task.id, task);
  }

  /** Takes a task that has ended just now from the live ones, if it is there, to the finished ones. */
  void finish(StoredTask task) {
    live.remove(task.id, task);
    finished.put(new Life(task.id, task.seq), task);
    (task.state == TaskState.FAILED ? dead : done).add(task);
  }

  @Nullable
  StoredTask finished(String id, long seq) {
    return finished.get(new Life(id, seq));
  }

  @Nullable
  StoredTask latestFinished(String id) {
    Map.Entry<Life, StoredTask> latest = finished.floorEntry(new Life(id, Long.MAX_VALUE));
    return latest == null || !latest.getKey().id.equals(id) ? null : latest.getValue();
  }

  /** Returns the live task of this id, else its latest finished life. */
  @Nullable
  StoredTask latest(String id) {
    StoredTask task = live.get(id);
    return task == null ? latestFinished(id) : task;
  }

  /** Drops at most {@code limit} finished tasks whose retention is over; returns how many. */
  int prune(long now, int limit) {
    int dropped = prune(done, now - settings.retentionMillis(), now, limit);
    return dropped + prune(dead, now - settings.deadRetentionMillis(), now, limit - dropped);
  }

  /** Moves a failed life that was revived to the done ones, as if it had ended now. */
  void revived(StoredTask task) {
    dead.remove(task);
    done.add(task);
  }

  private int prune(Set<StoredTask> ended, long until, long now, int limit) {
    long last = Math.min(until, now - Rules.KEPT_MILLIS);
    int dropped = 0;
    Iterator<StoredTask> oldest = ended.iterator();
    while (dropped < limit && oldest.hasNext()) {
      StoredTask task = oldest.next();
      if (task.updatedAt > last) {
        break;
      }
      oldest.remove();
      finished.remove(new Life(task.id, task.seq));
      dropped++;
    }
    return dropped;
  }
}
