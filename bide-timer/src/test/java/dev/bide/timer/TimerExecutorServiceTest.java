package dev.bide.timer;

import static java.util.concurrent.TimeUnit.HOURS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
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
}
