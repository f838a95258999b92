package dev.bide;

import static dev.bide.TaskEvent.Kind.CANCELLED;
import static dev.bide.TaskEvent.Kind.CANCEL_REQUESTED;
import static dev.bide.TaskEvent.Kind.KEPT;
import static dev.bide.TaskEvent.Kind.MOVED;
import static dev.bide.TaskEvent.Kind.PAUSED;
import static dev.bide.TaskEvent.Kind.RESUMED;
import static dev.bide.TaskEvent.Kind.REVIVED;
import static dev.bide.TaskEvent.Kind.SCHEDULED;
import static java.util.Objects.requireNonNull;

import dev.bide.delay.When;
import dev.bide.spi.Codec;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.QueueStore;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Amount;
import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.Load;
import dev.bide.task.PauseMode;
import dev.bide.task.Payload;
import dev.bide.task.Task;
import dev.bide.task.TaskCounts;
import dev.bide.task.TaskId;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A queue of tasks that wait for their time: schedule them, change them while they wait, and handle them when they are
 * due.
 *
 * <p>Thread-safe. A call that changes something returns when the store has it durably; calls of several threads share what
 * that costs. A store that cannot answer is a {@link dev.bide.spi.StoreException}; passing mishaps are repeated for ten
 * seconds first, and have their effect once. An interrupt ends a call only while the store fails, and stays set.
 *
 * @param <P> the type of the payloads
 */
public final class TaskQueue<P> {
  /** The greatest size of a payload, in bytes. */
  public static final int MAX_PAYLOAD = 256 * 1024;

  private static final int BATCH = 1_000;
  private static final int BATCH_BYTES = 16 * 1024 * 1024;

  private final Bide bide;
  private final QueueSpec<P> spec;
  private final Codec codec;
  private final Node node;
  private final Dispatcher dispatcher;
  private final AtomicBoolean handled = new AtomicBoolean();

  TaskQueue(Bide bide, QueueSpec<P> spec, Codec codec, QueueSettings settings) {
    this.bide = bide;
    this.spec = spec;
    this.codec = codec;
    node = bide.shared();
    Leases leases = new Leases(node, spec.name(), settings.leaseMillis());
    dispatcher = new Dispatcher(node, settings, leases, spec);
    bide.engine().add(leases);
    bide.engine().add(dispatcher);
    bide.engine().add(new Pruning(node, spec.name()));
  }

  /** Returns the name of the queue. */
  public String name() {
    return spec.name();
  }

  /**
   * Schedules a task under an id of yours. A task that is known under the id, live or finished within the retention, is
   * kept: calling twice is harmless.
   *
   * @param id 1 to 200 code points, no control characters
   * @throws IllegalArgumentException if the id is none, the payload is larger than {@value #MAX_PAYLOAD} bytes, or the
   * due time is too far ahead
   */
  public Scheduled schedule(String id, P payload, When when) {
    return schedule(Entry.of(id, payload, when));
  }

  /** Schedules a task under a generated id. */
  public Scheduled schedule(P payload, When when) {
    return schedule(Entry.of(payload, when));
  }

  /** Schedules a task. */
  public Scheduled schedule(Entry<P> entry) {
    bide.requireOpen();
    Write.Insert insert = insert(entry);
    Written written = bide.coalescer().write(insert);
    wake(written);
    return scheduled(insert.id(), written);
  }

  /** As {@link #scheduleAsync(Entry)}, under an id of yours. */
  public CompletionStage<Scheduled> scheduleAsync(String id, P payload, When when) {
    return scheduleAsync(Entry.of(id, payload, when));
  }

  /** As {@link #scheduleAsync(Entry)}, under a generated id. */
  public CompletionStage<Scheduled> scheduleAsync(P payload, When when) {
    return scheduleAsync(Entry.of(payload, when));
  }

  /**
   * Schedules a task without waiting for the store. The entry is checked at once; the stage that is returned completes
   * when the store has the task durably, or with the {@link dev.bide.spi.StoreException} that {@link #schedule(Entry)}
   * would throw; it has failed already if the call could not be accepted. What follows in this thread follows in the
   * store, too.
   *
   * <p>Stages complete in the order of the calls, on a thread that they share with all such steps of the node: a step that
   * waits for another one waits for ever. To cancel a stage does nothing to the task.
   *
   * <p>So much may be {@linkplain BideBuilder#unanswered unanswered}; beyond that this waits for room. A step that follows
   * a stage cannot wait for it: for such calls there is as much room again, and beyond that they fail.
   *
   * @throws IllegalArgumentException as {@link #schedule(String, Object, When)}; nothing is accepted then
   * @throws IllegalStateException if this is closed, or there is no room and a {@link TaskListener} calls this on a
   * thread that must not wait
   */
  public CompletionStage<Scheduled> scheduleAsync(Entry<P> entry) {
    bide.requireOpen();
    Write.Insert insert = insert(entry);
    return bide.coalescer().writeAsync(insert, this::wake, written -> scheduled(insert.id(), written));
  }

