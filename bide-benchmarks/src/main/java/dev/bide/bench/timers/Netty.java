package dev.bide.bench.timers;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Netty's hashed wheel, with ticks of a millisecond and as many slots as it has by default. */
final class Netty implements Clockwork {
  private static final int SLOTS = 512;

  private final HashedWheelTimer timer = new HashedWheelTimer(1, TimeUnit.MILLISECONDS, SLOTS);
  private final Timeout[] timeouts;

  Netty(int slots) {
    timeouts = new Timeout[slots];
    timer.start();
  }

  @Override
  public void schedule(int slot, long delayNanos, Callback callback) {
    timeouts[slot] = timer.newTimeout(callback, delayNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void cancel(int slot) {
    timeouts[slot].cancel();
  }

  /** What is new comes to the wheel in its order. */
  @Override
  public void keepUp() throws InterruptedException {
    CountDownLatch reached = new CountDownLatch(1);
    timer.newTimeout(timeout -> reached.countDown(), 0, TimeUnit.NANOSECONDS);
    reached.await();
  }

  @Override
  public void close() {
    timer.stop();
  }
}
