package dev.bide.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.bide.spi.Claimed;
import dev.bide.spi.Ended;
import dev.bide.spi.Exchanged;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.TaskStore;
import dev.bide.task.Due;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Tests on a store of their own, whose clock stands at {@link #START} until {@link #at} turns it.
 *
 * <p>Moments in tests are milliseconds after {@code START}. There is one queue, {@value #QUEUE}, with one shard, and two
 * nodes.
 */
abstract class StoreTest {
  static final String QUEUE = "orders";
  static final long START = Instant.parse("2024-03-15T14:00:00Z").toEpochMilli();
  static final long SECOND = 1_000;
  static final long MINUTE = 60 * SECOND;
  static final long HOUR = 60 * MINUTE;
  static final long DAY = 24 * HOUR;

  static final int ATTEMPTS = 3;
  static final long LEASE = 30 * SECOND;
  static final long RETENTION = 7 * DAY;
  static final long DEAD_RETENTION = 30 * DAY;

  StoreFixture fixture;
  TaskStore store;
  Node node;
  Node other;

  abstract StoreFixture newFixture();

  @BeforeEach
  final void openTheStore() {
    fixture = newFixture();
    store = fixture.open();
    node = node("node");
    other = node("other");
    prepare();
  }

  /** What is done before each test, once the store is open. */
  void prepare() {
    at(0);
    define(QUEUE, 1, ATTEMPTS);
  }

  @AfterEach
  final void closeTheStore() {
    fixture.close();
  }

  final void restart() {
    store = fixture.reopen();
  }

  final void at(long millis) {
    fixture.setNow(moment(millis));
  }

  static long moment(long millis) {
    return START + millis;
  }

  static Instant instant(long millis) {
    return Instant.ofEpochMilli(moment(millis));
  }

  /** Due so many milliseconds from the store's now. */
  static Due in(long millis) {
    return Due.fromNow(millis);
  }

  /** Due at this moment of the test. */
  static Due on(long millis) {
    return Due.at(moment(millis));
  }

  final Node node(String name) {
    return node(name, QUEUE, Set.of(0));
  }

  final Node node(String name, String queue, Set<Integer> shards) {
    return new Node(() -> store, name, queue, shards);
  }

  final QueueSettings define(String queue, int shards, int attempts) {
    return store.queues().define(settings(queue, shards, attempts));
  }

  static QueueSettings settings(String queue, int shards, int attempts) {
    return new QueueSettings(queue, shards, attempts, LEASE, RETENTION, DEAD_RETENTION);
  }

  final Task task(String id) {
    return find(id).orElseThrow(() -> new AssertionError("there is no task " + id));
  }

  final Optional<Task> find(String id) {
    return store.find(QUEUE, List.of(id)).value().get(0);
  }

  final TaskState state(String id) {
    return task(id).state();
  }

  static List<String> ids(List<Claimed> claims) {
    return claims.stream().map(Claimed::id).toList();
  }

  /** Returns the one task that the exchange has ended by itself. */
  static Ended ended(Exchanged reply) {
    assertEquals(1, reply.ended().size(), () -> "one task is ended: " + reply);
    return reply.ended().get(0);
  }

  final void assertOutcome(TaskState state, String outcome, String id) {
    Task task = task(id);
    assertEquals(state, task.state(), () -> "state of " + task);
    assertEquals(Optional.of(outcome), task.outcome(), () -> "outcome of " + task);
    assertEquals(Optional.empty(), task.nextAt(), "nobody looks at a finished task again");
  }
}
