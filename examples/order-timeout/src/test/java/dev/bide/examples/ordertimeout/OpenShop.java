package dev.bide.examples.ordertimeout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.examples.ordertimeout.Orders.Order;
import dev.bide.examples.ordertimeout.Orders.State;
import dev.bide.examples.ordertimeout.Settings.Mode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.json.JsonMapper;

/** What tests do with a shop over HTTP, wherever it runs. Thread-safe. */
final class OpenShop {
  private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final JsonMapper JSON = new JsonMapper();
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final URI url;

  OpenShop(URI url) {
    this.url = url;
  }

  static Settings settings(Path data, Mode mode, Duration timeout) {
    return new Settings(mode, 0, data, timeout, 3, Duration.ofMillis(50), Duration.ofMillis(500));
  }

  HttpResponse<String> send(String method, String path, String body) throws IOException, InterruptedException {
    return HTTP.send(HttpRequest.newBuilder(url.resolve(path)).timeout(LIMIT)
        .method(method, BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
  }

  /** Places an order, which must succeed. */
  Order order(String item, int quantity) throws IOException, InterruptedException {
    HttpResponse<String> answer = send("POST", "/api/order", JSON.writeValueAsString(new Shop.Wish(item, quantity)));
    assertEquals(201, answer.statusCode(), answer.body());
    return JSON.readValue(answer.body(), Order.class);
  }

  Order find(long id) throws IOException, InterruptedException {
    HttpResponse<String> answer = send("GET", "/api/order/" + id, "");
    assertEquals(200, answer.statusCode(), answer.body());
    return JSON.readValue(answer.body(), Order.class);
  }

  /** Pays, and returns the status. */
  int pay(long id) throws IOException, InterruptedException {
    return send("POST", "/api/order/" + id + "/pay", "").statusCode();
  }

  Order awaitCancelled(long id) throws Exception {
    await(() -> find(id).state() == State.CANCELLED);
    Order order = find(id);
    assertTrue(!order.cancelledAt().orElseThrow().isBefore(order.expiresAt()), () -> "too early: " + order);
    return order;
  }

  static void await(Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.call()) {
      assertTrue(System.nanoTime() - end < 0, "not within " + LIMIT);
      LockSupport.parkNanos(5_000_000);
    }
  }
}
