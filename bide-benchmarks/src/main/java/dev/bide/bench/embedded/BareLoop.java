package dev.bide.bench.embedded;

import dev.bide.bench.frame.Meter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteOpenMode;

/**
 * The floor: the least that keeps tasks in an SQLite file durably, written by hand for nothing else. An id is unique,
 * and what is due is found by an index; nobody can cancel, move or retry, nothing is checked, and of what has ended
 * only id, moment and outcome are kept. Settings of the file are those of the embedded store.
 *
 * <p>Not thread-safe.
 */
final class BareLoop implements AutoCloseable {
  private static final List<String> SETTINGS = List.of("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
      "PRAGMA fullfsync = 1", "PRAGMA checkpoint_fullfsync = 1", "PRAGMA wal_autocheckpoint = 4000",
      "PRAGMA journal_size_limit = 67108864", "PRAGMA cache_size = -16000");
  static final String WORDS = "a bare JDBC loop in this process; both files: WAL, synchronous FULL, cache 16 MB, checkpoint"
      + " at 16 MB; both connections: NOMUTEX";

  private static final List<String> TABLES = List.of("""
      CREATE TABLE task (
        seq INTEGER PRIMARY KEY, state INTEGER NOT NULL, next_at INTEGER NOT NULL, id TEXT NOT NULL UNIQUE,
        payload BLOB NOT NULL) STRICT
      """, "CREATE INDEX task_by_moment ON task (next_at)", """
      CREATE TABLE finished (
        seq INTEGER PRIMARY KEY, ended_at INTEGER NOT NULL, outcome TEXT NOT NULL, id TEXT NOT NULL) STRICT
      """);
  private static final long LEASE_MILLIS = 30_000;

  private final Connection connection;
  private final PreparedStatement insert;
  private final PreparedStatement due;
  private final PreparedStatement claim;
  private final PreparedStatement finish;
  private final PreparedStatement delete;
  private long commits;
  private long ended;

  BareLoop(Path file) throws SQLException {
    SQLiteConfig unlocked = new SQLiteConfig();
    unlocked.setOpenMode(SQLiteOpenMode.NOMUTEX);
    connection = unlocked.createConnection("jdbc:sqlite:" + file);
    try (Statement statement = connection.createStatement()) {
      for (String setting : SETTINGS) {
        statement.execute(setting);
      }
      for (String table : TABLES) {
        statement.execute(table);
      }
    }
    connection.setAutoCommit(false);
    insert = connection.prepareStatement("INSERT INTO task (state, next_at, id, payload) VALUES (0, ?, ?, ?)");
    due = connection.prepareStatement("""
        SELECT seq, id, payload FROM task WHERE next_at <= ? AND state = 0 ORDER BY next_at LIMIT ?
        """);
    claim = connection.prepareStatement("UPDATE task SET state = 1, next_at = ? WHERE seq = ?");
    finish = connection.prepareStatement("INSERT INTO finished (seq, ended_at, outcome, id) VALUES (?, ?, ?, ?)");
    delete = connection.prepareStatement("DELETE FROM task WHERE seq = ?");
  }

  Meter meter() {
    return Meter.here(() -> commits);
  }

  /** Inserts in one transaction. */
  void insert(List<Given> tasks) throws SQLException {
    for (Given task : tasks) {
      insert.setLong(1, task.dueAt());
      insert.setString(2, task.id());
      insert.setBytes(3, task.payload());
      insert.addBatch();
    }
    insert.executeBatch();
    commit();
  }

  /** Inserts tasks that have ended, in one transaction. */
  void insertFinished(List<Given> tasks) throws SQLException {
    for (Given task : tasks) {
      addFinished(--ended, task.id(), 0);
    }
    finish.executeBatch();
    commit();
  }

  /**
   * Claims what is due by {@code now} and completes it, until nothing is left; each transaction completes one batch and
   * claims the next. Returns how many there were.
   */
  long drain(long now) throws SQLException {
    long count = 0;
    List<Row> batch = List.of();
    do {
      complete(batch, now);
      batch = claim(now);
      commit();
      count += batch.size();
    } while (!batch.isEmpty());
    return count;
  }

  private record Row(long seq, String id) {}

  private List<Row> claim(long now) throws SQLException {
    List<Row> rows = new ArrayList<>(Supply.BATCH);
    due.setLong(1, now);
    due.setInt(2, Supply.BATCH);
    try (ResultSet found = due.executeQuery()) {
      while (found.next()) {
        found.getBytes(3);
        rows.add(new Row(found.getLong(1), found.getString(2)));
      }
    }
    for (Row row : rows) {
      claim.setLong(1, now + LEASE_MILLIS);
      claim.setLong(2, row.seq);
      claim.addBatch();
    }
    claim.executeBatch();
    return rows;
  }

  private void complete(List<Row> batch, long now) throws SQLException {
    for (Row row : batch) {
      addFinished(row.seq, row.id, now);
      delete.setLong(1, row.seq);
      delete.addBatch();
    }
    finish.executeBatch();
    delete.executeBatch();
  }

  private void addFinished(long seq, String id, long endedAt) throws SQLException {
    finish.setLong(1, seq);
    finish.setLong(2, endedAt);
    finish.setString(3, "done");
    finish.setString(4, id);
    finish.addBatch();
  }

  private void commit() throws SQLException {
    connection.commit();
    commits++;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
