package dev.bide.spi;

import java.security.SecureRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** The one place where real time, threads and chance enter; everything else is given them. Thread-safe. */
public final class Host {
  private static final SecureRandom RANDOM = new SecureRandom();

  private Host() {}

  /** Returns the wall clock of this machine, in epoch milliseconds; it may jump. */
  public static long wallMillis() {
    return System.currentTimeMillis();
  }

  /**
   * Returns the monotonic clock of this process, in nanoseconds from an arbitrary origin; only differences mean
   * anything.
   */
  public static long monotonicNanos() {
    return System.nanoTime();
  }

  /** Pauses the calling thread for about {@code nanos}; an interrupt ends the pause and stays set. */
  public static void pause(long nanos) {
    LockSupport.parkNanos(nanos);
  }

  /** Returns 64 random bits that nobody can foresee. */
  public static long randomBits() {
    return RANDOM.nextLong();
  }

  /** Returns a daemon thread, not started. */
  public static Thread thread(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Returns a pool of daemon threads called {@code name-1}, {@code name-2} and so on, as many as there are tasks at
   * once; idle ones end.
   */
  public static ExecutorService pool(String name) {
    AtomicInteger count = new AtomicInteger();
    return Executors.newCachedThreadPool(task -> thread(name + "-" + count.incrementAndGet(), task));
  }

  /** Returns one daemon thread that runs tasks in their order. */
  public static ExecutorService single(String name) {
    return Executors.newSingleThreadExecutor(task -> thread(name, task));
  }
}
