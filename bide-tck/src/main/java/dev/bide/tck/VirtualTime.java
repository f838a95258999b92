package dev.bide.tck;

import static java.util.Objects.requireNonNull;

import dev.bide.Bide;
import dev.bide.BideBuilder;
import dev.bide.TaskEvent;
import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.TaskStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lets a test say when time passes: nodes as in production, on a store in memory, all on the thread of the test.
 *
 * <p>Nothing happens until time is let pass, by {@link #advance} and its like or by a call that waits for the node, such
 * as {@code take}. Then all that comes due runs on the calling thread, each at its moment, in order; equal moments in
 * the order they were asked for. Handlers take no time, unless they call {@link #advance} themselves: leases are
 * renewed meanwhile, and other tasks may run; a handler in which another began goes on when that has ended. Ids, jitter
 * and order are the same each time a test runs. Moments are whole milliseconds; parts are rounded up.
 *
 * <p>A handler that fails is retried as in production. An {@link AssertionError} that it throws, alone or as the cause of
 * something else, is that too, and moreover stops whoever lets time pass at that moment: the outermost {@link #advance}
 * throws it, else {@link #close}.
 *
 * <p>Used by the thread that began it: on another one everything but {@link #now} and {@link #clock} is an
 * {@link IllegalStateException}, the calls of its nodes too, and the next {@link #advance} reports it. So a node here
 * must not have an executor with threads of its own. Handlers that look at the time must be given {@link #clock} or
 * {@code time::now}.
 *
 * <pre>{@code
 * try (VirtualTime time = VirtualTime.begin()) {
 *   TaskQueue<String> timeouts = time.bide().queue(ORDER_TIMEOUT);
 *   timeouts.handle(new CancelUnpaid(orders));
 *   timeouts.schedule("order-42", "42", When.in(ofMinutes(30)));
 *   time.advance(ofMinutes(30).minusMillis(1));
 *   assertEquals(List.of(), time.ran());
 *   time.advance(ofMillis(1));
 *   assertEquals(List.of("order-42"), time.ran());
 * }
 * }</pre>
 */
public final class VirtualTime implements AutoCloseable {
  /**
   * When it begins unless a test says otherwise: the first moment of 2000, in UTC. That is long ago so that a due time
   * taken from the real clock is too far ahead, and is refused.
   */
  public static final Instant START = Instant.parse("2000-01-01T00:00:00Z");

  /** Beyond it, nanoseconds do not fit. */
  private static final Instant LAST = Instant.parse("2262-01-01T00:00:00Z");
  private static final long NANOS = 1_000_000;

  private final Thread thread = Thread.currentThread();
  private final Timeline timeline = new Timeline();
  private final Instant start;
  private final TaskStore store = MemoryTaskStore.on(() -> now().toEpochMilli());
  private final List<Mover> movers = new ArrayList<>();
  private final List<Bide> nodes = new ArrayList<>();
  private final List<TaskEvent> events = new ArrayList<>();
  private final Queue<AssertionError> failures = new ConcurrentLinkedQueue<>();
  private @Nullable Bide bide;
  private long changedAt;
  private boolean closed;

  private VirtualTime(Instant start) {
    this.start = start;
  }

  /** Begins at {@link #START}. */
  public static VirtualTime begin() {
    return begin(START);
  }

  /**
   * Begins at {@code start}.
   *
   * @throws IllegalArgumentException if that is not in the years 1970 to 2261
   */
  public static VirtualTime begin(Instant start) {
    if (start.isBefore(Instant.EPOCH) || start.isAfter(LAST)) {
      throw new IllegalArgumentException("virtual time is from " + Instant.EPOCH + " to " + LAST + ", got " + start);
    }
    return new VirtualTime(Instant.ofEpochMilli(When.millisUp(Duration.between(Instant.EPOCH, start))));
  }

  /** Returns now; on any thread. */
  public Instant now() {
    return start.plusNanos(timeline.now());
  }

  /** Returns a clock that shows {@link #now}, in UTC; {@link Clock#withZone} gives another zone. For any thread. */
  public Clock clock() {
    return new Shown(ZoneOffset.UTC);
  }

  /**
   * Lets {@code duration} pass. When this returns, it has, and all that came due by its end has run; a handler that
   * lets time pass itself may have brought it further.
   *
   * @throws IllegalArgumentException if {@code duration} is negative, or leads beyond the year 2261
   * @throws AssertionError what a handler threw meanwhile, or since the last call
   */
  public void advance(Duration duration) {
    boolean unused = advanceUntil(() -> false, duration);
  }

  /**
   * As {@link #advance}, until it is {@code moment}.
   *
   * @throws IllegalArgumentException if that is past, or beyond the year 2261
   */
  public void advanceTo(Instant moment) {
    advance(Duration.between(now(), moment));
  }

  /**
   * As {@link #advance}, but stops as soon as {@code condition} holds, which is asked after each step of each node.
   *
   * @return whether it holds
   */
  public boolean advanceUntil(BooleanSupplier condition, Duration atMost) {
    requireOpen();
    if (atMost.isNegative()) {
      throw new IllegalArgumentException("time does not go back, got " + atMost);
    }
    long millis = When.millisUp(atMost);
    if (millis > Duration.between(now(), LAST).toMillis()) {
      throw new IllegalArgumentException("virtual time ends at " + LAST + ", got " + atMost + " from " + now());
    }
    boolean nested = timeline.happening();
    boolean met = timeline.runUntil(timeline.after(millis * NANOS),
        () -> !nested && !failures.isEmpty() || condition.getAsBoolean());
    if (!nested) {
      throwFailures();
    }
    return met;
  }

  /** Returns a node with the settings of the library, the same each time, started by the first call. */
  public Bide bide() {
    requireOpen();
    Bide node = bide;
    if (node == null) {
      node = start(settings -> {});
      bide = node;
    }
    return node;
  }

  /** Starts one more node on the same store, with settings of its own: {@code node -> node.name("second")}. */
  public Bide start(Consumer<BideBuilder> settings) {
    requireOpen();
    Mover mover = new Mover(movers.size());
    movers.add(mover);
    BideBuilder builder = Bide.on(store).shared().driver(mover).listener(this::heard);
    settings.accept(builder);
    Bide node = builder.start();
    nodes.add(node);
    return node;
  }

  /**
   * Returns the ids of the tasks that ran, in order, on all nodes: one for each time a handler began, or a caller took
   * the task.
   */
  public List<String> ran() {
    requireThread();
    return events.stream().filter(event -> event.kind() == TaskEvent.Kind.STARTED).map(TaskEvent::task).toList();
  }

  /** Returns all that the nodes told their listeners, in order. */
  public List<TaskEvent> events() {
    requireThread();
    return List.copyOf(events);
  }

  /**
   * Closes the nodes, latest first, and the store; idempotent.
   *
   * @throws IllegalStateException if a handler or a listener calls it: it would wait for itself
   * @throws AssertionError what a handler threw since time was last let pass
   */
  @Override
  public void close() {
    requireThread();
    if (timeline.happening()) {
      throw new IllegalStateException("a handler or a listener cannot close the virtual time it runs in");
    }
    if (closed) {
      return;
    }
    closed = true;
    for (int i = nodes.size() - 1; i >= 0; i--) {
      nodes.get(i).close();
    }
    store.close();
    throwFailures();
  }

  private void heard(TaskEvent event) {
    events.add(event);
    changedAt = timeline.now();
    movers.forEach(VirtualDriver::wake);
    Stream.iterate(event.cause().orElse(null), Objects::nonNull, Throwable::getCause)
        .filter(AssertionError.class::isInstance).findFirst()
        .ifPresent(failure -> failures.add((AssertionError) failure));
  }

  private void throwFailures() {
    AssertionError first = failures.poll();
    if (first == null) {
      return;
    }
    for (AssertionError next = failures.poll(); next != null; next = failures.poll()) {
      if (next != first) {
        first.addSuppressed(next);
      }
    }
    throw first;
  }

  private void requireOpen() {
    requireThread();
    if (closed) {
      throw new IllegalStateException("this virtual time is closed");
    }
  }

  private void requireThread() {
    if (Thread.currentThread() != thread) {
      IllegalStateException refused = new IllegalStateException("virtual time is used by the thread that began it, "
          + thread.getName() + ", got " + Thread.currentThread().getName());
      failures.add(new AssertionError(refused.getMessage(), refused));
      throw refused;
    }
  }

  /**
   * Drives one node, in whole milliseconds: between them its estimate of the store's clock would be less exact. It
   * looks at the store only after a change, which some node has told its listeners: days on which nothing happens are
   * short.
   */
  private final class Mover extends VirtualDriver {

    Mover(long seed) {
      super(VirtualTime.this.timeline, seed);
    }

    @Override
    public long nanos() {
      requireThread();
      return super.nanos();
    }

    @Override
    public void wake() {
      requireThread();
      super.wake();
    }

    @Override
    public long nextLook(long lookedAt) {
      return lookedAt > changedAt ? Long.MAX_VALUE : super.nextLook(lookedAt);
    }

    @Override
    long longestSleep() {
      return Long.MAX_VALUE;
    }

    @Override
    void in(long nanos, Runnable action) {
      timeline.at(-Math.floorDiv(-timeline.after(nanos), NANOS) * NANOS, action);
    }
  }

  private final class Shown extends Clock {
    private final ZoneId zone;

    Shown(ZoneId zone) {
      this.zone = zone;
    }

    @Override
    public ZoneId getZone() {
      return zone;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return new Shown(requireNonNull(zone, "zone"));
    }

    @Override
    public Instant instant() {
      return now();
    }
  }
}
