package dev.bide.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connection with its prepared statements, each prepared once. Used by one thread at a time.
 *
 * <p>Its methods throw {@link SqlFailure} where the driver throws.
 */
public final class Session implements AutoCloseable {
  private final Connection connection;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();
  private final ClaimedTasks claimed = new ClaimedTasks();

  /** A session on {@code connection}, which stays the caller's to close. */
  public Session(Connection connection) {
    this.connection = connection;
  }

  /** Returns the tasks that were claimed in transactions of this session, all of which were committed. */
  ClaimedTasks claimed() {
    return claimed;
  }

  /** Executes a query and returns what {@code row} makes of each row. */
  <T> List<T> rows(String sql, Row<T> row, @Nullable Object... values) {
    try (ResultSet result = bound(sql, values).executeQuery()) {
      List<T> all = new ArrayList<>();
      while (result.next()) {
        all.add(row.of(result));
      }
      return all;
    } catch (SQLException e) {
      throw new SqlFailure(e);
    }
  }

  /** Executes a query that has one row at most. */
  <T> Optional<T> row(String sql, Row<T> row, @Nullable Object... values) {
    List<T> all = rows(sql, row, values);
    assert all.size() <= 1 : sql;
    return all.stream().findFirst();
  }

  /** Executes a change and returns how many rows it touched. */
  int update(String sql, @Nullable Object... values) {
    try {
      return bound(sql, values).executeUpdate();
    } catch (SQLException e) {
      throw new SqlFailure(e);
    }
  }

  /** Executes a change for each of {@code items}, with the values that belong to it. */
  <T> void batch(String sql, Collection<T> items, Function<T, @Nullable Object[]> values) {
    if (items.isEmpty()) {
      return;
    }
    try {
      PreparedStatement statement = prepare(sql);
      for (T item : items) {
        bind(statement, values.apply(item));
        statement.addBatch();
      }
      statement.executeBatch();
    } catch (SQLException e) {
      throw new SqlFailure(e);
    }
  }

  /** Executes a statement that is needed once. */
  void execute(String sql) {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new SqlFailure(e);
    }
  }

  private PreparedStatement bound(String sql, @Nullable Object... values) throws SQLException {
    PreparedStatement statement = prepare(sql);
    bind(statement, values);
    return statement;
  }

  private PreparedStatement prepare(String sql) throws SQLException {
    PreparedStatement statement = prepared.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      prepared.put(sql, statement);
    }
    return statement;
  }

  private static void bind(PreparedStatement statement, @Nullable Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
  }

  /** Closes the statements. */
  @Override
  public void close() throws SQLException {
    for (PreparedStatement statement : prepared.values()) {
      statement.close();
    }
    prepared.clear();
  }

  /**
   * Reads a row.
   *
   * @param <T> what it holds
   */
  @FunctionalInterface
  interface Row<T> {
    T of(ResultSet row) throws SQLException;
  }
}
