package dev.bide.jdbc;

import dev.bide.jdbc.SqliteSql.Ended;
import dev.bide.spi.ClaimRequest;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Held;
import dev.bide.spi.QueuePause;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Renewed;
import dev.bide.spi.Reply;
import dev.bide.spi.Rules;
import dev.bide.spi.Settlement;
import dev.bide.spi.Sight;
import dev.bide.spi.Stamp;
import dev.bide.spi.StoreException;
import dev.bide.spi.StoredTask;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Load;
import dev.bide.task.Task;
import dev.bide.task.TaskCounts;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** SQLite: one process writes at a time, so the rules of stores in one process work on the rows that were read. */
final class SqliteDialect extends Dialect {
  /** The version of the tables in {@code sqlite.sql}. */
  static final int VERSION = 1;

  private final Clock clock;

  SqliteDialect(Clock clock) {
    this.clock = clock;
  }

  /** Writes in any case, so that a file that can only be read is refused here and not at the first task. */
  @Override
  void prepare(Session session, String place) {
    if (session.row(SqliteSql.TABLES_EXIST, row -> true).isEmpty()) {
      Ddl.statements("sqlite.sql").forEach(session::execute);
    }
    int[] versions = session.rows(SqliteSql.VERSION, row -> new int[]{row.getInt(1), row.getInt(2)}).get(0);
    if (versions[1] > VERSION) {
      throw StoreException.lasting("the tables of Bide in " + place + " have version " + versions[0]
          + ", which needs at least version " + versions[1] + " of the code, and this is version " + VERSION
          + "; use a later release of Bide", null);
    }
    touch(session);
  }

  @Override
  void touch(Session session) {
    session.update(SqliteSql.TOUCH_FILE);
  }

  @Override
  Reply<List<Written>> write(Session session, List<Write> writes, Stamp stamp) {
    return changing(session, records -> Rules.write(records, writes, stamp));
  }

  @Override
  Exchanged exchange(Session session, List<Settlement> settlements, ClaimRequest request) {
    return changing(session, records -> Rules.exchange(records, settlements, request));
  }

  @Override
  Reply<List<Renewed>> renew(Session session, List<Held> claims, long leaseMillis) {
    return changing(session, records -> Rules.renew(records, claims, leaseMillis));
  }

  private <T> T changing(Session session, Function<SqliteRecords, T> rules) {
    SqliteRecords records = begin(session);
    T reply = rules.apply(records);
    records.flush();
    return reply;
  }

  /**
   * The now of a transaction is never below one that the file has seen, also from another process, and this process
   * keeps up with it.
   */
  private SqliteRecords begin(Session session) {
    SqliteRecords records = SqliteRecords.begin(session, clock.atLeast(Long.MIN_VALUE));
    clock.atLeast(records.now());
    return records;
  }

  @Override
  long now(Session session) {
    return clock.atLeast(session.rows(SqliteSql.NOW, row -> row.getLong(1)).get(0));
  }

  @Override
  Reply<List<Optional<Task>>> find(Session session, String queue, List<String> ids) {
    long now = now(session);
    Map<String, StoredTask> found = SqliteRecords.findQueue(session, queue)
        .map(known -> latest(session, known, ids)).orElse(Map.of());
    return Reply.of(now,
        ids.stream().map(id -> Optional.ofNullable(found.get(id)).map(task -> task.toTask(now))).toList());
  }

  private static Map<String, StoredTask> latest(Session session, SqliteRecords.Queue queue, List<String> ids) {
    String name = queue.settings().name();
    Map<String, StoredTask> found = new HashMap<>();
    session.rows(SqliteSql.LIVE_BY_IDS, row -> TaskRow.live(row, name), queue.number(), JsonArray.ofTexts(ids))
        .forEach(task -> found.put(task.id, task));
    List<String> others = ids.stream().filter(id -> !found.containsKey(id)).toList();
    if (!others.isEmpty()) {
      for (Ended table : Ended.values()) {
        session.rows(table.latestWhole, row -> TaskRow.ended(row, name), queue.number(), JsonArray.ofTexts(others))
            .forEach(life -> found.merge(life.id, life, SqliteDialect::later));
      }
    }
    return found;
  }

