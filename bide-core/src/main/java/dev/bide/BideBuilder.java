package dev.bide;

import static java.util.Objects.requireNonNull;

import dev.bide.spi.Driver;
import dev.bide.spi.TaskStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The settings of a {@link Bide}; what is not set has a safe default. Not thread-safe. */
public final class BideBuilder {
  private static final Duration LONGEST_DELAY = Duration.ofDays(36_525);

  final TaskStore store;
  final List<TaskListener> listeners = new ArrayList<>();
  String name = "bide";
  boolean shared;
  @Nullable
  Executor executor;
  @Nullable
  Driver driver;
  Duration shutdownLimit = Duration.ofSeconds(30);
  /** How long {@link Bide#close} goes on trying to bring settlements to the store after that. */
  Duration flushLimit = Duration.ofSeconds(5);
  Duration maxDelay = Duration.ofDays(3_653);
  int mostUnanswered = 10_000;
  long mostUnansweredBytes = 64L * 1024 * 1024;

  BideBuilder(TaskStore store) {
    this.store = requireNonNull(store, "store");
  }

  /**
   * What the node is called in events and histories; eight random characters are added, so that each start has a name
   * of its own. Default: bide.
   */
  public BideBuilder name(String name) {
    if (name.isEmpty() || name.length() > 100 || !name.equals(Texts.clean(name))) {
      throw new IllegalArgumentException(
          "the name of a node has 1 to 100 characters, no control characters, got \"" + Texts.clean(name) + '"');
    }
    this.name = name;
    return this;
  }

  /** Leaves the store open when the Bide is closed. Default: it is closed too. */
  public BideBuilder shared() {
    shared = true;
    return this;
  }

  /**
   * What runs the handlers, one that gives each task a virtual thread for instance: it is given each task. It is not
   * shut down. It should start tasks at once: claims wait in it under their lease. What it rejects is given back, and
   * comes again after a while. Default: a pool of threads, as many as handlers run, of which each goes on with the next
   * task by itself.
   */
  public BideBuilder executor(Executor executor) {
    this.executor = requireNonNull(executor, "executor");
    return this;
  }

  /** What moves the node in a test, instead of the threads and the clock of this machine. */
  public BideBuilder driver(Driver driver) {
    this.driver = requireNonNull(driver, "driver");
    return this;
  }

  /** How long {@link Bide#close} waits for handlers before it interrupts them. Default: 30 s. */
  public BideBuilder shutdownLimit(Duration limit) {
    if (limit.isNegative()) {
      throw new IllegalArgumentException("the shutdown limit must not be negative, got " + limit);
    }
    shutdownLimit = limit;
    return this;
  }

  /** How far ahead a task may be due: 1 ms to 100 years. Default: 10 years. */
  public BideBuilder maxDelay(Duration maxDelay) {
    if (maxDelay.isNegative() || maxDelay.isZero() || maxDelay.compareTo(LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "the greatest delay must be 1 ms to " + LONGEST_DELAY.toDays() + " days, got " + maxDelay);
    }
    this.maxDelay = maxDelay;
    return this;
  }

  /**
   * How much {@link TaskQueue#scheduleAsync} accepts, over all queues, before the store has answered and the steps that
   * follow are over: so many calls, at least 1, and so many bytes of payload, at least {@value TaskQueue#MAX_PAYLOAD}.
   * Beyond that it waits for room; a step that cannot wait has as much again. Default: 10,000 calls and 64 MB.
   */
  public BideBuilder unanswered(int calls, long bytes) {
    if (calls < 1 || bytes < TaskQueue.MAX_PAYLOAD) {
      throw new IllegalArgumentException("at least 1 call and " + TaskQueue.MAX_PAYLOAD
          + " bytes must be allowed unanswered, got " + calls + " and " + bytes);
    }
    mostUnanswered = calls;
    mostUnansweredBytes = bytes;
    return this;
  }

  /** Adds a listener; may be called several times. */
  public BideBuilder listener(TaskListener listener) {
    listeners.add(requireNonNull(listener, "listener"));
    return this;
  }

  /**
   * Starts the engine. Nothing is claimed until a queue has a handler or a caller takes.
   *
   * @throws dev.bide.spi.StoreException if the store cannot be asked for its time
   */
  public Bide start() {
    return new Bide(this);
  }
}
