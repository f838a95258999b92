package dev.bide.timer;

import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Callbacks that are due together, in their order. One thread runs it; the ticker may look on. */
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
  private final Executor executor;
  private final Permits permits;
  private final Consumer<Batch> ended;
  // Which callback is running. Opaque: it is only looked at to see whether it changes.
  @SuppressWarnings("unused")
  private int running = NOT_BEGUN;
  // The ticker's: what it saw last, and when first.
  private int seen = NOT_BEGUN;
  private long seenSince;

  /** A batch that gives the permits of its callbacks back when it begins, and tells {@code ended} when it has ended. */
  Batch(Runnable[] callbacks, Executor executor, Permits permits, Consumer<Batch> ended) {
    this.callbacks = callbacks;
    this.executor = executor;
    this.permits = permits;
    this.ended = ended;
  }

  int size() {
    return callbacks.length;
  }

  /** Cancels the futures of a batch that will not run. */
  void drop() {
    for (Runnable callback : callbacks) {
      if (callback instanceof Future<?> future) {
        future.cancel(false);
        // Without its body, so that its executor service learns of its end.
        callback.run();
      }
    }
  }

  boolean begun() {
    return (int) RUNNING.getOpaque(this) != NOT_BEGUN;
  }

  @Override
  public void run() {
    permits.giveBack(callbacks.length);
    VirtualMachineError fatal = null;
    for (int i = 0; i < callbacks.length; i++) {
      RUNNING.setOpaque(this, i);
      Runnable callback = callbacks[i];
      callbacks[i] = null;
      try {
        call(callback);
      } catch (VirtualMachineError e) {
        // The others are due as well, and nobody else would call them.
        fatal = e;
      } catch (Throwable e) {
        LOGGER.log(Level.ERROR, "a timer's callback failed", e);
      }
    }
    ended.accept(this);
    if (fatal != null) {
      throw fatal;
    }
  }

  /**
   * A future is something that others may wait for, also those of this batch; so it is given to the executor by itself,
   * and runs here only if that refuses or fails.
   */
  private void call(Runnable callback) {
    if (callbacks.length > 1 && callback instanceof Future<?>) {
      try {
        executor.execute(callback);
        return;
      } catch (RuntimeException | Error e) {
        LOGGER.log(Level.DEBUG, "not accepted, so it runs where its batch does", e);
      }
    }
    callback.run();
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
