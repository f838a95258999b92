package dev.bide.timer;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** How a {@link Timer} is to be. Not thread-safe. */
public final class TimerBuilder {
  private static final int MOST_STRIPES = 16;
  private static final int MOST_PENDING = 1 << 27;

  final Executor executor;
  int stripes = Math.min(MOST_STRIPES, Integer.highestOneBit(Runtime.getRuntime().availableProcessors()) * 2);
  Supplier<? extends TimerQueue> queues = HierarchicalWheel::new;
  int limit = 1 << 24;
  int batch = 1_024;
  long tickNanos = 1;
  long slowNanos = TimeUnit.SECONDS.toNanos(10);
  boolean daemon = true;

  TimerBuilder(Executor executor) {
    this.executor = executor;
  }

  /**
   * Spreads the timers over so many locks, a power of 2 up to 16; by default two for each processor. With 1, callbacks
   * of one deadline are in the order of all threads.
   */
  public TimerBuilder stripes(int count) {
    if (count < 1 || count > MOST_STRIPES || Integer.bitCount(count) != 1) {
      throw new IllegalArgumentException("stripes must be a power of 2 up to " + MOST_STRIPES + ", got " + count);
    }
    stripes = count;
    return this;
  }

  /** Keeps the timers in other queues, one for each stripe; by default in a {@link HierarchicalWheel}. */
  public TimerBuilder queues(Supplier<? extends TimerQueue> queues) {
    this.queues = requireNonNull(queues, "queues");
    return this;
  }

  /** Refuses timers when so many are pending, from 1 to 2^27; by default 2^24, some 16 million. */
  public TimerBuilder limit(int pending) {
    if (pending < 1 || pending > MOST_PENDING) {
      throw new IllegalArgumentException("limit must be from 1 to " + MOST_PENDING + ", got " + pending);
    }
    limit = pending;
    return this;
  }

  /**
   * Gives the executor so many callbacks at once at most; 1,024 by default. Those of a batch run one after the other,
   * on one thread: if they block, 1 gives each to the executor by itself. A {@link java.util.concurrent.Future}, such
   * as a task of {@link Timer#asExecutorService}, always is.
   */
  public TimerBuilder batch(int callbacks) {
    if (callbacks < 1) {
      throw new IllegalArgumentException("batch must be positive, got " + callbacks);
    }
    batch = callbacks;
    return this;
  }

  /**
   * Wakes at multiples of {@code length} since the start only, so that what comes due within one leaves together, at
   * its end; by default a timer leaves at its own deadline.
   */
  public TimerBuilder tick(Duration length) {
    tickNanos = positive("tick", length);
    return this;
  }

  /**
   * Reports a callback that takes longer than {@code limit}; by default 10 seconds. It is looked four times as often as
   * that, so one is missed that ends before one and a half times the limit, at most.
   */
  public TimerBuilder slowAfter(Duration limit) {
    slowNanos = positive("slowAfter", limit);
    return this;
  }

  /** Says whether the JVM may end while only the ticker runs; by default it may. */
  public TimerBuilder daemon(boolean daemon) {
    this.daemon = daemon;
    return this;
  }

  /**
   * Starts a timer like this for an executor service of its own, which closes it when it has terminated. As a
   * replacement of a {@link java.util.concurrent.ScheduledThreadPoolExecutor}, whose threads keep the JVM alive, it
   * should be {@code daemon(false)}.
   */
  public ScheduledExecutorService startExecutorService() {
    Timer timer = start();
    return timer.service(timer::close);
  }

  /** Starts a timer like this. */
  public Timer start() {
    return new Timer(this, MonotonicTime.start()).start();
  }

  private static long positive(String name, Duration duration) {
    long nanos = TimeUnit.NANOSECONDS.convert(duration);
    if (nanos < 1 || nanos > MonotonicTime.LONGEST_DELAY) {
      throw new IllegalArgumentException(name + " must be positive and at most 2^62 ns, got " + duration);
    }
    return nanos;
  }
}
