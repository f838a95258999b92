package dev.bide.sqlite;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.Host;
import java.time.Duration;

/** Waiting for other threads and processes: long enough for any loaded machine, and no longer than needed. */
final class Await {
  private static final Duration LONG = Duration.ofMinutes(2);

  private Await() {}

  /** What is waited for. */
  interface Condition {
    boolean holds() throws Exception;
  }

  /** Waits until {@code condition} holds. */
  static void until(String what, Condition condition) throws Exception {
    long end = Host.monotonicNanos() + LONG.toNanos();
    while (!condition.holds()) {
      assertTrue(Host.monotonicNanos() < end, "in vain: " + what);
      Host.pause(5_000_000);
    }
  }
}
