package dev.bide;

import static dev.bide.delay.When.millisUp;
import static java.util.Objects.requireNonNull;

import dev.bide.spi.Codec;
import dev.bide.spi.QueueSettings;
import dev.bide.task.TaskId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an application says of a queue: its name, the type of its payloads, and how its tasks are run. Immutable; each
 * setting returns a copy.
 *
 * <p>Shards, attempts, lease and retention are stored with the queue when it is first used, and hold for all nodes. A spec
 * that differs later is reported, and the stored values hold, until a spec says {@link #updateStored()}. Backoff,
 * handlers, their timeout, prefetch and circuit breaker are each node's own.
 *
 * <table>
 * <caption>Defaults</caption>
 * <tr>
 * <th>setting</th>
 * <th>value</th>
 * </tr>
 * <tr>
 * <td>retry</td>
 * <td>8 attempts, 1 s doubling up to 10 min, ± 20 %</td>
 * </tr>
 * <tr>
 * <td>lease</td>
 * <td>30 s, renewed at a third</td>
 * </tr>
 * <tr>
 * <td>handlers</td>
 * <td>16 at once on each node</td>
 * </tr>
 * <tr>
 * <td>handler timeout</td>
 * <td>none</td>
 * </tr>
 * <tr>
 * <td>prefetch</td>
 * <td>what handlers start within 50 ms, 1,000 at most; none for slow ones</td>
 * </tr>
 * <tr>
 * <td>circuit breaker</td>
 * <td>none</td>
 * </tr>
 * <tr>
 * <td>retention</td>
 * <td>7 days, dead letters 30 days</td>
 * </tr>
 * <tr>
 * <td>shards</td>
 * <td>1</td>
 * </tr>
 * </table>
 *
 * @param <P> the type of the payloads
 */
public final class QueueSpec<P> {
  private final String name;
  private final Class<P> type;
  private Retry retry = Retry.exponential(Duration.ofSeconds(1), Duration.ofMinutes(10));
  private Duration lease = Duration.ofSeconds(30);
  private int handlers = 16;
  private @Nullable Duration handlerTimeout;
  private @Nullable Integer prefetch;
  private int breakerFailures;
  private Duration breakerPause = Duration.ZERO;
  private Duration retention = Duration.ofDays(7);
  private Duration deadLetterRetention = Duration.ofDays(30);
  private int shards = 1;
  private @Nullable Codec codec;
  private boolean storedUpdated;

  private QueueSpec(String name, Class<P> type) {
    this.name = name;
    this.type = type;
  }

  private QueueSpec(QueueSpec<P> other) {
    this(other.name, other.type);
    retry = other.retry;
    lease = other.lease;
    handlers = other.handlers;
    handlerTimeout = other.handlerTimeout;
    prefetch = other.prefetch;
    breakerFailures = other.breakerFailures;
    breakerPause = other.breakerPause;
    retention = other.retention;
    deadLetterRetention = other.deadLetterRetention;
    shards = other.shards;
    codec = other.codec;
    storedUpdated = other.storedUpdated;
  }

  /**
   * A queue with the defaults.
   *
   * @param name a letter or digit, then up to 127 of {@code A-Z a-z 0-9 . _ : + / ; $ ( ) -}
   * @param type the type of the payloads: {@code byte[]}, {@code String}, or what a codec on the class path handles,
   * records with bide-json
   * @throws IllegalArgumentException if the name is none
   */
  public static <P> QueueSpec<P> of(String name, Class<P> type) {
    return new QueueSpec<>(TaskId.checkQueue(requireNonNull(name, "name")), requireNonNull(type, "type"));
  }

  /** How often a task is tried, and how long it waits in between. */
  public QueueSpec<P> retry(Retry retry) {
    QueueSpec<P> copy = new QueueSpec<>(this);
    copy.retry = requireNonNull(retry, "retry");
    return copy;
  }

  /**
   * How long a claim holds without being renewed: how long a task of a crashed node waits before another node takes it.
   *
   * @param lease 100 ms at least
   */
  public QueueSpec<P> lease(Duration lease) {
    QueueSpec<P> copy = new QueueSpec<>(this);
    copy.lease = requireAtLeast("lease", lease, Duration.ofMillis(100));
    return copy;
  }

  /** How many handlers run at once on this node: 1 to 10,000. */
  public QueueSpec<P> handlers(int handlers) {
    QueueSpec<P> copy = new QueueSpec<>(this);
    copy.handlers = requireWithin("handlers", handlers, 1, 10_000);
    return copy;
  }

  /**
   * How long a handler may run, from its start; a millisecond at least. Then it is interrupted, an
   * {@link AsyncHandler}'s stage cancelled, and the attempt has failed, whatever the handler says afterwards: the
   * queue's {@link Retry} decides when the next one follows.
   *
   * <p>The next attempt does not begin beside this one, unless the handler has not returned within a second: then a
   * {@link TaskEvent.Kind#STUCK} event tells of it, {@link Claim#lost()} says that the task is not its own any more,
   * and it takes the place of one handler until it returns.
   */
  public QueueSpec<P> handlerTimeout(Duration timeout) {
    QueueSpec<P> copy = new QueueSpec<>(this);
    copy.handlerTimeout = requireAtLeast("handler timeout", timeout, Duration.ofMillis(1));
    return copy;
  }

  /**
   * How many tasks this node claims beyond those its handlers run, so that short handlers need not wait for the store:
   * 0 to 10,000. A task claimed ahead cannot be cancelled any more, and waits for a handler here while another node
   * might have one free.
   *
   * <p>Unless this is set, the node goes by how long its handlers took lately, by its own clock: it claims ahead what they
   * will start within 50 ms, or a tenth of the lease if that is less, and 1,000 tasks or some 16 MB of payload at most;
   * so none for handlers that take longer than half of that. It begins with none, and claims more when all that it
   * asked for came and a handler was idle meanwhile. What was claimed ahead by this rule and has waited for half a
   * second is given back, its attempt not counted. A task on which a lease ran out is never claimed ahead.
   *
   * <p>When the process dies, each task that it had claimed ahead has spent an attempt, and becomes a dead letter if that
   * was its last one, though no handler has seen it. So a queue with one attempt a task has none ahead by this rule;
   * where that is too few or too many for others, set it.
   */
  public QueueSpec<P> prefetch(int prefetch) {
    QueueSpec<P> copy = new QueueSpec<>(this);
    copy.prefetch = requireWithin("prefetch", prefetch, 0, 10_000);
    return copy;
  }

  /**
   * Stops claiming on this node while what the handlers depend on is out of order: after {@code failures} failed
   * attempts in a row nothing is claimed for {@code pause}, by handlers and takers; then one task, the probe, and
   * nothing else until its outcome is known. If it succeeds all goes on, else there is another pause.
   *
   * <p>An attempt fails that throws, returns null, runs too long or asks for another ({@link Outcome#retryIn}); done, skip
   * and fail are decisions about the task, and count as success. What was claimed and has not started is given back
   * when it opens, its attempt not counted; what runs then runs on, and changes nothing. Events tell of each change,
   * and {@link TaskQueue#breaker()} how it stands.
   *
   * @param failures 1 to 10,000
   * @param pause a millisecond at least
   */
  public QueueSpec<P> circuitBreaker(int failures, Duration pause) {
    QueueSpec<P> copy = new QueueSpec<>(this);
    copy.breakerFailures = requireWithin("failures", failures, 1, 10_000);
    copy.breakerPause = requireAtLeast("pause", pause, Duration.ofMillis(1));
    return copy;
  }

  /**
   * How long completed and cancelled tasks can still be inspected, and make a repeated schedule of their id harmless; a
   * minute at least.
   */
  public QueueSpec<P> retention(Duration retention) {
    QueueSpec<P> copy = new QueueSpec<>(this);
    copy.retention = requireAtLeast("retention", retention, Duration.ofMinutes(1));
    return copy;
  }

  /** How long dead letters are kept; a minute at least. */
  public QueueSpec<P> deadLetterRetention(Duration retention) {
    QueueSpec<P> copy = new QueueSpec<>(this);
    copy.deadLetterRetention = requireAtLeast("dead-letter retention", retention, Duration.ofMinutes(1));
    return copy;
  }

  /** Into how many parts the queue is divided, 1 to 1,024; fixed when the queue is first used. */
  public QueueSpec<P> shards(int shards) {
    QueueSpec<P> copy = new QueueSpec<>(this);
    copy.shards = requireWithin("shards", shards, 1, TaskId.SLOTS);
    return copy;
  }

  /** What turns payloads into bytes and back, instead of the codec found on the class path. */
  public QueueSpec<P> codec(Codec codec) {
    QueueSpec<P> copy = new QueueSpec<>(this);
    copy.codec = requireNonNull(codec, "codec");
    return copy;
  }

  /** Writes the stored settings of the queue anew from this spec, for all nodes. */
  public QueueSpec<P> updateStored() {
    QueueSpec<P> copy = new QueueSpec<>(this);
    copy.storedUpdated = true;
    return copy;
  }

  /** Returns the name of the queue. */
  public String name() {
    return name;
  }

  /** Returns the type of the payloads. */
  public Class<P> type() {
    return type;
  }

  Retry retry() {
    return retry;
  }

  int handlers() {
    return handlers;
  }

  @Nullable
  Duration handlerTimeout() {
    return handlerTimeout;
  }

  /** Returns what decides how much is claimed ahead, with attempts and lease as they are stored. */
  Prefetch prefetch(QueueSettings stored) {
    return new Prefetch(prefetch, handlers, stored.maxAttempts(), Duty.nanos(stored.leaseMillis()));
  }

  Breaker breaker() {
    return new Breaker(breakerFailures, Duty.nanos(millisUp(breakerPause)));
  }

  @Nullable
  Codec codec() {
    return codec;
  }

  boolean storedUpdated() {
    return storedUpdated;
  }

  QueueSettings settings() {
    return new QueueSettings(name, shards, retry.attempts(), millisUp(lease), millisUp(retention),
        millisUp(deadLetterRetention));
  }

  private static Duration requireAtLeast(String what, Duration value, Duration least) {
    if (value.compareTo(least) < 0) {
      throw new IllegalArgumentException(what + " must be at least " + least + ", got " + value);
    }
    return value;
  }

  private static int requireWithin(String what, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(what + " must be " + least + " to " + most + ", got " + value);
    }
    return value;
  }
}
