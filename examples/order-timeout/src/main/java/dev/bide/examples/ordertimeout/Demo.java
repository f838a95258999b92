package dev.bide.examples.ordertimeout;

import static java.util.Objects.requireNonNull;

import dev.bide.examples.ordertimeout.Evidence.Event;
import dev.bide.examples.ordertimeout.Settings.Mode;
import dev.bide.examples.ordertimeout.Verdict.Promise;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Plays the shop for real: a process of its own, hundreds of orders over HTTP, payments in the last moment, handlers
 * that fail, and a kill in the middle; then holds what the files say against the promises.
 */
final class Demo {
  private static final String USAGE = """
      usage: bide demo [options]
        --for 25s                 how long it plays, about
        --orders N                how many orders are placed (400), at most 100 for each second
        --mode push|pull|hybrid   how due tasks are handled (push)
      """;

  /** How much longer than planned it waits for what must still happen. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** How many orders are placed at most, for each second that it plays. */
  private static final int MOST_A_SECOND = 100;

  private static final Set<String> ENDS = Set.of("COMPLETED", "RETRIED", "RELEASED", "FAILED");

  private final Clock clock = Clock.systemUTC();
  private final Instant begun = clock.instant();
  private final Class<?> shopMain;
  private final PrintStream out;
  private final Duration length;
  private final int orders;
  private final Settings settings;

  private volatile @Nullable ShopProcess shop;
  private Instant nextReport = begun;
  private long deadLetters;
  private final Set<String> inProcess = new HashSet<>();
  private final Set<String> told = new HashSet<>();

  private Demo(Class<?> shopMain, PrintStream out, Duration length, int orders, Mode mode, Path folder) {
    this.shopMain = shopMain;
    this.out = out;
    this.length = length;
    this.orders = orders;
    Duration timeout = Duration.ofMillis(Math.min(5_000, Math.max(1_000, length.toMillis() / 7)));
    settings = new Settings(mode, 0, folder, timeout, 4, Duration.ofMillis(200), Duration.ofSeconds(2));
  }

  public static void main(String[] args) {
    System.exit(run(DemoShop.class, System.out, args));
  }

  /**
   * Plays once.
   *
   * @param shopMain the class whose main method is the shop
   * @return the exit status: 0 if every promise was kept, 1 if not, 2 if the options are wrong
   */
  static int run(Class<?> shopMain, PrintStream out, String... args) {
    try {
      Options options = Options.of(args, "for", "orders", "mode");
      Duration length = options.duration("for", Duration.ofSeconds(25), Duration.ofSeconds(5), Duration.ofMinutes(10));
      int orders = options.number("orders", 400, 10, (int) length.toSeconds() * MOST_A_SECOND);
      Mode mode = options.oneOf("mode", Mode.PUSH);
      return run(new Demo(shopMain, out, length, orders, mode, Files.createTempDirectory("bide-demo-")));
    } catch (IllegalArgumentException e) {
      out.println("demo: " + e.getMessage() + "\n\n" + USAGE);
      return 2;
    } catch (IOException e) {
      out.println("demo: " + e);
      return 1;
    }
  }

  private static int run(Demo demo) {
    Runtime.getRuntime().addShutdownHook(new Thread(demo::cleanUp, "clean up"));
    try {
      return demo.play() ? 0 : 1;
    } catch (IOException | SQLException | InterruptedException e) {
      demo.out.println("demo: " + e);
      return 1;
    } finally {
      demo.cleanUp();
    }
  }

  private boolean play() throws IOException, SQLException, InterruptedException {
    ShopProcess first = open();
    say("the shop is open: %s, tasks by %s; orders not paid within %s are cancelled", first.url(),
        Options.show(settings.mode()), Options.show(settings.timeout()));
    try (Evidence evidence = new Evidence(settings);
        Customers customers = new Customers(() -> shop().url(), clock, orders)) {
      Map<String, Long> stock = evidence.stock();
      customers.begin(length.dividedBy(2));
      watch(evidence, customers, length.dividedBy(4), () -> false);
      watch(evidence, customers, Duration.ofSeconds(2), () -> !inProcess.isEmpty());

      Instant killed = clock.instant();
      first.kill();
      tell(evidence.news());
      say("KILLED the shop (SIGKILL): %d orders are open, %d tasks were in process",
          evidence.states().getOrDefault("OPEN", 0L), inProcess.size());
      watch(evidence, customers, settings.timeout().dividedBy(3), () -> false);
      open();
      Instant back = clock.instant();
      say("open again after %s, on the same files", seconds(killed, back));

      Duration rest = Duration.between(clock.instant(), begun.plus(length).plus(PATIENCE));
      watch(evidence, customers, rest, () -> customers.waiting() == 0 && settled(evidence));
      boolean stopped = shop().stop();
      tell(evidence.news());
      say("asked the shop to close (SIGTERM): %s", stopped ? "it did, in order" : "it did not");

      Map<Long, Orders.Order> all = evidence.orders();
      return report(new Verdict(all, evidence.changes(), stock, evidence.stock(), evidence.tasks(all.keySet()),
          evidence.events(), customers.acknowledged().keySet(), customers.payments(), customers.waiting(), killed,
          back));
    }
  }

