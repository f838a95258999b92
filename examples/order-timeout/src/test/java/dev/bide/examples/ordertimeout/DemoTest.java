package dev.bide.examples.ordertimeout;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.examples.ordertimeout.DemoShop.FaultyOrders;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DemoTest {

  @Test
  void everyPromiseIsKept() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int status = Demo.run(DemoShop.class, new PrintStream(out, true, UTF_8), "--for", "8s", "--orders", "60");
    String text = out.toString(UTF_8);
    assertEquals(0, status, text);
    for (String line : List.of("KILLED the shop", "open again after", "is tried again: ", "is a dead letter",
        "every promise was kept")) {
      assertTrue(text.contains(line), text);
    }
    for (String row : List.of("early +0", "dead letters +1", "retried +[1-9]\\d*", "cancelled +[1-9]\\d*",
        "tasks due +[1-9]\\d* +[1-9]\\d*", "lateness p99 +\\d+ ms +\\d+ ms")) {
      assertTrue(text.lines().anyMatch(line -> line.matches(row)), row + " in:\n" + text);
    }
    assertEquals(9, text.lines().filter(line -> line.startsWith("ok ")).count(), text);
  }

  @Test
  void aShopThatBreaksAPromiseIsFoundOut() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int status = Demo.run(CarelessShop.class, new PrintStream(out, true, UTF_8), "--for", "8s", "--orders", "60");
    String text = out.toString(UTF_8);
    assertEquals(1, status, text);
    for (String promise : List.of("no order is both paid and cancelled", "each order is paid or cancelled once",
        "the stock adds up")) {
      assertTrue(text.contains("FAILED  " + promise), promise + " in:\n" + text);
    }
    assertTrue(text.contains("3 of 9 promises were broken"), text);
  }

  @Test
  void optionsAreChecked() {
    for (String[] wrong : List.of(new String[]{"--for", "soon"}, new String[]{"--orders", "-1"},
        new String[]{"--mode", "PUSH"}, new String[]{"--speed", "9"}, new String[]{"--for"})) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      assertEquals(2, Demo.run(DemoShop.class, new PrintStream(out, true, UTF_8), wrong));
      assertTrue(out.toString(UTF_8).startsWith("demo: ") && out.toString(UTF_8).contains("usage: bide demo"));
      assertFalse(out.toString(UTF_8).contains("\tat "));
    }
  }

  /** A shop that takes the money whether the order was cancelled or not. */
  static final class CarelessShop {
    private CarelessShop() {}

    public static void main(String[] args) throws IOException, SQLException {
      Settings settings = Settings.of(args);
      DemoShop.serve(settings, new CarelessOrders(settings));
    }
  }

  private static final class CarelessOrders extends FaultyOrders {
    private final String url;

    CarelessOrders(Settings settings) throws SQLException {
      super(settings);
      url = "jdbc:sqlite:" + settings.orders() + "?busy_timeout=5000";
    }

    @Override
    Optional<Order> pay(long id) throws SQLException {
      if (super.pay(id).isPresent()) {
        try (Connection connection = DriverManager.getConnection(url);
            Statement statement = connection.createStatement()) {
          statement.execute("UPDATE orders SET state = 'PAID', paid_at = expires_at WHERE id = " + id
              + " AND state = 'CANCELLED'");
        }
      }
      return find(id);
    }
  }
}
