package dev.bide.sqlite;

import dev.bide.jdbc.Session;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import org.sqlite.JDBC;

/** An open connection to a file. Used by one thread at a time. */
final class Opened {
  private final Connection connection;
  private final PreparedStatement begin;
  private final PreparedStatement commit;
  private final PreparedStatement rollBack;
  final Session session;

  private Opened(Connection connection, String begin) throws SQLException {
    this.connection = connection;
    this.begin = connection.prepareStatement(begin);
    commit = connection.prepareStatement("COMMIT");
    rollBack = connection.prepareStatement("ROLLBACK");
    session = new Session(connection);
  }

  /** Connects and makes the settings, pragmas in their order. A busy file is the caller's to wait for. */
  static Opened at(Path path, String begin, List<String> settings) throws SQLException {
    // As a URI, because the driver takes a question mark in a plain name for the start of its own settings.
    Connection connection = JDBC.createConnection(JDBC.PREFIX + path.toUri(), new Properties());
    try {
      execute(connection, "PRAGMA busy_timeout = 0");
      for (String setting : settings) {
        execute(connection, setting);
      }
      return new Opened(connection, begin);
    } catch (SQLException e) {
      try {
        connection.close();
      } catch (SQLException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  void begin() throws SQLException {
    begin.execute();
  }

  void commit() throws SQLException {
    commit.execute();
  }

  /** Ends the transaction, unless SQLite has ended it by itself, as it does when the disk is full. */
  void rollBack() throws SQLException {
    try {
      rollBack.execute();
    } catch (SQLException e) {
      if (!String.valueOf(e.getMessage()).contains("no transaction is active")) {
        throw e;
      }
    }
  }

  void execute(String sql) throws SQLException {
    execute(connection, sql);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  void close() throws SQLException {
    connection.close();
  }
}
