package dev.bide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ThreadsTest {
  private final Threads threads = new Threads("threads-test");

  ThreadsTest() {
    threads.start(() -> Duty.NEVER);
  }

  @AfterEach
  void end() {
    threads.end();
  }

  @Test
  void whatWaitsForASignalComesWithItAndOnce() {
    CompletableFuture<Void> signal = new CompletableFuture<>();
    AtomicInteger times = new AtomicInteger();
    CountDownLatch came = new CountDownLatch(1);
    threads.after(signal, Duration.ofHours(1).toNanos(), () -> {
      times.incrementAndGet();
      came.countDown();
    });
    assertEquals(0, times.get());
    signal.complete(null);
    Await.latch(came);
    threads.end();
    assertEquals(1, times.get());
  }

  @Test
  void whatWaitsForASignalThatDoesNotComeComesWithoutIt() {
    CountDownLatch came = new CountDownLatch(1);
    long begun = threads.nanos();
    threads.after(new CompletableFuture<>(), 1_000_000, came::countDown);
    Await.latch(came);
    assertTrue(threads.nanos() - begun >= 1_000_000, "but not before its time");
  }
}
