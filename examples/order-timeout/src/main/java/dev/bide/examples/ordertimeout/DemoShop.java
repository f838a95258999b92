package dev.bide.examples.ordertimeout;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The shop of the demo: the real one, but that some goods bring trouble when their order is cancelled.
 *
 * <table>
 * <caption>Goods</caption>
 * <tr>
 * <td>flaky</td>
 * <td>the first attempt fails</td>
 * </tr>
 * <tr>
 * <td>poison</td>
 * <td>every attempt fails</td>
 * </tr>
 * <tr>
 * <td>slow</td>
 * <td>takes most of a second, so that a kill finds some at work</td>
 * </tr>
 * </table>
 */
final class DemoShop {
  static final String FLAKY = "flaky";
  static final String POISON = "poison";
  static final String SLOW = "slow";

  private static final int SLOW_MILLIS = 800;

  private DemoShop() {}

  /** Takes the options of the shop. */
  public static void main(String[] args) throws IOException, SQLException {
    Settings settings = Settings.of(args);
    serve(settings, new FaultyOrders(settings));
  }

  static void serve(Settings settings, FaultyOrders orders) throws IOException, SQLException {
    endWithTheDemo();
    for (String item : Set.of(FLAKY, POISON, SLOW)) orders.offer(item, 100_000);
    Main.serve(settings, orders);
  }

  /** The demo holds the other end of our standard input, which ends with it however it ends. */
  private static void endWithTheDemo() {
    Thread watch = new Thread(() -> {
      try {
        while (System.in.read() >= 0) Thread.onSpinWait();
      } catch (IOException e) {
        System.err.println("the demo is gone: " + e);
      }
      System.exit(0);
    });
    watch.setDaemon(true);
    watch.start();
  }

  /** Orders of which some cannot be cancelled at once. */
  static class FaultyOrders extends Orders {
    private final Set<Long> failed = ConcurrentHashMap.newKeySet();

    FaultyOrders(Settings settings) throws SQLException {
      super(settings.orders(), Clock.systemUTC());
    }

    @Override
    Optional<State> cancel(long id) throws SQLException {
      String item = find(id).map(Order::item).orElse("");
      if (item.equals(POISON)) {
        throw new IllegalStateException("poison: this order can never be cancelled");
      }
      if (item.equals(FLAKY) && failed.add(id)) {
        throw new IllegalStateException("flaky: the first attempt fails");
      }
      if (item.equals(SLOW)) {
        pause();
      }
      return super.cancel(id);
    }

    private static void pause() {
      try {
        Thread.sleep(SLOW_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
