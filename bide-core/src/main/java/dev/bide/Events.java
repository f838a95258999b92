package dev.bide;

import static java.lang.System.Logger.Level.WARNING;

import dev.bide.spi.Claimed;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells the listeners of a node what happens, on the thread where it happens: a log then holds the start of a task
 * before the task can do any harm. Thread-safe.
 */
final class Events {
  private static final System.Logger LOG = System.getLogger(Bide.class.getName());
  private static final long SLOW_MILLIS = 1_000;

  private final String node;
  private final LongSupplier storeMillis;
  private final List<TaskListener> listeners;
  private final AtomicLong warnings = new AtomicLong();

  /** Events stamped with {@code storeMillis}, the estimate of the store's clock. */
  Events(String node, LongSupplier storeMillis, List<TaskListener> listeners) {
    this.node = node;
    this.storeMillis = storeMillis;
    this.listeners = List.copyOf(listeners);
  }

  /** Something that a caller did to a task. */
  void task(TaskEvent.Kind kind, String queue, String id, String detail) {
    tell(kind, queue, id, 0, 0, null, detail, null);
  }

  /** Something that happened to a task while this node held it. */
  void claim(TaskEvent.Kind kind, String queue, Claimed task, String detail, @Nullable Throwable cause) {
    tell(kind, queue, task.id(), task.token(), task.attempt(), null, detail, cause);
  }

  /** As {@link #claim}, with a delay, unless that says nothing. */
  void delayed(TaskEvent.Kind kind, String queue, Claimed task, @Nullable Duration lateness) {
    tell(kind, queue, task.id(), task.token(), task.attempt(), lateness, "", null);
  }

  /** A task that the store ended by itself. */
  void ended(TaskEvent.Kind kind, String queue, String id, int attempt, String detail) {
    tell(kind, queue, id, 0, attempt, null, detail, null);
  }

  /** Something that concerns a whole queue, or the engine if {@code queue} is empty. */
  void queue(TaskEvent.Kind kind, String queue, String detail, @Nullable Throwable cause) {
    tell(kind, queue, "", 0, 0, null, detail, cause);
  }

  private void tell(TaskEvent.Kind kind, String queue, String id, long token, int attempt, @Nullable Duration lateness,
      String detail, @Nullable Throwable cause) {
    if (listeners.isEmpty()) {
      return;
    }
    TaskEvent event = new TaskEvent(kind, queue, id, token, attempt, node,
        Instant.ofEpochMilli(storeMillis.getAsLong()),
        Optional.ofNullable(lateness), detail, Optional.ofNullable(cause));
    for (TaskListener listener : listeners) {
      try {
        listener.on(event);
      } catch (Throwable e) {
        // A listener is a stranger's code on our threads, and must not stop them.
        warn("a listener failed on " + event, e);
      }
    }
    long tookMillis = storeMillis.getAsLong() - event.at().toEpochMilli();
    if (tookMillis > SLOW_MILLIS) {
      warn("the listeners took " + tookMillis + " ms on " + Thread.currentThread().getName() + ", which has leases to"
          + " renew or tasks to run: " + event, null);
    }
  }

  /** The first warning is logged, then every thousandth. */
  private void warn(String message, @Nullable Throwable cause) {
    if (warnings.getAndIncrement() % 1000 == 0) {
      LOG.log(WARNING, message, cause);
    }
  }
}
