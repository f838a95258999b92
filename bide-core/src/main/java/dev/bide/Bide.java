package dev.bide;

import static java.lang.System.Logger.Level.WARNING;

import dev.bide.delay.When;
import dev.bide.spi.Codec;
import dev.bide.spi.Driver;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.QueueStore;
import dev.bide.spi.TaskStore;
import dev.bide.task.TaskCounts;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * A delay queue on a store: one running node, with as many queues as you like.
 *
 * <p>Thread-safe. Tasks live in the store, so they survive this object, and several nodes can work on one store. Time is
 * the store's.
 *
 * <pre>{@code
 * try (Bide bide = Bide.on(SqliteStore.at(Path.of("bide.db"))).start()) {
 *   TaskQueue<String> reminders = bide.queue(QueueSpec.of("reminders", String.class));
 *   reminders.handle(claim -> {
 *     mail(claim.payload());
 *     return Outcome.done();
 *   });
 *   reminders.schedule("order-42", "please pay", When.in(Duration.ofMinutes(30)));
 * }
 * }</pre>
 */
public final class Bide implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Bide.class.getName());
  private static final Duration INTERRUPT_GRACE = Duration.ofSeconds(1);

  private final TaskStore store;
  private final BideBuilder settings;
  private final Driver driver;
  private final Engine engine;
  private final Node node;
  private final Repeater repeater;
  private final Coalescer coalescer;
  private final Watch watch = new Watch();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  /** Guarded by itself. */
  private final Map<String, TaskQueue<?>> queues = new LinkedHashMap<>();

  Bide(BideBuilder settings) {
    this.settings = settings;
    store = settings.store;
    driver = settings.driver == null ? new Threads(settings.name) : settings.driver;
    long sent = driver.nanos();
    StoreTime time = new StoreTime(store.now(), sent, driver.nanos());
    engine = new Engine(store, driver);
    String name = settings.name + '-' + Ids.random(driver::randomBits);
    Events events = new Events(name, () -> time.storeMillis(driver.nanos()), settings.listeners);
    // Threads of our own are given tasks on the engine's thread; an executor of the user's may block, and gets its own.
    Executor given = settings.executor;
    node = new Node(name, driver, new Callbacks(driver.callbacks()), time, new SuspectGate(), events, engine::post,
        engine::leave, given == null ? Runnable::run : driver.starter(), given == null ? driver.handlers() : given,
        given == null);
    repeater = new Repeater(store, name, time, driver);
    coalescer = new Coalescer(store, node, settings.mostUnanswered, settings.mostUnansweredBytes);
    engine.add(watch);
    engine.add(coalescer);
    engine.start();
  }

  /** Begins a node on {@code store}. */
  public static BideBuilder on(TaskStore store) {
    return new BideBuilder(store);
  }

  /** Returns the name of this node: the one it was given, and eight characters of its own. */
  public String node() {
    return node.name();
  }

  /**
   * Returns the queue that {@code spec} describes, creating it in the store if it is new. A second call for the same
   * name returns the same queue.
   *
   * @throws dev.bide.spi.StoreException if the store cannot answer; passing mishaps are repeated for ten seconds first
   * @throws IllegalArgumentException if no codec handles the type, the queue exists with another number of shards, or
   * it was asked for before with another type
   * @throws IllegalStateException if this is closed
   */
  public <P> TaskQueue<P> queue(QueueSpec<P> spec) {
    requireOpen();
    TaskQueue<?> known;
    synchronized (queues) {
      known = queues.get(spec.name());
    }
    if (known == null) {
      // Outside the lock, since the store may be slow.
      Codec codec = Codecs.find(spec.type(), spec.codec());
      QueueSettings stored = define(spec);
      synchronized (queues) {
        requireOpen();
        known = queues.computeIfAbsent(spec.name(), name -> new TaskQueue<>(this, spec, codec, stored));
      }
    }
    return known.as(spec.type());
  }

  /** Returns the names of all queues in the store, also those that this node does not use, in order. */
  public List<String> queues() {
    requireOpen();
    return repeater.queues(QueueStore::names);
  }

  /** Returns how many tasks of each queue in the store stand where, by the name of the queue. */
  public List<TaskCounts> counts() {
    List<String> names = queues();
    return repeater.look(store -> store.counts(names));
  }

  private QueueSettings define(QueueSpec<?> spec) {
    QueueSettings wanted = spec.settings();
    QueueSettings stored = repeater.queues(known -> known.define(wanted));
    if (stored.equals(wanted)) {
      return stored;
    }
    if (stored.shards() != wanted.shards()) {
      throw new IllegalArgumentException("queue " + spec.name() + " was made with " + stored.shards()
          + " shards, which is fixed; the spec says " + wanted.shards());
    }
    if (spec.storedUpdated()) {
      return repeater.queues(known -> known.update(wanted));
    }
    String both = "the stored settings hold: " + stored + "; the spec says: " + wanted
        + "; QueueSpec.updateStored() writes the spec's for all nodes";
    LOG.log(WARNING, "queue=" + spec.name() + ": " + both);
    node.events().queue(TaskEvent.Kind.SETTINGS_DIFFER, spec.name(), both, null);
    return stored;
  }

  Node shared() {
    return node;
  }

  Repeater repeater() {
    return repeater;
  }

  Coalescer coalescer() {
    return coalescer;
  }

  Engine engine() {
    return engine;
  }

  Duration maxDelay() {
    return settings.maxDelay;
  }

  void requireOpen() {
    if (closing.get()) {
      throw new IllegalStateException("this Bide is closed: " + node.name());
    }
  }

  /**
   * Stops in this order: no more claims; what has not started is given back; handlers are waited for, while their
   * leases are renewed, up to the {@linkplain BideBuilder#shutdownLimit limit}; those still running are reported and
   * interrupted, and what returns then is given back, its attempt not counted, while what does not keeps its lease
   * until it runs out; settlements are brought to the store; the store is closed, unless {@linkplain BideBuilder#shared
   * shared}. Claims that were taken count as running.
   *
   * <p>What {@link TaskQueue#scheduleAsync} has accepted is written meanwhile, and after the handlers five seconds more
   * are given to it and to the steps that follow its stages. What the store has not answered by then fails with a
   * {@link dev.bide.spi.StoreException}, which says whether it was sent, and so may have been done.
   *
   * <p>Idempotent; a second call waits for the first. An interrupt of the calling thread shortens the wait for handlers.
   *
   * @throws IllegalStateException if a handler or a listener of this node calls it: it would wait for itself
   */
  @Override
  public void close() {
    node.requireMayWait();
    if (Workers.current(node)) {
      throw new IllegalStateException("a handler cannot close the Bide it runs in: it would wait for itself");
    }
    if (closing.getAndSet(true)) {
      closed.join();
      return;
    }
    try {
      stop();
    } finally {
      closed.complete(null);
    }
  }

  private void stop() {
    coalescer.close();
    List<Dispatcher> all;
    synchronized (queues) {
      all = queues.values().stream().<Dispatcher>map(TaskQueue::dispatcher).toList();
    }
    engine.post(() -> all.forEach(Dispatcher::stop));
    boolean idle = await(all, Dispatcher::idle, settings.shutdownLimit);
    boolean interrupted = Thread.interrupted();
    if (!idle) {
      engine.post(() -> all.forEach(Dispatcher::interrupt));
      await(all, Dispatcher::idle, INTERRUPT_GRACE);
      interrupted |= Thread.interrupted();
      await(all, Dispatcher::flushed, settings.flushLimit);
      interrupted |= Thread.interrupted();
    }
    boolean unused = await(coalescer.over(), settings.flushLimit);
    interrupted |= Thread.interrupted();
    coalescer.abandon();
    engine.post(() -> all.forEach(Dispatcher::abandon));
    engine.end();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (!settings.shared) {
      store.close();
    }
  }

  /** Waits until a condition holds for all dispatchers; false if it did not in time, or this thread was interrupted. */
  private boolean await(List<Dispatcher> all, Predicate<Dispatcher> condition, Duration limit) {
    CompletableFuture<Void> met = new CompletableFuture<>();
    engine.post(() -> watch.await(() -> all.stream().allMatch(condition), met));
    return await(met, limit);
  }

  private boolean await(Future<?> met, Duration limit) {
    try {
      return driver.await(met, TimeUnit.MILLISECONDS.toNanos(When.millisUp(limit)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
