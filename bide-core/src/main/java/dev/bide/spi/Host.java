package dev.bide.spi;

import java.security.SecureRandom;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** The one place where real time, threads and chance enter; everything else is given them. Thread-safe. */
public final class Host {
  private static final SecureRandom RANDOM = new SecureRandom();

  private Host() {
  }

  /** Returns the wall clock of this machine, in epoch milliseconds; it may jump. */
  public static long wallMillis() {
    return System.currentTimeMillis();
  }

  /** Returns the monotonic clock of this process, in nanoseconds from an arbitrary origin; only differences mean anything. */
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

  /** Returns a factory of daemon threads called {@code name-1}, {@code name-2} and so on. */
  public static ThreadFactory threads(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
