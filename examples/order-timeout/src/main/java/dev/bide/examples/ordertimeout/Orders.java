package dev.bide.examples.ordertimeout;

import static java.lang.System.Logger.Level.WARNING;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The shop's own tables: orders, and the stock they are taken from.
 *
 * <p>Thread-safe: one connection, one transaction at a time. Each change is one transaction, and safe on the disk when its
 * method returns. An order leaves OPEN once: whoever comes first, payment or cancellation, wins.
 */
class Orders implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Orders.class.getName());
  private static final List<String> TABLES = List.of("""
      CREATE TABLE IF NOT EXISTS orders (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        item TEXT NOT NULL,
        quantity INTEGER NOT NULL,
        state TEXT NOT NULL DEFAULT 'OPEN',
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        paid_at INTEGER,
        cancelled_at INTEGER)""", """
      CREATE TABLE IF NOT EXISTS stock (
        item TEXT PRIMARY KEY,
        available INTEGER NOT NULL CHECK (available >= 0))""", """
      CREATE INDEX IF NOT EXISTS open_orders ON orders (id) WHERE state = 'OPEN'""");

  /** Where an order stands. */
  enum State {
    /** Waits for its payment; its goods are set aside. */
    OPEN,
    /** Paid in time. */
    PAID,
    /** Not paid in time; its goods are back in stock. */
    CANCELLED
  }

  /** An order as it stands. Times are in whole milliseconds. */
  record Order(long id, String item, int quantity, State state, Instant createdAt, Instant expiresAt,
      Optional<Instant> paidAt, Optional<Instant> cancelledAt) {}

  private final Connection connection;
  private final Clock clock;

  /** Opens the tables in {@code file}, and creates them if they are new. */
  Orders(Path file, Clock clock) throws SQLException {
    this.clock = clock;
    connection = DriverManager
        .getConnection("jdbc:sqlite:" + file + "?busy_timeout=5000&journal_mode=WAL&synchronous=FULL");
    for (String table : TABLES) execute(table);
  }

  /** Puts an item on sale; one that is on sale already keeps its stock. */
  void offer(String item, int available) throws SQLException {
    inTransaction(() -> update("INSERT INTO stock VALUES (?, ?) ON CONFLICT DO NOTHING", item, available));
  }

  /** Returns how much of an item is in stock; empty if the shop does not sell it. */
  Optional<Integer> available(String item) throws SQLException {
    return inTransaction(() -> select("SELECT available FROM stock WHERE item = ?", row -> row.getInt(1), item))
        .stream().findFirst();
  }

  /** Sets goods aside for a new order; empty if there are not enough. */
  Optional<Order> create(String item, int quantity, Instant expiresAt) throws SQLException {
    return inTransaction(() -> {
      boolean enough = update("UPDATE stock SET available = available - ?1 WHERE item = ?2 AND available >= ?1",
          quantity, item) == 1;
      return enough ? Optional.of(insert(item, quantity, expiresAt)) : Optional.empty();
    });
  }

  private Order insert(String item, int quantity, Instant expiresAt) throws SQLException {
    return select("INSERT INTO orders (item, quantity, created_at, expires_at) VALUES (?, ?, ?, ?) RETURNING *",
        Orders::order, item, quantity, clock.millis(), expiresAt.toEpochMilli()).get(0);
  }

  Optional<Order> find(long id) throws SQLException {
    return inTransaction(() -> select("SELECT * FROM orders WHERE id = ?", Orders::order, id)).stream().findFirst();
  }

  /** Returns all orders that wait for their payment, oldest first. */
  List<Order> open() throws SQLException {
    return inTransaction(() -> select("SELECT * FROM orders WHERE state = 'OPEN' ORDER BY id", Orders::order));
  }

  /** Marks an order as paid if it is open; returns how it stands then: PAID, or CANCELLED if that came first. */
  Optional<Order> pay(long id) throws SQLException {
    return inTransaction(() -> {
      update("UPDATE orders SET state = 'PAID', paid_at = ? WHERE id = ? AND state = 'OPEN'", clock.millis(), id);
      return select("SELECT * FROM orders WHERE id = ?", Orders::order, id).stream().findFirst();
    });
  }

  /**
   * Cancels an order if it is open, and puts its goods back into stock. Doing so again has no effect.
   *
   * @return the state that was found: only from OPEN did this call change anything; empty if there is no such order
   */
  Optional<State> cancel(long id) throws SQLException {
    return inTransaction(() -> {
      Optional<Order> found = select("SELECT * FROM orders WHERE id = ?", Orders::order, id).stream().findFirst();
      boolean cancelled = update(
          "UPDATE orders SET state = 'CANCELLED', cancelled_at = ? WHERE id = ? AND state = 'OPEN'", clock.millis(),
          id) == 1;
      if (cancelled) {
        Order order = found.orElseThrow();
        update("UPDATE stock SET available = available + ? WHERE item = ?", order.quantity(), order.item());
      }
      return found.map(Order::state);
    });
  }

  @Override
  public synchronized void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.log(WARNING, "cannot close the orders", e);
    }
  }

  /** Work within a transaction. */
  private interface Work<T> {
    T run() throws SQLException;
  }

  /** Makes a value of a row. */
  private interface Row<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** By hand: with auto-commit off, the driver would begin the next transaction, and lock the file, at each commit. */
  private synchronized <T> T inTransaction(Work<T> work) throws SQLException {
    execute("BEGIN IMMEDIATE");
    try {
      T result = work.run();
      execute("COMMIT");
      return result;
    } catch (SQLException | RuntimeException e) {
      execute("ROLLBACK");
      throw e;
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private int update(String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = prepare(sql, values)) {
      return statement.executeUpdate();
    }
  }

  private <T> List<T> select(String sql, Row<T> reader, Object... values) throws SQLException {
    try (PreparedStatement statement = prepare(sql, values); ResultSet rows = statement.executeQuery()) {
      List<T> result = new ArrayList<>();
      while (rows.next()) result.add(reader.read(rows));
      return result;
    }
  }

  private PreparedStatement prepare(String sql, Object... values) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) statement.setObject(i + 1, values[i]);
    return statement;
  }

  static Order order(ResultSet row) throws SQLException {
    return new Order(row.getLong("id"), row.getString("item"), row.getInt("quantity"),
        State.valueOf(row.getString("state")), Instant.ofEpochMilli(row.getLong("created_at")),
        Instant.ofEpochMilli(row.getLong("expires_at")), instant(row, "paid_at"), instant(row, "cancelled_at"));
  }

  private static Optional<Instant> instant(ResultSet row, String column) throws SQLException {
    long millis = row.getLong(column);
    return row.wasNull() ? Optional.empty() : Optional.of(Instant.ofEpochMilli(millis));
  }
}
