package dev.bide.examples.ordertimeout;

import static dev.bide.examples.ordertimeout.OpenShop.await;
import static dev.bide.examples.ordertimeout.OpenShop.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.Bide;
import dev.bide.examples.ordertimeout.Orders.Order;
import dev.bide.examples.ordertimeout.Orders.State;
import dev.bide.examples.ordertimeout.Settings.Mode;
import dev.bide.sqlite.SqliteStore;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ShopTest {
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration LATER = Duration.ofHours(1);

  @TempDir
  private Path data;

  @ParameterizedTest
  @EnumSource
  void anUnpaidOrderIsCancelledAfterItsTimeAndItsGoodsAreBack(Mode mode) throws Exception {
    try (Shop shop = open(mode, SOON)) {
      OpenShop http = new OpenShop(shop.url());
      long before = stock("tea");
      Order order = http.order("tea", 3);
      assertEquals(State.OPEN, order.state());
      assertEquals(before - 3, stock("tea"));
      http.awaitCancelled(order.id());
      assertEquals(before, stock("tea"));
      assertEquals(409, http.pay(order.id()));
      assertEquals(State.CANCELLED, http.find(order.id()).state());
    }
    assertEquals("done", task(1).outcome().orElseThrow());
  }

  @ParameterizedTest
  @EnumSource
  void aPaidOrderIsNeverCancelled(Mode mode) throws Exception {
    try (Shop shop = open(mode, SOON)) {
      OpenShop http = new OpenShop(shop.url());
      long before = stock("tea");
      Order paid = http.order("tea", 2);
      assertEquals(200, http.pay(paid.id()));
      assertEquals(200, http.pay(paid.id()));
      Order unpaid = http.order("tea", 1);
      http.awaitCancelled(unpaid.id());
      assertEquals(State.PAID, http.find(paid.id()).state());
      assertEquals(before - 2, stock("tea"));
    }
    assertEquals(TaskState.CANCELLED, task(1).state());
  }

  @ParameterizedTest
  @EnumSource
  void anOrderPaidBehindTheBackOfItsTaskIsSkipped(Mode mode) throws Exception {
    try (Shop shop = open(mode, SOON); Orders orders = orders()) {
      Order order = new OpenShop(shop.url()).order("tea", 1);
      orders.pay(order.id());
      await(() -> Files.readString(settings(data, mode, SOON).log()).contains("\"detail\":\"skipped: paid\""));
      assertEquals(State.PAID, new OpenShop(shop.url()).find(order.id()).state());
    }
    assertEquals("skipped: paid", task(1).outcome().orElseThrow());
  }

  @ParameterizedTest
  @EnumSource
  void anOrderThatCameDueWhileTheShopWasClosedIsCancelledAtTheNextStart(Mode mode) throws Exception {
    Order order;
    try (Shop shop = open(mode, SOON)) {
      order = new OpenShop(shop.url()).order("tea", 1);
    }
    await(() -> Instant.now().isAfter(order.expiresAt()));
    try (Shop shop = open(mode, LATER)) {
      new OpenShop(shop.url()).awaitCancelled(order.id());
    }
  }

  @ParameterizedTest
  @EnumSource
  void anOrderWithoutATaskGetsOneAtTheNextStart(Mode mode) throws Exception {
    long id;
    try (Orders orders = orders()) {
      orders.offer("tea", 10);
      id = orders.create("tea", 1, Instant.now().plusMillis(100)).orElseThrow().id();
    }
    try (Shop shop = open(mode, LATER)) {
      new OpenShop(shop.url()).awaitCancelled(id);
    }
  }

  @Test
  void aRestartLeavesTheTasksOfOpenOrdersAsTheyAre() throws Exception {
    try (Shop shop = open(Mode.PUSH, LATER)) {
      new OpenShop(shop.url()).order("tea", 1);
    }
    Task before = task(1);
    open(Mode.PUSH, SOON).close();
    Task after = task(1);
    assertEquals(before.seq(), after.seq());
    assertEquals(before.dueAt(), after.dueAt());
  }

  @Test
  void inHybridModePullsHelpWhenABacklogBuilds() throws Exception {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Settings settings = settings(data, Mode.HYBRID, SOON);
    Orders slow = new Orders(settings.orders(), Clock.systemUTC()) {
      @Override
      Optional<State> cancel(long id) throws SQLException {
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        pause();
        running.decrementAndGet();
        return super.cancel(id);
      }
    };
    slow.offer("tea", 1_000);
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 60; i++) ids.add(slow.create("tea", 1, Instant.now()).orElseThrow().id());
    try (Shop shop = Main.open(settings, slow)) {
      OpenShop http = new OpenShop(shop.url());
      for (long id : ids) http.awaitCancelled(id);
    }
    assertTrue(most.get() > Timeouts.HYBRID_CREDIT, () -> "at most " + most + " at once");
  }

  /** Waits 100 ms, for nothing. */
  private static void pause() {
    try {
      assertTrue(!new CountDownLatch(1).await(100, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void whatIsWrongWithARequestIsAnsweredAsAProblem() throws Exception {
    try (Shop shop = open(Mode.PUSH, LATER)) {
      OpenShop http = new OpenShop(shop.url());
      for (String body : List.of("", "null", "[]", "{", "tea", "{\"item\":\"tea\"}", "{\"quantity\":1}",
          "{\"item\":\"tea\",\"quantity\":0}", "{\"item\":\"tea\",\"quantity\":-1}",
          "{\"item\":\"tea\",\"quantity\":100000}", "{\"item\":\"tea\",\"quantity\":\"many\"}",
          "{\"item\":\"gold\",\"quantity\":1}", " ".repeat(100_000))) {
        assertProblem(400, http.send("POST", "/api/order", body));
      }
      for (String path : List.of("/", "/api", "/api/orders", "/api/order/", "/api/order/1/pays", "/api/order/x",
          "/api/order/-1", "/api/order/99999999999999999999", "/api/order/1")) {
        assertProblem(404, http.send("GET", path, ""));
      }
      assertProblem(404, http.send("POST", "/api/order/1/pay", ""));
      assertProblem(405, http.send("GET", "/api/order", ""));
      assertProblem(405, http.send("DELETE", "/api/order/1", ""));
      HttpResponse<String> answer = http.send("GET", "/api/order/1/pay", "");
      assertProblem(405, answer);
      assertEquals("POST", answer.headers().firstValue("Allow").orElseThrow());
    }
  }

  private static void assertProblem(int status, HttpResponse<String> answer) {
    assertEquals(status, answer.statusCode(), answer.body());
    assertEquals("application/problem+json", answer.headers().firstValue("Content-Type").orElseThrow());
    assertTrue(answer.body().contains("\"detail\":\""), answer.body());
  }

  @Test
  void anOrderIsAnsweredWithItsPlaceAndItsTime() throws Exception {
    try (Shop shop = open(Mode.PUSH, LATER)) {
      HttpResponse<String> answer = new OpenShop(shop.url()).send("POST", "/api/order",
          "{\"item\":\"cup\",\"quantity\":2,\"gift\":true}");
      assertEquals(201, answer.statusCode());
      assertEquals("/api/order/1", answer.headers().firstValue("Location").orElseThrow());
      Order order = new OpenShop(shop.url()).find(1);
      assertEquals(task(1).dueAt(), order.expiresAt());
      assertTrue(answer.body().contains("\"state\":\"OPEN\""), answer.body());
      assertTrue(answer.body().contains("\"expiresAt\":\"" + order.expiresAt() + "\""), answer.body());
    }
  }

  @Test
  void aPortThatIsTakenIsNamed() throws Exception {
    try (Shop shop = open(Mode.PUSH, LATER)) {
      String port = "" + shop.url().getPort();
      Settings taken = Settings.of("--data", data.toString(), "--port", port);
      try (Orders orders = orders(); Timeouts timeouts = new Timeouts(taken, orders)) {
        IOException refusal = assertThrows(IOException.class,
            () -> new Shop(taken, orders, timeouts, Clock.systemUTC()));
        assertTrue(refusal.toString().contains("port " + port + "; --port 0"), refusal.toString());
      }
    }
  }

  @Test
  void noMoreIsSoldThanThereIs() throws Exception {
    try (Orders orders = orders()) {
      orders.offer("tea", 3);
    }
    try (Shop shop = open(Mode.PUSH, SOON)) {
      OpenShop http = new OpenShop(shop.url());
      Order order = http.order("tea", 2);
      assertProblem(409, http.send("POST", "/api/order", "{\"item\":\"tea\",\"quantity\":2}"));
      http.awaitCancelled(order.id());
      http.order("tea", 3);
    }
  }

  private Shop open(Mode mode, Duration timeout) throws IOException, SQLException {
    return Main.open(settings(data, mode, timeout), orders());
  }

  private Orders orders() throws SQLException {
    return new Orders(settings(data, Mode.PUSH, LATER).orders(), Clock.systemUTC());
  }

  private long stock(String item) throws SQLException {
    try (Orders orders = orders()) {
      return orders.available(item).orElseThrow();
    }
  }

  /** Asks Bide for the task of an order, beside the shop or after it. */
  private Task task(long order) {
    Settings settings = settings(data, Mode.PUSH, LATER);
    try (Bide bide = Bide.on(SqliteStore.at(settings.tasks())).start()) {
      return bide.queue(Timeouts.spec(settings)).inspect(Timeouts.id(order)).orElseThrow();
    }
  }
}
