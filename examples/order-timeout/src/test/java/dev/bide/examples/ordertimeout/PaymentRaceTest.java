package dev.bide.examples.ordertimeout;

import static dev.bide.examples.ordertimeout.OpenShop.await;
import static dev.bide.examples.ordertimeout.OpenShop.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.examples.ordertimeout.Orders.Order;
import dev.bide.examples.ordertimeout.Orders.State;
import dev.bide.examples.ordertimeout.Settings.Mode;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PaymentRaceTest {
  private static final int ORDERS = 120;
  private static final int STOCK = 100_000;

  @ParameterizedTest
  @EnumSource
  void ofPaymentAndTimeoutExactlyOneWins(Mode mode, @TempDir Path data) throws Exception {
    Settings settings = settings(data, mode, Duration.ofMillis(400));
    ExecutorService threads = Executors.newFixedThreadPool(16);
    try (Orders orders = new Orders(settings.orders(), Clock.systemUTC());
        Shop shop = Main.open(settings, new Orders(settings.orders(), Clock.systemUTC()))) {
      OpenShop http = new OpenShop(shop.url());
      List<Order> placed = new ArrayList<>();
      List<Future<Integer>> payments = new ArrayList<>();
      for (int i = 0; i < ORDERS; i++) {
        Order order = http.order("tea", 1 + i % 3);
        placed.add(order);
        // Two payments each, from 20 ms before the time to 40 ms after it.
        Instant moment = order.expiresAt().plusMillis(i % 60 - 20);
        for (int copy = 0; copy < 2; copy++) payments.add(threads.submit(() -> payAt(http, order, moment)));
      }
      int sold = 0;
      for (int i = 0; i < ORDERS; i++) {
        long id = placed.get(i).id();
        await(() -> http.find(id).state() != State.OPEN);
        Order order = http.find(id);
        boolean paid = order.state() == State.PAID;
        assertTrue(order.paidAt().isPresent() == paid && order.cancelledAt().isPresent() != paid, () -> "" + order);
        for (int copy = 0; copy < 2; copy++) assertEquals(paid ? 200 : 409, payments.get(2 * i + copy).get());
        sold += paid ? order.quantity() : 0;
      }
      assertEquals(STOCK - sold, orders.available("tea").orElseThrow());
    } finally {
      threads.shutdownNow();
    }
  }

  private static int payAt(OpenShop http, Order order, Instant moment) throws Exception {
    LockSupport.parkUntil(moment.toEpochMilli());
    return http.pay(order.id());
  }
}
