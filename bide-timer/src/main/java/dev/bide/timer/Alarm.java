package dev.bide.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * When a sleeper wakes. Thread-safe: one thread sleeps, others may have to wake it earlier.
 *
 * <p>None of what others add is lost if they add it first and ask {@link #earlier} then, while the sleeper calls
 * {@link #sleepUntil} first and looks then, once more, for what there is: whichever of the two comes first in the order
 * of volatile accesses is seen by the other.
 */
final class Alarm {
  /** No deadline is before it. */
  private static final long AWAKE = Long.MIN_VALUE;
  private static final VarHandle WAKE;

  static {
    try {
      WAKE = MethodHandles.lookup().findVarHandle(Alarm.class, "wake", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile long wake = AWAKE;

  /** Says that the sleeper is awake, and will look by itself. */
  void awake() {
    wake = AWAKE;
  }

  /** Says when the sleeper is going to wake; it has to look once more after that. */
  void sleepUntil(long deadline) {
    wake = deadline;
  }

  /** Returns whether the sleeper has to be woken for a deadline; one caller is told so for each that is earlier. */
  boolean earlier(long deadline) {
    for (long now = wake; deadline < now; now = wake) {
      if (WAKE.compareAndSet(this, now, deadline)) {
        return true;
      }
    }
    return false;
  }
}
