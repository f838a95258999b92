package dev.bide.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock for what takes nanoseconds and where threads seldom meet. Not reentrant, in no order.
 *
 * <p>A release does not look for those who wait, which halves what a lock costs; so they have to look again, soon at first
 * and then now and then.
 */
final class SpinLock {
  private static final int SPINS = 100;
  private static final int YIELDS = 100;
  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
  private static final VarHandle HELD;

  static {
    try {
      HELD = MethodHandles.lookup().findVarHandle(SpinLock.class, "held", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused")
  private volatile boolean held;

  void lock() {
    if (!HELD.compareAndSet(this, false, true)) {
      await();
    }
  }

  /** To be called by the one that holds it. */
  void unlock() {
    HELD.setRelease(this, false);
  }

  private void await() {
    for (int looks = 0; held || !HELD.compareAndSet(this, false, true); looks++) {
      if (looks < SPINS) {
        Thread.onSpinWait();
      } else if (looks < SPINS + YIELDS) {
        Thread.yield();
      } else {
        LockSupport.parkNanos(this, PAUSE_NANOS);
      }
    }
  }
}
