package dev.bide.timer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A part of the timers, under a lock of its own. Thread-safe.
 *
 * <p>It takes permits from the common limit in blocks, so that the threads of different stripes seldom meet there.
 */
final class Stripe {
  private final SpinLock lock = new SpinLock();
  private final Permits permits;
  private final int block;
  // Guarded by lock.
  private ObjectTimers<Runnable> timers;
  private int allowed;
  private boolean closed;
  // Written under the lock. No timer of this stripe has to be looked at before.
  private volatile long next = Long.MAX_VALUE;

  /** A stripe that takes up to {@code block} permits at once. */
  Stripe(TimerQueue queue, Permits permits, int block) {
    timers = new ObjectTimers<>(queue);
    this.permits = permits;
    this.block = block;
  }

  /**
   * Returns a handle, or 0 if the limit is reached; {@code again} says that it does not count, for it was there before.
   */
  long schedule(long deadline, Runnable callback, boolean again) {
    lock.lock();
    try {
      if (closed) {
        throw new RejectedExecutionException("the timer is closed");
      }
      if (timers.size() == allowed && !allow(again)) {
        return 0;
      }
      long handle = timers.schedule(deadline, callback);
      lower(deadline);
      return handle;
    } finally {
      lock.unlock();
    }
  }

  private boolean allow(boolean again) {
    int taken = permits.take(block);
    if (taken == 0 && again) {
      permits.force();
      taken = 1;
    }
    allowed += taken;
    return taken > 0;
  }

  boolean move(long handle, long deadline) {
    lock.lock();
    try {
      boolean moved = timers.move(handle, deadline);
      if (moved) {
        lower(deadline);
      }
      return moved;
    } finally {
      lock.unlock();
    }
  }

  boolean cancel(long handle) {
    lock.lock();
    try {
      boolean cancelled = timers.cancel(handle);
      if (cancelled && allowed - timers.size() > 2 * block) {
        giveBack(block);
      }
      return cancelled;
    } finally {
      lock.unlock();
    }
  }

  /** Takes out what is due, as many as fit; their permits are the caller's then. */
  int drain(long now, long[] deadlines, @Nullable Runnable[] callbacks) {
    lock.lock();
    try {
      int drained = timers.drain(now, deadlines, callbacks);
      allowed -= drained;
      next = timers.nextDeadline();
      return drained;
    } finally {
      lock.unlock();
    }
  }

  /** Returns when it has to be drained next; never later than a timer is due. */
  long next() {
    return next;
  }

  /** Gives the permits back that are not in use. */
  void giveBackUnused() {
    lock.lock();
    try {
      giveBack(allowed - timers.size());
    } finally {
      lock.unlock();
    }
  }

  /** Refuses timers from now on, drops those that are pending, and returns the futures among them. */
  List<RunnableFuture<?>> close() {
    lock.lock();
    try {
      closed = true;
      List<RunnableFuture<?>> futures = new ArrayList<>();
      timers.forEach(callback -> {
        if (callback instanceof RunnableFuture<?> future) {
          futures.add(future);
        }
      });
      timers = new ObjectTimers<>(new IndexedHeap());
      next = Long.MAX_VALUE;
      giveBack(allowed);
      return futures;
    } finally {
      lock.unlock();
    }
  }

  private void giveBack(int count) {
    allowed -= count;
    permits.giveBack(count);
  }

  private void lower(long deadline) {
    if (deadline < next) {
      next = deadline;
    }
  }
}
