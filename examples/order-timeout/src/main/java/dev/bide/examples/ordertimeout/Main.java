package dev.bide.examples.ordertimeout;

import dev.bide.spi.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Arrays;

/** Starts the shop, or the demo of it. */
final class Main {
  private Main() {}

  /** Takes the options of {@link Settings}, or {@code demo} and those of {@link Demo}. */
  public static void main(String[] args) {
    if (args.length > 0 && args[0].equals("demo")) {
      Demo.main(Arrays.copyOfRange(args, 1, args.length));
      return;
    }
    try {
      Settings settings = Settings.of(args);
      Files.createDirectories(settings.data());
      serve(settings, new Orders(settings.orders(), Clock.systemUTC()));
    } catch (IllegalArgumentException e) {
      System.err.println("order-timeout: " + e.getMessage() + "\n\n" + Settings.USAGE);
      System.exit(2);
    } catch (IOException | SQLException | StoreException e) {
      System.err.println("order-timeout: " + e.getMessage());
      System.exit(1);
    }
  }

  /** Opens the shop, says where it is, and closes it when the process is asked to end. */
  static void serve(Settings settings, Orders orders) throws IOException, SQLException {
    Shop shop = open(settings, orders);
    Runtime.getRuntime().addShutdownHook(new Thread(shop::close, "shutdown"));
    System.out.println("the shop is open at " + shop.url());
  }

  static Shop open(Settings settings, Orders orders) throws IOException, SQLException {
    orders.offer("tea", 100_000);
    orders.offer("cup", 100_000);
    return new Shop(settings, orders, new Timeouts(settings, orders), Clock.systemUTC());
  }
}
