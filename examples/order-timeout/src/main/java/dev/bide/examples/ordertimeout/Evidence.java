package dev.bide.examples.ordertimeout;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.bide.Bide;
import dev.bide.TaskQueue;
import dev.bide.examples.ordertimeout.Orders.Order;
import dev.bide.examples.ordertimeout.Timeouts.CancelOrder;
import dev.bide.sqlite.SqliteStore;
import dev.bide.task.Task;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * Where the demo finds out what really happened: the shop's tables, a journal that the database itself keeps of every
 * change of an order, the processing log, and Bide's own record of each task.
 *
 * <p>Not thread-safe. It reads beside the shop, and changes nothing but adding the journal.
 */
final class Evidence implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();

  /** A line of the processing log. */
  record Event(Map<String, String> fields) {

    static Event of(String line) {
      return new Event(JSON.readValue(line, new TypeReference<Map<String, String>>() {}));
    }

    Instant at() {
      return Instant.parse(field("at"));
    }

    String kind() {
      return field("event");
    }

    boolean is(String kind) {
      return kind().equals(kind);
    }

    String field(String name) {
      return fields.getOrDefault(name, "");
    }

    /** Returns the number of the order; tasks are called {@code cancel_order_…}. */
    long order() {
      return Long.parseLong(field("task").substring("cancel_order_".length()));
    }

    Duration lateness() {
      return Duration.ofMillis(Long.parseLong(field("latenessMs")));
    }
  }

  private final Settings settings;
  private final Connection connection;
  private final List<Event> events = new ArrayList<>();
  private long read;

  /** Begins to look at the files of an open shop. */
  Evidence(Settings settings) throws SQLException {
    this.settings = settings;
    connection = DriverManager.getConnection("jdbc:sqlite:" + settings.orders() + "?busy_timeout=5000");
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE journal (id INTEGER, was TEXT, became TEXT)");
      statement.execute("CREATE TRIGGER journal AFTER UPDATE OF state ON orders"
          + " BEGIN INSERT INTO journal VALUES (new.id, old.state, new.state); END");
    }
  }

  /** Returns all orders there are, by number, confirmed to a customer or not. */
  Map<Long, Order> orders() throws SQLException {
    Map<Long, Order> orders = new TreeMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT * FROM orders")) {
      while (rows.next()) {
        Order order = Orders.order(rows);
        orders.put(order.id(), order);
      }
    }
    return orders;
  }

  /** Returns what is in stock of each item. */
  Map<String, Long> stock() throws SQLException {
    return counts("SELECT item, available FROM stock");
  }

  /** Returns how many orders are in each state. */
  Map<String, Long> states() throws SQLException {
    return counts("SELECT state, count(*) FROM orders GROUP BY state");
  }

  /** Returns how often each order has changed its state. */
  Map<Long, Long> changes() throws SQLException {
    Map<Long, Long> changes = new TreeMap<>();
    counts("SELECT id, count(*) FROM journal GROUP BY id").forEach((id, count) -> changes.put(Long.valueOf(id), count));
    return changes;
  }

  private Map<String, Long> counts(String sql) throws SQLException {
    Map<String, Long> counts = new TreeMap<>();
    try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) counts.put(rows.getString(1), rows.getLong(2));
    }
    return counts;
  }

  /** Returns the events that were logged since the last call. */
  List<Event> news() throws IOException {
    if (!Files.exists(settings.log())) {
      return List.of();
    }
    List<Event> news = new ArrayList<>();
    try (RandomAccessFile file = new RandomAccessFile(settings.log().toFile(), "r")) {
      file.seek(read);
      byte[] bytes = new byte[(int) (file.length() - read)];
      file.readFully(bytes);
      String text = new String(bytes, UTF_8);
      String whole = text.substring(0, text.lastIndexOf('\n') + 1);
      read += whole.getBytes(UTF_8).length;
      whole.lines().map(Event::of).forEach(news::add);
    }
    events.addAll(news);
    return news;
  }

  /** Returns all events that {@link #news} has returned. */
  List<Event> events() {
    return events;
  }

  /** Asks Bide for the task of each order; the shop must be closed, so that all it did is on record. */
  Map<Long, Task> tasks(Iterable<Long> ids) {
    Map<Long, Task> tasks = new TreeMap<>();
    try (Bide bide = Bide.on(SqliteStore.at(settings.tasks())).start()) {
      TaskQueue<CancelOrder> queue = bide.queue(Timeouts.spec(settings));
      for (long id : ids) {
        Optional<Task> task = queue.inspect(Timeouts.id(id));
        task.ifPresent(found -> tasks.put(id, found));
      }
    }
    return tasks;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
