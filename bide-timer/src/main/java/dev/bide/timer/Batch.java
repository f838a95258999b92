package dev.bide.timer;

import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RunnableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Callbacks that are due together, in their order, for one thread to run. It runs once, whoever calls it; the ticker
 * may look on.
 */
final class Batch implements Runnable {
  private static final System.Logger LOGGER = System.getLogger(Timer.class.getName());
  private static final int NOT_BEGUN = -1;
  private static final VarHandle RUNNING;

  static {
    try {
      RUNNING = MethodHandles.lookup().findVarHandle(Batch.class, "running", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final @Nullable Runnable[] callbacks;
  private final Permits permits;
  private final Consumer<Batch> ended;
  // Which callback is running. Opaque but for the first: it is only looked at to see whether it changes.
  @SuppressWarnings("unused")
  private int running = NOT_BEGUN;
  // The ticker's: what it saw last, and when first.
  private int seen = NOT_BEGUN;
  private long seenSince;

  /** A batch that gives the permits of its callbacks back when it begins, and tells {@code ended} when it has ended. */
  Batch(Runnable[] callbacks, Permits permits, Consumer<Batch> ended) {
    this.callbacks = callbacks;
    this.permits = permits;
    this.ended = ended;
  }

  int size() {
    return callbacks.length;
  }

  /** Cancels the futures of a batch that will not run. */
  void drop() {
    if (!RUNNING.compareAndSet(this, NOT_BEGUN, 0)) {
      return;
    }
    for (Runnable callback : callbacks) {
      if (callback instanceof RunnableFuture<?> future) {
        cancel(future);
      }
    }
  }

  /** Cancels a future that will not run, and has its executor service learn of that. */
  static void cancel(RunnableFuture<?> future) {
    try {
      future.cancel(false);
      // Without its body.
      future.run();
    } catch (RuntimeException | Error e) {
      failed(e);
    }
  }

  boolean begun() {
    return (int) RUNNING.getOpaque(this) != NOT_BEGUN;
  }

  @Override
  public void run() {
    // An executor may have accepted it, and thrown all the same; then it was offered again.
    if (!RUNNING.compareAndSet(this, NOT_BEGUN, 0)) {
      return;
    }
    permits.giveBack(callbacks.length);
    VirtualMachineError fatal = null;
    boolean interrupted = false;
    for (int i = 0; i < callbacks.length; i++) {
      RUNNING.setOpaque(this, i);
      Runnable callback = callbacks[i];
      callbacks[i] = null;
      try {
        callback.run();
      } catch (VirtualMachineError e) {
        // The others are due as well, and nobody else would call them.
        fatal = e;
      } catch (Throwable e) {
        failed(e);
      }
      // Who interrupted one callback, or the thread, did not mean the next one.
      interrupted |= Thread.interrupted();
    }
    ended.accept(this);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (fatal != null) {
      throw fatal;
    }
  }

  private static void failed(Throwable e) {
    try {
      LOGGER.log(Level.ERROR, "a timer's callback failed", e);
    } catch (Throwable again) {
      // What cannot even be logged must not keep the others from being called.
    }
  }

  /** Returns whether one callback has been running for {@code limit} now, once for each. For the ticker. */
  boolean slow(long now, long limit) {
    int found = (int) RUNNING.getOpaque(this);
    if (found != seen) {
      seen = found;
      seenSince = now;
    }
    if (seen == NOT_BEGUN || now - seenSince < limit) {
      return false;
    }
    seenSince = Long.MAX_VALUE;
    return true;
  }
}
