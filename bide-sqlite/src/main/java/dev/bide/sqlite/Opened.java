package dev.bide.sqlite;

import dev.bide.jdbc.Session;
import dev.bide.spi.StoreException;
import dev.bide.sqlite.SqliteStore.Durability;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sqlite.JDBC;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteOpenMode;

/** An open connection to a file. Used by one thread at a time. */
final class Opened {
  /** A connection is used by one thread at a time, so SQLite need not lock it for each value that is read or bound. */
  private static final SQLiteConfig UNLOCKED = new SQLiteConfig();

  static {
    UNLOCKED.setOpenMode(SQLiteOpenMode.NOMUTEX);
  }

  private final Connection connection;
  private final Statement statement;
  private final String begin;
  private Session session;
  /** What SQLite was told last; null if that is not known. */
  private @Nullable Durability durability;

  private Opened(Connection connection, String begin) throws SQLException {
    this.connection = connection;
    this.begin = begin;
    statement = connection.createStatement();
    session = new Session(connection);
  }

  /**
   * Opens the connection that writes. The log is checkpointed at 16 MB: a checkpoint costs two syncs, which after each
   * large batch would double them. {@code fullfsync} makes a sync on macOS reach the disk; elsewhere it does nothing.
   */
  static Opened writing(Path path, Durability durability) throws SQLException {
    Opened opened = at(path, "BEGIN IMMEDIATE",
        List.of("PRAGMA busy_timeout = 0", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = " + durability,
            "PRAGMA fullfsync = 1", "PRAGMA checkpoint_fullfsync = 1", "PRAGMA wal_autocheckpoint = 4000",
            "PRAGMA journal_size_limit = 67108864", "PRAGMA cache_size = -16000"));
    opened.durability = durability;
    if (!opened.execute("PRAGMA journal_mode").equals("wal")) {
      opened.close();
      throw StoreException.lasting(path + " cannot have a log beside it, for want of shared memory on its file system;"
          + " put it on a local disk", null);
    }
    return opened;
  }

  /** Opens a connection that reads. */
  static Opened reading(Path path) throws SQLException {
    return at(path, "BEGIN", List.of("PRAGMA busy_timeout = 0", "PRAGMA query_only = 1"));
  }

  private static Opened at(Path path, String begin, List<String> settings) throws SQLException {
    // As a URI, because the driver takes a question mark in a plain name for the start of its own settings.
    Connection connection = JDBC.createConnection(JDBC.PREFIX + path.toUri(), UNLOCKED.toProperties());
    try {
      Opened opened = new Opened(connection, begin);
      for (String setting : settings) {
        opened.execute(setting);
      }
      return opened;
    } catch (SQLException e) {
      try {
        connection.close();
      } catch (SQLException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  /**
   * As {@link #begin()}, with a commit that is as safe as {@code wanted}. The log is one sequence, so a commit that is
   * synced makes those before it safe too, and in both modes a checkpoint syncs the log before it touches the file.
   */
  Session begin(Durability wanted) throws SQLException {
    if (durability != wanted) {
      durability = null;
      execute("PRAGMA synchronous = " + wanted);
      durability = wanted;
    }
    return begin();
  }

  Session begin() throws SQLException {
    execute(begin);
    return session;
  }

  void commit() throws SQLException {
    execute("COMMIT");
  }

  /**
   * Ends the transaction, unless SQLite has ended it by itself, as it does when the disk is full. The statements of the
   * session go, because the driver closes those that failed.
   */
  void rollBack() throws SQLException {
    session.close();
    session = new Session(connection);
    try {
      execute("ROLLBACK");
    } catch (SQLException e) {
      if (!String.valueOf(e.getMessage()).contains("no transaction is active")) {
        throw e;
      }
    }
  }

  /** Executes a statement and returns the first value of its first row, or the empty text. */
  String execute(String sql) throws SQLException {
    if (!statement.execute(sql)) {
      return "";
    }
    try (ResultSet row = statement.getResultSet()) {
      return row.next() ? String.valueOf(row.getString(1)) : "";
    }
  }

  void close() throws SQLException {
    connection.close();
  }
}
