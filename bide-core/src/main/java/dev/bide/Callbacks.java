package dev.bide;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Runs the small work of strangers, one after the other, and knows when it does. Thread-safe. */
final class Callbacks implements Executor {
  private final Executor executor;
  private volatile @Nullable Thread running;

  /** Callbacks on {@code executor}, which runs what it is given in its order. */
  Callbacks(Executor executor) {
    this.executor = executor;
  }

  @Override
  public void execute(Runnable task) {
    executor.execute(() -> {
      Thread before = running;
      running = Thread.currentThread();
      try {
        task.run();
      } finally {
        running = before;
      }
    });
  }

  /** Returns whether the calling thread is in a callback: it would wait for ever for one that follows. */
  boolean running() {
    return running == Thread.currentThread();
  }
}