  /**
   * Schedules many tasks, in batches, and answers each in its place. All are checked before the first is written. Each
   * batch is written as a whole; when a later one fails, the earlier ones stay written.
   *
   * @throws IllegalArgumentException if an entry is bad or an id comes twice; nothing is written then
   */
  public List<Scheduled> scheduleAll(List<Entry<P>> entries) {
    bide.requireOpen();
    Set<String> ids = new HashSet<>();
    List<Write> inserts = new ArrayList<>(entries.size());
    for (Entry<P> entry : entries) {
      Write.Insert insert = insert(entry);
      if (!ids.add(insert.id())) {
        throw new IllegalArgumentException("task " + insert.id() + " comes twice in one call");
      }
      inserts.add(insert);
    }
    bide.coalescer().awaitPromised();
    List<Scheduled> answers = new ArrayList<>(entries.size());
    for (int from = 0; from < inserts.size();) {
      int to = batchEnd(inserts, from);
      List<Write> batch = inserts.subList(from, to);
      List<Written> written = bide.repeater().write(List.copyOf(batch));
      for (int i = 0; i < written.size(); i++) {
        wake(written.get(i));
        answers.add(scheduled(batch.get(i).id(), written.get(i)));
      }
      from = to;
    }
    return answers;
  }

  private static int batchEnd(List<Write> inserts, int from) {
    int to = from;
    for (long bytes = 0; to < inserts.size() && to - from < BATCH && bytes <= BATCH_BYTES; to++) {
      bytes += ((Write.Insert) inserts.get(to)).payload().size();
    }
    return to;
  }

  private Write.Insert insert(Entry<P> entry) {
    long now = storeMillis();
    Due due = entry.when().toDue(now, bide.maxDelay());
    Payload payload = codec.encode(entry.payload());
    if (payload.size() > MAX_PAYLOAD) {
      throw new IllegalArgumentException("a payload has at most " + MAX_PAYLOAD + " bytes, got " + payload.size());
    }
    String given = entry.id();
    ZoneId zone = entry.zone();
    return new Write.Insert(name(), given == null ? Ids.next(now, node.driver()::randomBits) : given, payload, due,
        entry.onExisting(), null, zone == null ? null : zone.getId(), entry.tags());
  }

  private Scheduled scheduled(String id, Written written) {
    TaskEvent.Kind kind = switch (written.answer()) {
      case CREATED, REPLACED -> SCHEDULED;
      case EXPIRED -> CANCELLED;
      default -> KEPT;
    };
    node.events().task(kind, name(), id, written.answer().name());
    return new Scheduled(id, written.answer(), Optional.ofNullable(written.found()), dueAt(written));
  }

  /** Cancels a task that waits; the handler of one in process is {@linkplain Claim#cancelRequested asked} to stop. */
  public Changed cancel(String id) {
    return cancel(id, "a caller");
  }

  /**
   * As {@link #cancel(String)}.
   *
   * @param by who cancels, for the record: the outcome says {@code cancelled by …}
   */
  public Changed cancel(String id, String by) {
    return change(cancelling(id, by));
  }

  /**
   * As {@link #cancel(String, String)}, without waiting for the store: see {@link #scheduleAsync(Entry)} for where the
   * stage completes, in which order, and how much may be unanswered.
   */
  public CompletionStage<Changed> cancelAsync(String id, String by) {
    bide.requireOpen();
    Write.Cancel cancel = cancelling(id, by);
    return bide.coalescer().writeAsync(cancel, this::wake, written -> changed(cancel, written));
  }

  private Write.Cancel cancelling(String id, String by) {
    return new Write.Cancel(name(), TaskId.check(id), Texts.clean(by));
  }

  /**
   * Gives a task that waits a new due time, counted from now; it may come earlier than before, unless
   * {@link When#onlyLater}.
   */
  public Changed move(String id, When when) {
    return change(new Write.Move(name(), TaskId.check(id), when.toDue(storeMillis(), bide.maxDelay()), null));
  }

