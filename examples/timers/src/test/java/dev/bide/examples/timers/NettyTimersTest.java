package dev.bide.examples.timers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NettyTimersTest {
  private static final int MANY = 1_000;

  private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final AtomicInteger submissions = new AtomicInteger();
  private final NettyTimers timers = new NettyTimers(counting(group.next()));

  /** Returns the same loop, which counts what it is given to do. */
  private ScheduledExecutorService counting(ScheduledExecutorService loop) {
    return (ScheduledExecutorService) Proxy.newProxyInstance(getClass().getClassLoader(),
        new Class<?>[]{ScheduledExecutorService.class}, (proxy, method, arguments) -> {
          submissions.incrementAndGet();
          return method.invoke(loop, arguments);
        });
  }

  @AfterEach
  void endLoop() {
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @Test
  void theLoopGetsOneTaskForAllTimersOfAMillisecond() throws InterruptedException {
    CountDownLatch called = new CountDownLatch(MANY);
    long start = System.nanoTime();
    for (int i = 0; i < MANY; i++) {
      timers.timer().schedule(Duration.ofMillis(300), called::countDown);
    }
    long ticks = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + 2;
    assertTrue(called.await(30, TimeUnit.SECONDS));
    assertTrue(System.nanoTime() - start >= 300_000_000, "early");
    // Besides: the first look, and the wake-up for the first timer with the look that follows.
    assertTrue(submissions.get() <= ticks + 3, submissions + " submissions, " + ticks + " ticks");
    assertEquals(0, timers.timer().pending());
  }

  @Test
  void callbacksAreCalledByTheLoop() throws Exception {
    Thread loop = group.submit(Thread::currentThread).get(30, TimeUnit.SECONDS);
    CountDownLatch called = new CountDownLatch(1);
    timers.timer().schedule(Duration.ofMillis(1), () -> {
      assertEquals(loop, Thread.currentThread());
      called.countDown();
    });
    assertTrue(called.await(30, TimeUnit.SECONDS));
  }

  @Test
  void moreThanTheLoopRunsAtOnceAreAllCalled() throws InterruptedException {
    CountDownLatch called = new CountDownLatch(5 * MANY);
    for (int i = 0; i < 5 * MANY; i++) {
      timers.timer().schedule(Duration.ofMillis(20), called::countDown);
    }
    assertTrue(called.await(30, TimeUnit.SECONDS));
  }
}
