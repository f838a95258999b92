package dev.bide.bench.timers;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** An executor of the JDK with one thread. */
final class JdkExecutor implements Clockwork {
  private final ScheduledExecutorService executor;
  private final Future<?>[] futures;

  private JdkExecutor(ScheduledExecutorService executor, int slots) {
    this.executor = executor;
    futures = new Future<?>[slots];
  }

  static JdkExecutor threadPool(int slots) {
    ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1);
    pool.setRemoveOnCancelPolicy(true);
    return new JdkExecutor(pool, slots);
  }

  static JdkExecutor forkJoinPool(int slots) {
    return new JdkExecutor((ScheduledExecutorService) (Object) new ForkJoinPool(1), slots);
  }

  /** Returns whether this Java's has delays: from 25 on. */
  static boolean forkJoinPoolSchedules() {
    return ScheduledExecutorService.class.isAssignableFrom(ForkJoinPool.class);
  }

  @Override
  public void schedule(int slot, long delayNanos, Callback callback) {
    futures[slot] = executor.schedule(callback, delayNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void cancel(int slot) {
    futures[slot].cancel(false);
  }

  @Override
  public void keepUp() throws InterruptedException {
    CountDownLatch reached = new CountDownLatch(1);
    Future<?> last = executor.schedule(reached::countDown, 1, TimeUnit.NANOSECONDS);
    reached.await();
    last.cancel(false);
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
