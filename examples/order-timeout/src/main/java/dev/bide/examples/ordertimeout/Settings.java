package dev.bide.examples.ordertimeout;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What the shop is started with.
 *
 * @param mode how due tasks are handled
 * @param port the port to listen on, 0 for any that is free
 * @param data the folder of all files
 * @param timeout how long an order waits for its payment
 * @param attempts how often the cancellation of an order is tried
 * @param backoff the delay before the second attempt; longer ones follow
 * @param lease how long a task of a crashed shop waits before it runs again
 */
record Settings(Mode mode, int port, Path data, Duration timeout, int attempts, Duration backoff, Duration lease) {

  /** How due tasks reach the code that handles them. */
  enum Mode {
    /** Bide calls the handler: the usual way. */
    PUSH,
    /** The shop takes tasks in batches, when it has room for them. */
    PULL,
    /** Bide calls the handler for a few tasks at once; when that is not enough, the shop takes more. */
    HYBRID
  }

  static final String USAGE = """
      usage: order-timeout [options]
        --mode push|pull|hybrid   how due tasks are handled (push)
        --port N                  port to listen on, 0 for any (8080)
        --data DIR                where orders and tasks are kept (shop-data)
        --timeout 30m             how long an order waits for its payment (30m)
        --attempts N              how often a cancellation is tried (8)
        --backoff 1s              delay before the second attempt (1s)
        --lease 30s               after a crash, tasks that were being handled wait this long (30s)
      A duration is a number and ms, s, m or h.
      """;

  /**
   * Reads the command line.
   *
   * @throws IllegalArgumentException if it is wrong, with what is allowed
   */
  static Settings of(String... args) {
    Options options = Options.of(args, "mode", "port", "data", "timeout", "attempts", "backoff", "lease");
    return new Settings(options.oneOf("mode", Mode.PUSH), options.number("port", 8080, 0, 65_535),
        Path.of(options.text("data", "shop-data")),
        options.duration("timeout", Duration.ofMinutes(30), Duration.ofMillis(1), Duration.ofDays(365)),
        options.number("attempts", 8, 1, 1_000),
        options.duration("backoff", Duration.ofSeconds(1), Duration.ofMillis(1), Duration.ofMinutes(10)),
        options.duration("lease", Duration.ofSeconds(30), Duration.ofMillis(100), Duration.ofHours(1)));
  }

  /** Returns the command line that these were read from, or might have been. */
  List<String> arguments() {
    return List.of("--mode", Options.show(mode), "--port", "" + port, "--data", data.toString(), "--timeout",
        Options.show(timeout), "--attempts", "" + attempts, "--backoff", Options.show(backoff), "--lease",
        Options.show(lease));
  }

  /** Returns the file of the shop's own tables. */
  Path orders() {
    return data.resolve("orders.db");
  }

  /** Returns the file of Bide's tasks. */
  Path tasks() {
    return data.resolve("tasks.db");
  }

  /** Returns the file that says line by line what happened to each task. */
  Path log() {
    return data.resolve("processing.log");
  }
}
