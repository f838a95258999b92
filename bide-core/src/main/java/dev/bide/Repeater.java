package dev.bide;

import dev.bide.spi.Driver;
import dev.bide.spi.QueueStore;
import dev.bide.spi.Reply;
import dev.bide.spi.Stamp;
import dev.bide.spi.StoreException;
import dev.bide.spi.TaskStore;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Calls the store for callers, on their own threads, and repeats a call when the store has a passing mishap: a write
 * under the same stamp, so that it has its effect once. Thread-safe: each write under way has a stream of stamps to
 * itself. Single writes go through {@link Coalescer}, with the same patience.
 */
final class Repeater {
  static final long TIMEOUT_MILLIS = Calls.TIMEOUT_MILLIS;
  private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(5).toNanos();
  private static final long LAST_PAUSE_NANOS = Duration.ofMillis(500).toNanos();

  private final TaskStore store;
  private final String node;
  private final StoreTime time;
  private final Driver driver;
  private final Queue<Stream> idle = new ConcurrentLinkedQueue<>();
  private final AtomicInteger streams = new AtomicInteger();

  Repeater(TaskStore store, String node, StoreTime time, Driver driver) {
    this.store = store;
    this.node = node;
    this.time = time;
    this.driver = driver;
  }

  /** How often a call is repeated, and for how long. Used by one thread at a time. */
  static final class Patience {
    private final long ends;
    private long pause = FIRST_PAUSE_NANOS;

    /** Begins now, at the moment of a driver's clock. */
    Patience(long now) {
      ends = now + Duration.ofMillis(TIMEOUT_MILLIS).toNanos();
    }

    long ends() {
      return ends;
    }

    boolean over(long now) {
      return now >= ends;
    }

    /** Returns how long to wait before the next try, in nanoseconds: each time longer, and not beyond the end. */
    long pause(long now) {
      long next = Math.min(pause, ends - now);
      pause = Math.min(pause * 2, LAST_PAUSE_NANOS);
      return next;
    }
  }

  private static final class Stream {
    final String name;
    long number;

    Stream(int index) {
      name = "write " + index;
    }
  }

  /**
   * Writes, and returns the answers in order.
   *
   * @throws StoreException if the store would not, or could not in {@value #TIMEOUT_MILLIS} ms; in the latter case
   * whether it was done is unknown
   */
  List<Written> write(List<Write> writes) {
    Stream polled = idle.poll();
    Stream stream = polled == null ? new Stream(streams.incrementAndGet()) : polled;
    try {
      return write(writes, stream.name, ++stream.number);
    } finally {
      idle.add(stream);
    }
  }

  private List<Written> write(List<Write> writes, String stream, long number) {
    return repeat(sent -> store.write(writes,
        new Stamp(node, stream, number, time.storeMillis(sent) + TIMEOUT_MILLIS)));
  }

  /** Looks at the store. */
  <T> T look(Function<TaskStore, Reply<T>> call) {
    return repeat(sent -> call.apply(store));
  }

  private <T> T repeat(LongFunction<Reply<T>> call) {
    return repeated(sent -> {
      Reply<T> reply = call.apply(sent);
      time.learn(reply, sent, driver.nanos());
      if (reply.late()) {
        throw late(reply);
      }
      return reply.value();
    });
  }

  /** Returns the store's now. */
  long now() {
    return repeated(sent -> store.now());
  }

  static StoreException late(Reply<?> reply) {
    return StoreException.passing("the store's clock is ahead of what this node expected: now=" + reply.now(), null);
  }

  /** Asks for or changes the configuration of queues, which may be done twice. */
  <T> T queues(Function<QueueStore, T> call) {
    return repeated(sent -> call.apply(store.queues()));
  }

  private <T> T repeated(LongFunction<T> call) {
    Patience patience = new Patience(driver.nanos());
    StoreException last = null;
    while (true) {
      long sent = driver.nanos();
      if (patience.over(sent) || Thread.currentThread().isInterrupted() && last != null) {
        throw gaveUp(last);
      }
      try {
        return call.apply(sent);
      } catch (StoreException e) {
        if (!e.isTransient()) {
          throw e;
        }
        last = e;
      }
      driver.pause(patience.pause(driver.nanos()));
    }
  }

  static StoreException gaveUp(@Nullable StoreException last) {
    String why = last == null ? "no time was left" : last.getMessage();
    return StoreException.passing("gave up after " + TIMEOUT_MILLIS / 1000
        + " s or an interrupt; whether the call was done is unknown, and calling again with the same id is safe: "
        + why, last);
  }
}
