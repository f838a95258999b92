package dev.bide.jdbc;

import dev.bide.spi.StoredTask;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that one SQLite connection has claimed last, so that they need not be read once more to be settled: the
 * latest {@value #MOST} of those with small payloads.
 *
 * <p>What is here stands in the file as it stands here, as long as nobody else has written there, which SQLite tells by
 * its {@code data_version}. Whoever takes a task out may change it: it is here no more. A transaction that is rolled
 * back takes the whole session with it. Used as its {@link Session} is, in transactions that write.
 */
final class ClaimedTasks {
  private static final int MOST = 2_000;
  private static final int MOST_BYTES = 1_000;

  private final Map<Long, StoredTask> bySeq = new LinkedHashMap<>() {
    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, StoredTask> eldest) {
      return size() > MOST;
    }
  };
  private long version;

  /** Keeps tasks that the transaction under way has claimed. */
  void keep(Session session, Iterable<StoredTask> claimed) {
    checkVersion(session);
    for (StoredTask task : claimed) {
      if (task.payload.size() <= MOST_BYTES) {
        bySeq.put(task.seq, task);
      }
    }
  }

  /** Forgets all if another connection has written since; to be called before {@link #take} in each transaction. */
  void checkVersion(Session session) {
    long now = session.rows(SqliteSql.DATA_VERSION, row -> row.getLong(1)).get(0);
    if (version != now) {
      version = now;
      bySeq.clear();
    }
  }

  /** Takes a task out; null if it is not here. */
  @Nullable
  StoredTask take(long seq) {
    return bySeq.remove(seq);
  }
}
