package dev.bide.timer;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a program that was written for the JDK's scheduled executor may rely on; run on that one as well. */
@Timeout(60)
abstract class ScheduledExecutorContract {
  /** Returns the service under test, which has more than one thread. */
  abstract ScheduledExecutorService service();

  /** Ends what stands behind the service(). */
  abstract void end();

  @AfterEach
  final void endAll() {
    service().shutdownNow();
    end();
  }

  @Test
  final void aDelayedTaskRunsOnceAndNotBeforeItsTime() throws Exception {
    long start = System.nanoTime();
    ScheduledFuture<Long> future = service().schedule(System::nanoTime, 20, MILLISECONDS);
    assertTrue(future.get() - start >= MILLISECONDS.toNanos(20));
    assertTrue(future.isDone());
    assertFalse(future.isCancelled());
    assertTrue(future.getDelay(NANOSECONDS) <= 0);
  }

  @Test
  final void aRunnableGivesNull() throws Exception {
    Semaphore ran = new Semaphore(0);
    ScheduledFuture<?> future = service().schedule((Runnable) ran::release, 1, MILLISECONDS);
    assertEquals(null, future.get());
    assertTrue(ran.tryAcquire());
  }

  @Test
  final void whatATaskThrowsIsTheCause() {
    IllegalStateException mishap = new IllegalStateException("wanted by this test");
    ScheduledFuture<?> future = service().schedule(() -> {
      throw mishap;
    }, 1, MILLISECONDS);
    assertSame(mishap, assertThrows(ExecutionException.class, future::get).getCause());
  }

  @Test
  final void executeAndSubmitRunAtOnce() throws Exception {
    CountDownLatch ran = new CountDownLatch(2);
    service().execute(ran::countDown);
    Future<Integer> submitted = service().submit(() -> {
      ran.countDown();
      return 7;
    });
    ran.await();
    assertEquals(7, submitted.get());
    assertEquals(List.of(1, 2),
        service().invokeAll(List.<java.util.concurrent.Callable<Integer>>of(() -> 1, () -> 2)).stream()
            .map(future -> {
              try {
                return future.get();
              } catch (InterruptedException | ExecutionException e) {
                throw new AssertionError(e);
              }
            }).toList());
  }

  @Test
  final void tasksAreOrderedByTheirTime() {
    ScheduledFuture<?> earlier = service().schedule(() -> 1, 1, HOURS);
    ScheduledFuture<?> later = service().schedule(() -> 1, 2, HOURS);
    assertTrue(earlier.compareTo(later) < 0);
    assertTrue(later.compareTo(earlier) > 0);
    assertTrue(earlier.getDelay(SECONDS) <= 3_600 && earlier.getDelay(SECONDS) > 3_500);
  }

  @Test
  final void aGetWithATimeoutGivesUp() {
    ScheduledFuture<?> future = service().schedule(() -> 1, 1, HOURS);
    assertThrows(TimeoutException.class, () -> future.get(1, MILLISECONDS));
  }

  @Test
  final void aCancelledTaskDoesNotRun() throws Exception {
    AtomicInteger ran = new AtomicInteger();
    ScheduledFuture<?> future = service().schedule(ran::incrementAndGet, 20, MILLISECONDS);
    assertTrue(future.cancel(false));
    assertFalse(future.cancel(false));
    assertTrue(future.isCancelled());
    assertThrows(CancellationException.class, future::get);
    service().schedule(() -> 1, 40, MILLISECONDS).get();
    assertEquals(0, ran.get());
  }