  private ShopProcess open() throws IOException, InterruptedException {
    ShopProcess opened = ShopProcess.start(shopMain, settings);
    shop = opened;
    return opened;
  }

  private ShopProcess shop() {
    return requireNonNull(shop);
  }

  /** A condition that is looked up. */
  private interface Condition {
    boolean holds() throws SQLException;
  }

  /** Lets time pass until a condition holds, and tells what happens meanwhile. */
  private void watch(Evidence evidence, Customers customers, Duration longest, Condition condition)
      throws IOException, SQLException, InterruptedException {
    Instant end = clock.instant().plus(longest);
    tell(evidence.news());
    while (!condition.holds() && clock.instant().isBefore(end)) {
      Thread.sleep(20);
      tell(evidence.news());
      if (clock.instant().isAfter(nextReport)) {
        nextReport = clock.instant().plusSeconds(1);
        Map<String, Long> states = evidence.states();
        say("%4d ordered %4d open %4d paid %4d cancelled", customers.acknowledged().size(),
            states.getOrDefault("OPEN", 0L), states.getOrDefault("PAID", 0L), states.getOrDefault("CANCELLED", 0L));
      }
    }
  }

  /** Returns whether each order has ended, or its task is a dead letter. */
  private boolean settled(Evidence evidence) throws SQLException {
    return evidence.states().getOrDefault("OPEN", 0L) <= deadLetters;
  }

  /** Tells of what is new in the processing log: the first of each kind, and every dead letter. */
  private void tell(List<Event> news) {
    for (Event event : news) {
      String task = event.field("task");
      switch (event.kind()) {
        case "STARTED" -> inProcess.add(task);
        case "RETRIED" -> once("retry", "%s failed and is tried again: %s", task, event.field("detail"));
        case "FAILED" -> {
          deadLetters++;
          say("%s is a dead letter after attempt %s: %s", task, event.field("attempt"), event.field("detail"));
        }
        case "COMPLETED" -> {
          if (event.field("detail").equals("skipped: paid")) {
            once("skip", "%s found its order paid in the last moment, and skipped it", task);
          }
        }
        default -> {
        }
      }
      if (ENDS.contains(event.kind())) {
        inProcess.remove(task);
      }
    }
  }

  private void once(String kind, String text, Object... values) {
    if (told.add(kind)) {
      say(text, values);
    }
  }

  private boolean report(Verdict verdict) {
    List<Promise> promises = verdict.promises();
    out.println();
    out.print(verdict.table());
    out.println();
    promises.forEach(out::println);
    long broken = promises.stream().filter(promise -> !promise.kept()).count();
    out.println(broken == 0 ? "every promise was kept" : broken + " of " + promises.size() + " promises were broken");
    return broken == 0;
  }

  private void say(String text, Object... values) {
    out.printf(Locale.ROOT, "[%6s] %s%n", seconds(begun, clock.instant()), String.format(Locale.ROOT, text, values));
  }

  private static String seconds(Instant from, Instant to) {
    return String.format(Locale.ROOT, "%.1f s", Duration.between(from, to).toMillis() / 1e3);
  }

  /** Leaves nothing behind, however the demo ends. */
  private void cleanUp() {
    ShopProcess running = shop;
    if (running != null) {
      running.close();
    }
    if (!Files.exists(settings.data())) {
      return;
    }
    try (Stream<Path> files = Files.walk(settings.data())) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(file);
    } catch (IOException e) {
      out.println("demo: cannot remove " + settings.data() + ": " + e);
    }
  }
}
