package dev.bide.examples.ordertimeout;

import static dev.bide.examples.ordertimeout.OpenShop.await;
import static dev.bide.examples.ordertimeout.OpenShop.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.examples.ordertimeout.Evidence.Event;
import dev.bide.examples.ordertimeout.Orders.Order;
import dev.bide.examples.ordertimeout.Orders.State;
import dev.bide.examples.ordertimeout.Settings.Mode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CrashTest {

  @ParameterizedTest
  @EnumSource
  void aKilledShopMissesNothingAndDoesNothingTwice(Mode mode, @TempDir Path data) throws Exception {
    Settings settings = settings(data, mode, Duration.ofMillis(1_000));
    List<Order> unpaid = new ArrayList<>();
    Order paid;
    Order slow;
    try (ShopProcess process = ShopProcess.start(DemoShop.class, settings)) {
      OpenShop http = new OpenShop(process.url());
      slow = http.order(DemoShop.SLOW, 1);
      for (int i = 0; i < 10; i++) unpaid.add(http.order("tea", 2));
      paid = http.order("tea", 5);
      assertEquals(200, http.pay(paid.id()));
      await(() -> log(settings).stream().anyMatch(event -> event.is("STARTED") && event.order() == slow.id()));
      process.kill();
    }
    await(() -> Instant.now().isAfter(unpaid.get(9).expiresAt()));
    try (ShopProcess process = ShopProcess.start(DemoShop.class, settings)) {
      OpenShop http = new OpenShop(process.url());
      for (Order order : unpaid) http.awaitCancelled(order.id());
      http.awaitCancelled(slow.id());
      assertEquals(State.PAID, http.find(paid.id()).state());
      assertTrue(process.stop());
    }
    try (Orders orders = new Orders(settings.orders(), Clock.systemUTC())) {
      assertEquals(100_000 - 5, orders.available("tea").orElseThrow());
      assertEquals(100_000, orders.available(DemoShop.SLOW).orElseThrow());
    }
    assertEquals(List.of("done"), log(settings).stream().filter(event -> event.is("COMPLETED"))
        .filter(event -> event.order() == slow.id()).map(event -> event.field("detail")).toList());
  }

  private static List<Event> log(Settings settings) throws IOException {
    String text = Files.readString(settings.log());
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Event::of).toList();
  }
}
