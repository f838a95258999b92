package dev.bide.examples.ordertimeout;

import static java.lang.System.Logger.Level.ERROR;
import static java.lang.System.Logger.Level.WARNING;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.bide.examples.ordertimeout.Orders.Order;
import dev.bide.examples.ordertimeout.Orders.State;
import dev.bide.spi.StoreException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The shop over HTTP, on this machine only:
 *
 * <pre>
 * POST /api/order            {"item": "tea", "quantity": 2}   201 with the order
 * GET  /api/order/{id}                                        200 with the order
 * POST /api/order/{id}/pay                                    200 with the order; 409 if it was cancelled
 * </pre>
 */
final class Shop implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Shop.class.getName());
  private static final JsonMapper JSON = new JsonMapper();
  private static final Pattern ORDER = Pattern.compile("/api/order(?:/(\\d{1,18})(/pay)?)?");
  private static final int LONGEST_BODY = 16 * 1024;
  private static final int MOST = 1_000;

  static {
    // Otherwise each answer waits for the network's acknowledgement of its headers.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final Orders orders;
  private final Timeouts timeouts;
  private final Duration timeout;
  private final Clock clock;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newFixedThreadPool(16);

  /** What a customer sends. */
  record Wish(@Nullable String item, int quantity) {}

  /** An answer: a status, a value to be written as JSON, and one header more. */
  private record Answer(int status, Object body, Map<String, String> headers) {
    Answer with(String header, String value) {
      return new Answer(status, body, Map.of(header, value));
    }
  }

  /** Says in an answer what is wrong, as RFC 9457 has it. */
  record Problem(String title, int status, String detail) {}

  /** Opens the shop, and closes {@code timeouts} and {@code orders} with it. */
  Shop(Settings settings, Orders orders, Timeouts timeouts, Clock clock) throws IOException {
    this.orders = orders;
    this.timeouts = timeouts;
    this.clock = clock;
    timeout = settings.timeout();
    server = listen(settings.port());
    server.createContext("/", this::serve);
    server.setExecutor(threads);
    server.start();
  }

  private static HttpServer listen(int port) throws IOException {
    try {
      return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    } catch (BindException e) {
      throw new IOException("cannot listen on port " + port + "; --port 0 takes any that is free", e);
    }
  }

  /** Returns where the shop is, with no slash at the end. */
  URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private Answer answer(HttpExchange exchange) throws IOException, SQLException {
    Matcher path = ORDER.matcher(exchange.getRequestURI().getPath());
    if (!path.matches()) {
      return problem(404, "there is nothing here; orders are at /api/order");
    }
    String allowed = path.group(1) != null && path.group(2) == null ? "GET" : "POST";
    if (!exchange.getRequestMethod().equals(allowed)) {
      return problem(405, "only " + allowed + " is possible here").with("Allow", allowed);
    }
    if (path.group(1) == null) {
      return order(exchange.getRequestBody().readNBytes(LONGEST_BODY + 1));
    }
    long id = Long.parseLong(path.group(1));
    return allowed.equals("GET") ? find(id) : pay(id);
  }

  private Answer order(byte[] body) throws SQLException {
    Wish wish;
    try {
      wish = body.length > LONGEST_BODY ? new Wish(null, 0) : JSON.readValue(body, Wish.class);
    } catch (JacksonException e) {
      return problem(400, "the body must be JSON such as {\"item\": \"tea\", \"quantity\": 2}");
    }
    if (wish == null || wish.item() == null || wish.quantity() < 1 || wish.quantity() > MOST) {
      return problem(400, "item must be given, and quantity must be 1 to " + MOST);
    }
    Optional<Integer> available = orders.available(wish.item());
    if (available.isEmpty()) {
      return problem(400, "no such item is sold here");
    }
    Optional<Order> order = orders.create(wish.item(), wish.quantity(), clock.instant().plus(timeout));
    if (order.isEmpty()) {
      return problem(409, "only " + available.get() + " are left");
    }
    try {
      timeouts.schedule(order.get());
    } catch (StoreException e) {
      orders.cancel(order.get().id()); // nobody would cancel it later; if this fails too, the next start will see to it
      throw e;
    }
    return new Answer(201, order.get(), Map.of("Location", "/api/order/" + order.get().id()));
  }

  private Answer find(long id) throws SQLException {
    return orders.find(id).map(order -> new Answer(200, order, Map.of())).orElse(problem(404, "no such order"));
  }

  private Answer pay(long id) throws SQLException {
    Optional<Order> found = orders.pay(id);
    if (found.isEmpty()) {
      return problem(404, "no such order");
    }
    Order order = found.get();
    if (order.state() == State.CANCELLED) {
      return problem(409, "order " + id + " was not paid in time and is cancelled");
    }
    timeouts.paid(order);
    return new Answer(200, order, Map.of());
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      Answer answer;
      try {
        answer = answer(exchange);
      } catch (SQLException | RuntimeException e) {
        LOG.log(ERROR, () -> exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath(), e);
        answer = problem(500, "the shop has failed; please try again");
      }
      byte[] body = JSON.writeValueAsBytes(answer.body());
      boolean failed = answer.status() >= 400;
      exchange.getResponseHeaders().set("Content-Type", failed ? "application/problem+json" : "application/json");
      answer.headers().forEach(exchange.getResponseHeaders()::set);
      exchange.sendResponseHeaders(answer.status(), body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private static Answer problem(int status, String detail) {
    String title = switch (status) {
      case 400 -> "Bad Request";
      case 404 -> "Not Found";
      case 405 -> "Method Not Allowed";
      case 409 -> "Conflict";
      default -> "Internal Server Error";
    };
    return new Answer(status, new Problem(title, status, detail), Map.of());
  }

  /** Ends in order: requests first, then the tasks being handled, then the tables that both need. */
  @Override
  public void close() {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(5, TimeUnit.SECONDS)) {
        LOG.log(WARNING, "some requests are cut off");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    server.stop(0);
    timeouts.close();
    orders.close();
  }
}