  private static StoredTask later(StoredTask one, StoredTask other) {
    return one.seq > other.seq ? one : other;
  }

  @Override
  Reply<TaskPage> list(Session session, String queue, TaskQuery query, int limit, String cursor) {
    return Sight.list(sight(session), queue, query, limit, cursor);
  }

  @Override
  Reply<List<TaskCounts>> counts(Session session, List<String> queues) {
    return Sight.counts(sight(session), queues);
  }

  @Override
  Reply<Load> load(Session session, String queue, long from, long widthMillis, int buckets) {
    return Sight.load(sight(session), queue, from, widthMillis, buckets);
  }

  private SqliteSight sight(Session session) {
    return new SqliteSight(session, now(session));
  }

  @Override
  Reply<List<String>> ids(Session session, String queue, String after, int limit) {
    checkLimit(limit);
    return Reply.of(now(session), SqliteRecords.findQueue(session, queue)
        .map(known -> session.rows(SqliteSql.IDS, row -> row.getString(1), known.number(), after, limit))
        .orElse(List.of()));
  }

  @Override
  List<String> queueNames(Session session) {
    return session.rows(SqliteSql.QUEUE_NAMES, row -> row.getString(1));
  }

  @Override
  Reply<Integer> prune(Session session, String queue, int limit) {
    checkLimit(limit);
    return changing(session, records -> Reply.of(records.now(), records.prune(queue, limit)));
  }

  private static void checkLimit(int limit) {
    if (limit < 0) {
      throw new IllegalArgumentException("limit must not be negative, got " + limit);
    }
  }

  @Override
  QueueSettings define(Session session, QueueSettings wanted) {
    // The first call of all takes its now to the file, which then never goes back behind it.
    begin(session);
    Optional<SqliteRecords.Queue> found = SqliteRecords.findQueue(session, wanted.name());
    if (found.isPresent()) {
      return found.get().settings();
    }
    session.update(SqliteSql.INSERT_QUEUE, wanted.name(), wanted.shards(), wanted.maxAttempts(), wanted.leaseMillis(),
        wanted.retentionMillis(), wanted.deadRetentionMillis());
    return wanted;
  }

  @Override
  QueueSettings update(Session session, QueueSettings wanted) {
    QueueSettings found = findQueue(session, wanted.name())
        .orElseThrow(() -> new IllegalArgumentException("queue=" + wanted.name() + " is not defined"));
    if (found.shards() != wanted.shards()) {
      throw new IllegalArgumentException("queue=" + wanted.name() + " has " + found.shards()
          + " shards, which is fixed, got " + wanted.shards());
    }
    session.update(SqliteSql.UPDATE_QUEUE, wanted.name(), wanted.maxAttempts(), wanted.leaseMillis(),
        wanted.retentionMillis(), wanted.deadRetentionMillis());
    return wanted;
  }

  @Override
  void pauseQueue(Session session, String name) {
    SqliteRecords records = begin(session);
    setPause(session, name, records.pause(name).begun(records.now()));
  }

  @Override
  void resumeQueue(Session session, String name) {
    SqliteRecords records = begin(session);
    setPause(session, name, records.pause(name).ended(records.now()));
  }

  private static void setPause(Session session, String name, QueuePause pause) {
    session.update(SqliteSql.PAUSE_QUEUE, name, TaskRow.nullable(pause.from()), TaskRow.nullable(pause.until()));
  }

  @Override
  QueuePause pauseOf(Session session, String name) {
    return SqliteRecords.queue(session, name).pause();
  }

  @Override
  Optional<QueueSettings> findQueue(Session session, String name) {
    return SqliteRecords.findQueue(session, name).map(SqliteRecords.Queue::settings);
  }
}