  /**
   * Adds to the due time of a task that waits. The store adds: two callers who extend at once both count.
   *
   * @throws IllegalArgumentException if {@code by} is negative or more than the greatest delay
   */
  public Changed extend(String id, Duration by) {
    Due given = When.in(by).toDue(storeMillis(), bide.maxDelay());
    return change(new Write.Move(name(), TaskId.check(id),
        new Due(Due.Base.FROM_DUE, given.millis(), 0, given.tierMillis(), Due.Past.RUN, 0, false), null));
  }

  /** Holds a task that waits back until it is {@linkplain #resume(String) resumed}; its due time stays. */
  public Changed pause(String id) {
    return pause(id, PauseMode.KEEP_DUE);
  }

  /** As {@link #pause(String)}, keeping its due time or what was left to wait. */
  public Changed pause(String id, PauseMode mode) {
    return change(new Write.Pause(name(), TaskId.check(id), requireNonNull(mode, "mode")));
  }

  /** Lets a paused task wait again; it is ready at once if its time came meanwhile. */
  public Changed resume(String id) {
    return change(new Write.Resume(name(), TaskId.check(id)));
  }

  /**
   * Begins a new life of a dead letter: due at once, with all its attempts before it. Other tasks: {@code NOT_FAILED}.
   */
  public Changed revive(String id) {
    return change(new Write.Revive(name(), TaskId.check(id)));
  }

  /**
   * Stops claiming from this queue, on all nodes: once this returns, nothing more is claimed until {@link #resume()}.
   * What was claimed before runs on and is settled; due times stay. It survives restarts, and may be repeated.
   */
  public void pause() {
    bide.requireOpen();
    settings(QueueStore::pause);
    node.events().queue(PAUSED, name(), "", null);
  }

  /** Lets this queue go on, on all nodes: this one at once, the others within a second. */
  public void resume() {
    bide.requireOpen();
    settings(QueueStore::resume);
    node.events().queue(RESUMED, name(), "", null);
    dispatcher.signal(0);
  }

  /** Returns whether this queue is paused. */
  public boolean paused() {
    bide.requireOpen();
    return bide.repeater().queues(queues -> queues.pauseOf(name()).paused());
  }

  private void settings(BiConsumer<QueueStore, String> change) {
    bide.repeater().queues(queues -> {
      change.accept(queues, name());
      return true;
    });
  }

  private Changed change(Write change) {
    bide.requireOpen();
    Written written = bide.coalescer().write(change);
    wake(written);
    return changed(change, written);
  }

  private Changed changed(Write change, Written written) {
    TaskEvent.Kind kind = kind(change, written.answer());
    if (kind != null) {
      node.events().task(kind, name(), change.id(), written.answer().name());
    }
    return new Changed(written.answer(), Optional.ofNullable(written.found()), dueAt(written));
  }

  private static TaskEvent.@Nullable Kind kind(Write change, Answer answer) {
    return switch (answer) {
      case CANCELLED, EXPIRED -> CANCELLED;
      case DONE -> change instanceof Write.Pause
          ? PAUSED
          : change instanceof Write.Resume ? RESUMED : change instanceof Write.Revive ? REVIVED : MOVED;
      case ALREADY_CLAIMED -> change instanceof Write.Cancel ? CANCEL_REQUESTED : null;
      default -> null;
    };
  }

  /**
   * Returns how a task stands: the live one of this id, else the latest finished one within the retention, else empty.
   */
  public Optional<Task> inspect(String id) {
    bide.requireOpen();
    return find(List.of(id)).get(0);
  }

  /**
   * Returns how tasks stand, in the order of the ids, each as {@link #inspect} does.
   *
   * @param ids at most 1,000
   * @throws IllegalArgumentException if there are more, or one of them is no id
   * @throws dev.bide.spi.StoreException if the store cannot answer
   * @throws IllegalStateException if this is closed
   */
  public List<Optional<Task>> find(List<String> ids) {
    bide.requireOpen();
    List<String> checked = ids.stream().map(TaskId::check).toList();
    requireBatch("find", checked.size());
    return checked.isEmpty() ? List.of() : bide.repeater().look(store -> store.find(name(), checked));
  }

  /**
   * Lists tasks of this queue: the first page.
   *
   * @param limit how many tasks a page holds at most, 1 to 1,000; see {@link TaskPage} for why it may hold fewer
   * @throws IllegalArgumentException if the limit is not within that
   * @throws dev.bide.spi.StoreException if the store cannot answer
   * @throws IllegalStateException if this is closed
   */
  public TaskPage list(TaskQuery query, int limit) {
    return list(query, limit, "");
  }