  @Test
  final void aRunningTaskIsInterruptedByItsCancel() throws Exception {
    CountDownLatch runs = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    Future<?> future = service().submit(() -> {
      runs.countDown();
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        interrupted.countDown();
      }
    });
    runs.await();
    assertTrue(future.cancel(true));
    interrupted.await();
  }

  @Test
  final void fixedRateKeepsToItsTimesAndCatchesUp() throws Exception {
    long start = System.nanoTime();
    Semaphore ran = new Semaphore(0);
    AtomicInteger count = new AtomicInteger();
    ScheduledFuture<?> future = service().scheduleAtFixedRate(() -> {
      if (count.incrementAndGet() == 1) {
        while (System.nanoTime() - start < MILLISECONDS.toNanos(60)) {
          Thread.onSpinWait();
        }
      }
      ran.release();
    }, 0, 10, MILLISECONDS);
    ran.acquire(10);
    // The tenth is due after 90 ms, though the first took 60.
    assertTrue(System.nanoTime() - start >= MILLISECONDS.toNanos(90));
    assertTrue(future.cancel(false));
    assertTrue(future.isDone());
  }

  @Test
  final void fixedDelayCountsFromTheEnd() throws Exception {
    Semaphore ran = new Semaphore(0);
    long start = System.nanoTime();
    ScheduledFuture<?> future = service().scheduleWithFixedDelay(() -> {
      long began = System.nanoTime();
      while (System.nanoTime() - began < MILLISECONDS.toNanos(5)) {
        Thread.onSpinWait();
      }
      ran.release();
    }, 5, 10, MILLISECONDS);
    ran.acquire(4);
    assertTrue(System.nanoTime() - start >= MILLISECONDS.toNanos(5 + 4 * 5 + 3 * 10));
    future.cancel(false);
  }

  @Test
  final void aPeriodicTaskDoesNotRunBesideItself() throws Exception {
    AtomicInteger at = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Semaphore ran = new Semaphore(0);
    ScheduledFuture<?> future = service().scheduleAtFixedRate(() -> {
      most.accumulateAndGet(at.incrementAndGet(), Math::max);
      long began = System.nanoTime();
      while (System.nanoTime() - began < MILLISECONDS.toNanos(2)) {
        Thread.onSpinWait();
      }
      at.decrementAndGet();
      ran.release();
    }, 0, 1, NANOSECONDS);
    ran.acquire(20);
    future.cancel(false);
    assertEquals(1, most.get());
  }

  @Test
  final void tasksOfOneTimeDoNotWaitForEachOther() throws Exception {
    CountDownLatch all = new CountDownLatch(3);
    for (int i = 0; i < 3; i++) {
      ScheduledFuture<?> future = service().schedule(() -> {
        all.countDown();
        all.await();
        return 1;
      }, 20, MILLISECONDS);
      assertFalse(future.isCancelled());
    }
    all.await();
  }

  @Test
  final void aPeriodicTaskThatThrowsIsNotRunAgain() {
    AtomicInteger ran = new AtomicInteger();
    ScheduledFuture<?> future = service().scheduleAtFixedRate(() -> {
      if (ran.incrementAndGet() == 3) {
        throw new IllegalStateException("wanted by this test");
      }
    }, 0, 1, MILLISECONDS);
    assertThrows(ExecutionException.class, future::get);
    assertEquals(3, ran.get());
    assertTrue(future.isDone());
  }

  @Test
  final void aPeriodicTaskMayCancelItself() {
    AtomicInteger ran = new AtomicInteger();
    AtomicInteger handed = new AtomicInteger();
    CountDownLatch known = new CountDownLatch(1);
    ScheduledFuture<?>[] self = new ScheduledFuture<?>[1];
    self[0] = service().scheduleWithFixedDelay(() -> {
      try {
        known.await();
      } catch (InterruptedException e) {
        handed.incrementAndGet();
      }
      ran.incrementAndGet();
      self[0].cancel(false);
    }, 0, 1, NANOSECONDS);
    known.countDown();
    assertThrows(CancellationException.class, self[0]::get);
    assertTrue(ran.get() <= 1);
    assertEquals(0, handed.get());
  }

  @Test
  final void wrongArgumentsAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> service().scheduleAtFixedRate(() -> {}, 1, 0, SECONDS));
    assertThrows(IllegalArgumentException.class, () -> service().scheduleWithFixedDelay(() -> {}, 1, -1, SECONDS));
  }

  @Test
  final void hugeDelaysDoNotOverflow() throws Exception {
    ScheduledFuture<?> future = service().schedule(() -> 1, Long.MAX_VALUE, NANOSECONDS);
    assertEquals(2, service().schedule(() -> 2, 1, MILLISECONDS).get());
    assertFalse(future.isDone());
    assertTrue(future.getDelay(HOURS) > 24 * 365 * 100);
  }

  @Test
  final void afterAShutdownDelayedTasksRunAndPeriodicOnesDoNot() throws Exception {
    AtomicInteger periodic = new AtomicInteger();
    ScheduledFuture<Integer> delayed = service().schedule(() -> 5, 50, MILLISECONDS);
    ScheduledFuture<?> repeated = service().scheduleAtFixedRate(periodic::incrementAndGet, 1, 1, HOURS);
    service().shutdown();
    assertTrue(service().isShutdown());
    assertThrows(RejectedExecutionException.class, () -> service().execute(() -> {}));
    assertThrows(RejectedExecutionException.class, () -> service().schedule(() -> 1, 1, SECONDS));
    assertTrue(service().awaitTermination(30, SECONDS));
    assertTrue(service().isTerminated());
    assertEquals(5, delayed.get());
    assertTrue(repeated.isCancelled());
    assertEquals(0, periodic.get());
  }

  @Test
  final void shutdownNowReturnsWhatWaitsAndInterruptsWhatRuns() throws Exception {
    CountDownLatch runs = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    service().execute(() -> {
      runs.countDown();
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        interrupted.countDown();
      }
    });
    runs.await();
    ScheduledFuture<?> waiting = service().schedule(() -> 1, 1, HOURS);
    assertEquals(List.of(waiting), service().shutdownNow());
    interrupted.await();
    assertTrue(service().awaitTermination(30, SECONDS));
    assertTrue(service().isTerminated());
  }

  @Test
  final void anEmptyServiceTerminatesAtOnce() throws Exception {
    assertFalse(service().isShutdown());
    assertFalse(service().awaitTermination(1, MILLISECONDS));
    service().shutdown();
    service().shutdown();
    assertTrue(service().awaitTermination(30, SECONDS));
  }

  @Test
  final void aServiceDoesNotTerminateBeforeARunningTaskHasEnded() throws Exception {
    CountDownLatch runs = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Future<?> future = service().submit(() -> {
      runs.countDown();
      boolean interrupted = true;
      while (interrupted) {
        try {
          go.await();
          interrupted = false;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    });
    runs.await();
    service().shutdown();
    future.cancel(true);
    assertFalse(service().awaitTermination(5, MILLISECONDS));
    go.countDown();
    assertTrue(service().awaitTermination(30, SECONDS));
  }
}
