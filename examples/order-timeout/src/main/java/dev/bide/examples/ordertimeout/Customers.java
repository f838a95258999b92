package dev.bide.examples.ordertimeout;

import dev.bide.examples.ordertimeout.Orders.Order;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The customers of the demo: they order over HTTP, and some pay. Where the shop does not answer, they ask again.
 *
 * <p>Thread-safe. What they note is what the shop has told them, and nothing else.
 */
final class Customers implements AutoCloseable {
  private static final int THREADS = 8;
  private static final Duration AGAIN = Duration.ofMillis(200);
  private static final JsonMapper JSON = new JsonMapper();

  /** When an order is paid. */
  private enum Payment {
    NEVER, EARLY, LAST_MOMENT, LATE
  }

  private final Supplier<URI> shop;
  private final Clock clock;
  private final int wanted;
  private final Random random = new Random(42);
  /** Apart, so that many orders do not delay a payment that is due in a certain moment. */
  private final ScheduledExecutorService ordering = Executors.newScheduledThreadPool(THREADS);
  private final ScheduledExecutorService paying = Executors.newScheduledThreadPool(THREADS);
  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
      .connectTimeout(Duration.ofSeconds(2)).build();
  private final Map<Long, Order> acknowledged = new ConcurrentHashMap<>();
  private final Map<Long, Integer> payments = new ConcurrentHashMap<>();
  private final AtomicInteger intended = new AtomicInteger();

  /**
   * Customers who do nothing yet.
   *
   * @param shop where the shop is at the moment
   * @param wanted how many orders they will place
   */
  Customers(Supplier<URI> shop, Clock clock, int wanted) {
    this.shop = shop;
    this.clock = clock;
    this.wanted = wanted;
  }

  /** Places all orders, evenly spread over a time, and later pays for some. */
  void begin(Duration span) {
    // Not more slow orders than a few handlers can bear.
    int slow = Math.max(12, (int) (wanted * 600L / span.toMillis()));
    for (int i = 0; i < wanted; i++) {
      String item = item(i, slow);
      boolean plain = item.equals("tea") || item.equals("cup");
      Payment payment = plain ? payment(random.nextInt(100)) : Payment.NEVER;
      int quantity = 1 + random.nextInt(3);
      later(ordering, span.multipliedBy(i).dividedBy(wanted), () -> order(item, quantity, payment));
    }
  }

  private String item(int i, int slow) {
    return i == wanted / 3
        ? DemoShop.POISON
        : i % 20 == 7 ? DemoShop.FLAKY : i % slow == 5 ? DemoShop.SLOW : i % 2 == 0 ? "tea" : "cup";
  }

  private static Payment payment(int percent) {
    return percent < 40
        ? Payment.NEVER
        : percent < 70 ? Payment.EARLY : percent < 90 ? Payment.LAST_MOMENT : Payment.LATE;
  }

  /** Returns the orders that the shop has confirmed, by number. */
  Map<Long, Order> acknowledged() {
    return Map.copyOf(acknowledged);
  }

  /** Returns the status that each payment was answered with, by order. */
  Map<Long, Integer> payments() {
    return Map.copyOf(payments);
  }

  /** Returns how many orders and payments are not answered yet. */
  int waiting() {
    return wanted - acknowledged.size() + intended.get() - payments.size();
  }

  private void order(String item, int quantity, Payment payment) {
    String wish = JSON.writeValueAsString(new Shop.Wish(item, quantity));
    HttpResponse<String> answer = post("/api/order", wish);
    if (answer == null || answer.statusCode() != 201) {
      later(ordering, AGAIN, () -> order(item, quantity, payment));
      return;
    }
    Order order = JSON.readValue(answer.body(), Order.class);
    if (payment != Payment.NEVER) {
      intended.incrementAndGet();
      later(paying, Duration.between(clock.instant(), moment(order, payment)), () -> pay(order));
    }
    acknowledged.put(order.id(), order);
  }

  private Instant moment(Order order, Payment payment) {
    long timeout = Duration.between(order.createdAt(), order.expiresAt()).toMillis();
    double chance;
    synchronized (random) {
      chance = random.nextDouble();
    }
    return switch (payment) {
      case EARLY -> order.createdAt().plusMillis((long) (timeout * 0.7 * chance));
      case LAST_MOMENT -> order.expiresAt().minusMillis((long) (20 * chance));
      default -> order.expiresAt().plusMillis(300 + (long) (700 * chance));
    };
  }

  private void pay(Order order) {
    HttpResponse<String> answer = post("/api/order/" + order.id() + "/pay", "");
    if (answer == null || answer.statusCode() >= 500) {
      later(paying, AGAIN, () -> pay(order));
    } else {
      payments.put(order.id(), answer.statusCode());
    }
  }

  /** Returns null if there was no answer. */
  private @Nullable HttpResponse<String> post(String path, String body) {
    HttpRequest request = HttpRequest.newBuilder(shop.get().resolve(path)).timeout(Duration.ofSeconds(5))
        .POST(BodyPublishers.ofString(body)).build();
    try {
      return http.send(request, BodyHandlers.ofString());
    } catch (IOException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  private static void later(ScheduledExecutorService threads, Duration delay, Runnable step) {
    if (!threads.isShutdown()) {
      var unused = threads.schedule(step, delay.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public void close() {
    ordering.shutdownNow();
    paying.shutdownNow();
  }
}