  /**
   * Lists tasks of this queue: the page that begins at {@code cursor}. Nothing here looks through what waits: a page
   * takes as long with ten million waiting tasks as with ten.
   *
   * @param cursor what the page before has given as {@link TaskPage#next}
   * @throws IllegalArgumentException if the cursor is of another list, or the limit is not 1 to 1,000
   * @throws dev.bide.spi.StoreException if the store cannot answer
   * @throws IllegalStateException if this is closed
   */
  public TaskPage list(TaskQuery query, int limit, String cursor) {
    bide.requireOpen();
    requireNonNull(query, "query");
    requireBatch("list", limit);
    return bide.repeater().look(store -> store.list(name(), query, limit, cursor));
  }

  /** Returns how many tasks of this queue stand where. */
  public TaskCounts counts() {
    bide.requireOpen();
    return bide.repeater().look(store -> store.counts(List.of(name()))).get(0);
  }

  /**
   * Forecasts this queue: how many waiting tasks may run when, from minutes to years ahead.
   *
   * <p>Buckets of whole hours that begin at a whole hour of UTC are read from counters, exactly. In all others what the
   * counters do not tell is counted task by task, up to 100,000 tasks in one call; the buckets that come after these
   * may say {@linkplain Amount#exact() "at least"}.
   *
   * @param from the start of the first bucket, not before 1970; its whole millisecond counts
   * @param width how long each bucket is, whole milliseconds, at least one
   * @param buckets 1 to {@value Load#MOST}
   * @throws IllegalArgumentException if there is no such forecast
   * @throws dev.bide.spi.StoreException if the store cannot answer
   * @throws IllegalStateException if this is closed
   */
  public Load load(Instant from, Duration width, int buckets) {
    bide.requireOpen();
    if (width.getNano() % 1_000_000 != 0) {
      throw new IllegalArgumentException("the width of a bucket must be whole milliseconds, got " + width);
    }
    long fromMillis = millis(from, Instant::toEpochMilli);
    long widthMillis = millis(width, Duration::toMillis);
    return bide.repeater().look(store -> store.load(name(), fromMillis, widthMillis, buckets));
  }

  private static <T> long millis(T time, ToLongFunction<T> millis) {
    try {
      return millis.applyAsLong(time);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("a load begins and ends within 64 bits of milliseconds, got " + time, e);
    }
  }

  /**
   * Compares this queue with what the business has open, for a daily check that nothing was forgotten on either side.
   * Goes through all live ids of the queue, so it takes the longer the more there are. Meanwhile it holds the ids of
   * {@code open} once more, and each live id that is not among them; then the finished tasks that it returns.
   *
   * @param open the ids for which the business expects a live task
   * @throws IllegalArgumentException if one of them is no id
   * @throws dev.bide.spi.StoreException if the store cannot answer
   * @throws IllegalStateException if this is closed
   */
  public Reconciliation reconcile(Collection<String> open) {
    bide.requireOpen();
    return new Reconciler(bide.repeater(), name()).reconcile(open);
  }

  private static void requireBatch(String what, int tasks) {
    if (tasks < 0 || tasks > BATCH) {
      throw new IllegalArgumentException(what + " at most " + BATCH + " tasks at once, got " + tasks);
    }
  }

  /**
   * Begins to handle the tasks of this queue on this node: due tasks are pushed to {@code handler}, as many at once as
   * the spec allows.
   *
   * @throws IllegalStateException if the queue has a handler on this node already
   */
  public void handle(Handler<P> handler) {
    begin(HandlerRunner.of(requireNonNull(handler, "handler"), spec, codec, node));
  }

  /**
   * As {@link #handle}, with a handler that needs no thread while it waits. A task counts as running until the stage
   * its handler returned is complete.
   *
   * @throws IllegalStateException if the queue has a handler on this node already
   */
  public void handleAsync(AsyncHandler<P> handler) {
    begin(HandlerRunner.ofAsync(requireNonNull(handler, "handler"), spec, codec, node));
  }

  private void begin(Workers.Runner runner) {
    bide.requireOpen();
    if (handled.getAndSet(true)) {
      throw new IllegalStateException("queue " + name() + " has a handler on this node already");
    }
    bide.engine().post(() -> dispatcher.workers().begin(runner));
  }

  /**
   * Sets how many tasks the handler of this node may hold at once, those claimed ahead included; what it holds already,
   * or is just being claimed for it, runs on. 0 stops claiming for the handler, and leaves all to {@link #take}.
   * Default: the handlers of the spec, and what it says of {@linkplain QueueSpec#prefetch prefetch}.
   *
   * @throws IllegalArgumentException if {@code tasks} is negative
   */
  public void credit(int tasks) {
    bide.requireOpen();
    if (tasks < 0) {
      throw new IllegalArgumentException("credit must not be negative, got " + tasks);
    }
    bide.engine().post(() -> dispatcher.workers().credit(tasks));
  }

