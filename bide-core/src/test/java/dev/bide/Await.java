package dev.bide;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.Host;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waiting on real threads: long enough for any loaded machine, and no longer than needed. */
final class Await {
  static final Duration LONG = Duration.ofSeconds(30);

  private Await() {}

  /** Waits until {@code condition} holds. */
  static void until(String what, BooleanSupplier condition) {
    long end = Host.monotonicNanos() + LONG.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(Host.monotonicNanos() < end, "in vain: " + what);
      Host.pause(1_000_000);
    }
  }

  static void latch(CountDownLatch latch) {
    try {
      assertTrue(latch.await(LONG.toSeconds(), TimeUnit.SECONDS), "in vain: a latch");
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }

  /** Runs {@code body} on a thread of its own. */
  static Thread thread(Runnable body) {
    Thread thread = new Thread(body, "test");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  static void join(Thread thread) {
    until(thread + " ends", () -> !thread.isAlive());
  }
}
