package dev.bide.timer;

import static java.util.concurrent.TimeUnit.HOURS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TimerExecutorServiceTest extends ScheduledExecutorContract {
  private final ExecutorService threads = Executors.newFixedThreadPool(3);
  private final Timer timer = Timer.on(threads).start();
  private final ScheduledExecutorService service = timer.asExecutorService();

  @Override
  ScheduledExecutorService service() {
    return service;
  }

  @Override
  void end() {
    timer.close();
    threads.shutdownNow();
  }

  @Test
  void aCancelledTaskIsNoTimerAnyMore() {
    ScheduledFuture<?> delayed = service.schedule(() -> 1, 1, HOURS);
    ScheduledFuture<?> periodic = service.scheduleAtFixedRate(() -> {}, 1, 1, HOURS);
    assertEquals(2, timer.pending());
    delayed.cancel(false);
    periodic.cancel(false);
    assertEquals(0, timer.pending());
  }

  @Test
  void closingTheTimerCancelsTheTasksAndEndsTheService() throws InterruptedException {
    ScheduledFuture<?> delayed = service.schedule(() -> 1, 1, HOURS);
    timer.close();
    assertThrows(CancellationException.class, delayed::get);
    assertThrows(RejectedExecutionException.class, () -> service.schedule(() -> 1, 1, HOURS));
    service.shutdown();
    assertTrue(service.awaitTermination(30, TimeUnit.SECONDS));
  }

  @Test
  void closingTheTimerCancelsWhatItsExecutorHasNotAccepted() throws InterruptedException {
    Timer refused = Timer.on(batch -> {
      throw new RejectedExecutionException("wanted by this test");
    }).batch(1).start();
    ScheduledExecutorService refusing = refused.asExecutorService();
    List<ScheduledFuture<?>> due = List.of(refusing.schedule(() -> 1, 0, HOURS), refusing.schedule(() -> 2, 0, HOURS));
    Await.until("one was offered", () -> refused.refused() > 0);
    refused.close();
    for (ScheduledFuture<?> future : due) {
      assertThrows(CancellationException.class, future::get);
    }
    refusing.shutdown();
    assertTrue(refusing.awaitTermination(30, TimeUnit.SECONDS));
  }

  @Test
  void aPeriodicTaskKeepsItsPlaceThoughTheLimitIsReached() throws InterruptedException {
    Timer full = Timer.on(threads).limit(4).stripes(1).start();
    CountDownLatch beats = new CountDownLatch(3);
    ScheduledFuture<?> beat = full.asExecutorService().scheduleAtFixedRate(() -> {
      beats.countDown();
      while (full.pending() < 4) {
        full.schedule(1, HOURS, () -> {});
      }
    }, 0, 1, TimeUnit.MILLISECONDS);
    assertTrue(beats.await(30, TimeUnit.SECONDS));
    assertFalse(beat.isDone());
    full.close();
    assertTrue(beat.isCancelled());
  }

  @Test
  void whatWaitsInTheExecutorIsReturnedByShutdownNowAndDoesNotRun() throws InterruptedException {
    Queue<Runnable> submitted = new ConcurrentLinkedQueue<>();
    try (Timer waiting = Timer.on(submitted::add).start()) {
      ScheduledExecutorService tasks = waiting.asExecutorService();
      AtomicInteger runs = new AtomicInteger();
      Set<Future<?>> all = Set.of(tasks.submit(runs::incrementAndGet), tasks.schedule(runs::incrementAndGet, 1, HOURS));
      Await.until("one is in the executor", () -> !submitted.isEmpty());
      assertEquals(all, Set.copyOf(tasks.shutdownNow()));
      assertTrue(tasks.awaitTermination(30, TimeUnit.SECONDS));
      submitted.forEach(Runnable::run);
      assertEquals(0, runs.get());
    }
  }

  @Test
  void whatIsSubmittedIsATask() {
    assertInstanceOf(ScheduledFuture.class, service.submit(() -> {}));
    assertInstanceOf(ScheduledFuture.class, service.submit(() -> {}, 1));
    assertInstanceOf(ScheduledFuture.class, service.submit(() -> 1));
  }

  @Test
  void closingTheTimerShutsItsServicesDown() throws InterruptedException {
    timer.close();
    assertTrue(service.isShutdown());
    assertTrue(service.awaitTermination(30, TimeUnit.SECONDS));
  }

  @Test
  void aServiceWithATimerOfItsOwnEndsItsTicker() throws Exception {
    ScheduledExecutorService own = Timer.on(Runnable::run).daemon(false).startExecutorService();
    Thread ticker = own.schedule(Thread::currentThread, 1, TimeUnit.MILLISECONDS).get(30, TimeUnit.SECONDS);
    assertFalse(ticker.isDaemon());
    own.shutdown();
    assertTrue(own.awaitTermination(30, TimeUnit.SECONDS));
    ticker.join(30_000);
    assertFalse(ticker.isAlive());
  }

  @Test
  void tasksAreComparedByDelayAlsoWithThoseOfAnotherTimer() {
    ScheduledFuture<?> sooner = service.schedule(() -> 1, 10, HOURS);
    ScheduledFuture<?> later = service.schedule(() -> 1, 100, HOURS);
    assertTrue(sooner.compareTo(later) < 0);
    try (Timer other = Timer.on(threads).start()) {
      ScheduledFuture<?> ofOther = other.asExecutorService().schedule(() -> 1, 50, HOURS);
      assertTrue(sooner.compareTo(ofOther) < 0);
      assertTrue(later.compareTo(ofOther) > 0);
    }
  }
}