  /**
   * Takes due tasks, waiting until there is one. Each is held for the caller, its lease renewed, until it is settled or
   * closed. A task on which a lease was lost before comes alone.
   *
   * @param max 1 to 1,000; fewer are returned as soon as there are any
   * @param wait how long to wait at most; zero looks once
   * @return empty if none came due in time, the store could not be asked, the circuit breaker is open, the thread was
   *   interrupted (the interrupt stays set), or the {@link Bide} is being closed
   * @throws IllegalStateException if this is closed, or a {@link TaskListener} calls this
   */
  public List<Claim<P>> take(int max, Duration wait) {
    if (max < 1 || max > BATCH) {
      throw new IllegalArgumentException("take 1 to " + BATCH + " tasks, got " + max);
    }
    if (wait.isNegative()) {
      throw new IllegalArgumentException("the wait must not be negative, got " + wait);
    }
    node.requireMayWait();
    bide.requireOpen();
    long deadline = node.nanos() + Duty.nanos(When.millisUp(wait));
    while (true) {
      List<HeldClaim> taken = pull(max, deadline);
      List<Claim<P>> claims = decoded(taken);
      if (!claims.isEmpty() || taken.isEmpty() || node.nanos() >= deadline) {
        return claims;
      }
    }
  }

  private List<HeldClaim> pull(int max, long deadline) {
    CompletableFuture<List<HeldClaim>> taken = new CompletableFuture<>();
    Dispatcher.Pull pull = new Dispatcher.Pull(max, deadline, taken::complete);
    bide.engine().post(() -> dispatcher.pull(pull));
    try {
      boolean unused = node.driver().await(taken, Long.MAX_VALUE);
      return taken.join();
    } catch (InterruptedException e) {
      bide.engine().post(() -> dispatcher.end(pull));
      var unused = taken.thenAccept(claims -> claims.forEach(this::release));
      Thread.currentThread().interrupt();
      return List.of();
    }
  }

  /**
   * Returns the claims for their taker; one whose payload cannot be read becomes a dead letter instead. One at which
   * the codec breaks down has failed an attempt, so that it cannot come back for ever, and the others are given back.
   */
  private List<Claim<P>> decoded(List<HeldClaim> taken) {
    List<Claim<P>> claims = new ArrayList<>(taken.size());
    for (HeldClaim claim : taken) {
      try {
        claims.add(new Claim<>(claim, codec.decode(claim.task.payload(), spec.type()), node, this::settle));
      } catch (RuntimeException e) {
        end(claim, HandlerRunner.undecodable(e));
      } catch (Error e) {
        end(claim, HandlerRunner.failed(spec, node, claim, Texts.of(e), e));
        taken.forEach(this::release);
        throw e;
      }
    }
    return claims;
  }

  private void release(HeldClaim claim) {
    end(claim, Outcome.release());
  }

  private void end(HeldClaim claim, Outcome outcome) {
    if (claim.beginSettling()) {
      settle(claim, outcome);
    }
  }

  private void settle(HeldClaim claim, Outcome outcome) {
    bide.engine().post(() -> dispatcher.settle(claim, outcome));
  }

  /**
   * Returns how the circuit breaker of this queue stands on this node; one that was not asked for is always closed.
   */
  public CircuitBreaker breaker() {
    bide.requireOpen();
    return dispatcher.breaker();
  }

  Dispatcher dispatcher() {
    return dispatcher;
  }

  /** Returns this queue if its payloads are of {@code type}. */
  @SuppressWarnings("unchecked") // the types are compared
  <Q> TaskQueue<Q> as(Class<Q> type) {
    if (spec.type() != type) {
      throw new IllegalArgumentException(
          "queue " + name() + " holds " + spec.type().getName() + " here, not " + type.getName());
    }
    return (TaskQueue<Q>) this;
  }

  private void wake(Written written) {
    if (written.nextAt() != Due.NEVER) {
      dispatcher.signal(written.nextAt());
    }
  }

  private long storeMillis() {
    return node.time().storeMillis(node.nanos());
  }

  private static Optional<Instant> dueAt(Written written) {
    return written.dueAt() == Due.NEVER ? Optional.empty() : Optional.of(Instant.ofEpochMilli(written.dueAt()));
  }
}
