package dev.bide.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.QueueSettings;
import dev.bide.spi.Records;
import dev.bide.spi.StoredTask;
import dev.bide.task.Attempt;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import dev.bide.task.Task;
import dev.bide.task.TaskId;
import dev.bide.task.TaskState;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SqliteRecordsTest {
  private static final long NOW = 1_000;

  private Connection connection;
  private Session session;
  private SqliteDialect dialect;
  private SqliteRecords records;

  @BeforeEach
  void createTheTables() throws SQLException {
    connection = DriverManager.getConnection("jdbc:sqlite::memory:");
    session = new Session(connection);
    dialect = new SqliteDialect(floor -> Math.max(floor, NOW));
    dialect.prepare(session, "memory");
    dialect.prepare(session, "memory");
    dialect.define(session, new QueueSettings("q", 1, 3, 1000, 0, 0));
    dialect.define(session, new QueueSettings("wide", 8, 3, 1000, 0, 0));
    records = new SqliteRecords(session, NOW, 0);
  }

  @AfterEach
  void disconnect() throws SQLException {
    connection.close();
  }

  /** Ends the transaction and begins the next one, in which nothing is known. */
  private void next() {
    records.flush();
    records = new SqliteRecords(session, NOW, 0);
  }

  @Test
  void aTaskIsOneObjectHoweverItIsFound() {
    add("q", "a", 1, NOW);
    next();
    StoredTask byId = live("q", "a");
    assertSame(byId, records.live(List.of(1L)).get(1L));
    assertSame(byId, records.due("q", Set.of(0), 0, 10).get(0));
    byId.attempt = 7;
    records.changed(byId);
    assertSame(byId, live("q", "a"));
    assertEquals(7, byId.attempt);
    next();
    assertNotSame(byId, live("q", "a"));
    assertEquals(7, live("q", "a").attempt);
  }

  @Test
  void whatIsDueAndNextFollowsTheChangesSoFar() {
    StoredTask a = add("q", "a", 1, NOW);
    StoredTask b = add("q", "b", 2, NOW);
    StoredTask c = add("q", "c", 3, NOW + 50);
    assertEquals(List.of(a, b), records.due("q", Set.of(0), StoredTask.ORDINARY, 10));
    assertEquals(NOW + 50, records.nextMoment("q", Set.of(0)));
    move(a, NOW + 20);
    assertEquals(List.of(b), records.due("q", Set.of(0), StoredTask.ORDINARY, 10));
    assertEquals(NOW + 20, records.nextMoment("q", Set.of(0)));
    move(c, NOW - 1);
    assertEquals(List.of(c, b), records.due("q", Set.of(0), StoredTask.ORDINARY, 10));
    b.lane = StoredTask.GRAVE;
    records.changed(b);
    assertEquals(List.of(c), records.due("q", Set.of(0), StoredTask.ORDINARY, 10));
    assertEquals(List.of(b), records.due("q", Set.of(0), StoredTask.GRAVE, 10));
    finish(c, TaskState.COMPLETED);
    assertEquals(List.of(), records.due("q", Set.of(0), StoredTask.ORDINARY, 10));
    move(a, Due.NEVER);
    assertEquals(Due.NEVER, records.nextMoment("q", Set.of(0)), "what is due already is not next");
  }

  @Test
  void anEqualMomentIsOrderedBySeqAndTheLimitHolds() {
    LongStream.of(5, 3, 9, 4).forEach(seq -> add("q", "task-" + seq, seq, NOW));
    add("q", "earlier", 7, NOW - 1);
    assertEquals(List.of(7L, 3L, 4L), seqs(records.due("q", Set.of(0), 0, 3)));
  }

  @Test
  void shardsAreMergedInTheOrderOfTheirMoments() {
    for (int i = 1; i <= 40; i++) {
      add("wide", "task-" + i, i, NOW - i % 10);
    }
    Set<Integer> all = Set.of(0, 1, 2, 3, 4, 5, 6, 7);
    List<Long> due = seqs(records.due("wide", all, 0, 40));
    List<Long> inOrder = LongStream.rangeClosed(1, 40).boxed().sorted((a, b) -> a % 10 != b % 10
        ? Long.compare(b % 10, a % 10)
        : Long.compare(a, b)).toList();
    assertEquals(inOrder, due);
    assertEquals(inOrder.subList(0, 7), seqs(records.due("wide", all, 0, 7)));
    List<Long> some = seqs(records.due("wide", Set.of(1, 6), 0, 40));
    assertEquals(inOrder.stream().filter(some::contains).toList(), some);
    assertTrue(some.stream().allMatch(seq -> Set.of(1, 6).contains(TaskId.shard(TaskId.slot("task-" + seq), 8))));
    assertEquals(List.of(), records.due("q", all, 0, 40));
  }

  @Test
  void aNewLifeMayHaveTheIdOfOneThatEndsInTheSameTransaction() {
    add("q", "a", 1, NOW);
    next();
    finish(live("q", "a"), TaskState.CANCELLED);
    add("q", "a", 2, NOW);
    assertEquals(2, live("q", "a").seq);
    assertEquals(Map.of("a", TaskState.CANCELLED), records.latestFinished("q", List.of("a", "b")));
    next();
    assertEquals(2, live("q", "a").seq);
  }

  @Test
  void aTaskMayBeAddedChangedAndEndedInOneTransaction() {
    StoredTask a = add("q", "a", 1, NOW);
    a.owner = "node";
    records.changed(a);
    next();
    assertEquals("node", live("q", "a").owner);
    StoredTask b = add("q", "b", 2, NOW);
    finish(b, TaskState.FAILED);
    next();
    assertEquals(Map.of(), records.live("q", List.of("b")));
    assertEquals(Map.of("b", TaskState.FAILED), records.latestFinished("q", List.of("b")));
  }

  @Test
  void theLatestOfManyLivesCountsWhereverItEnded() {
    TaskState[] ends = {TaskState.COMPLETED, TaskState.FAILED, TaskState.CANCELLED, TaskState.FAILED};
    for (int i = 0; i < ends.length; i++) {
      StoredTask life = add("q", "a", 10 + i, NOW);
      life.token = i;
      finish(life, ends[i]);
      assertEquals(Map.of("a", ends[i]), records.latestFinished("q", List.of("a")));
      assertEquals(10 + i, found("q", "a").seq());
    }
    assertLives();
    next();
    assertLives();
  }

  private void assertLives() {
    assertEquals(Optional.of(new Records.FinishedLife(TaskState.FAILED, 1)), records.finished("q", "a", 11));
    assertEquals(Optional.of(new Records.FinishedLife(TaskState.CANCELLED, 2)), records.finished("q", "a", 12));
    assertEquals(Optional.empty(), records.finished("q", "a", 14));
    assertEquals(Optional.empty(), records.finished("wide", "a", 11));
  }

  @Test
  void everyPartOfATaskIsKept() {
    StoredTask task = new StoredTask("q", "付款 '\"\\", 77, TaskId.slot("付款 '\"\\"), Payload.of(new byte[]{0, 1, -1}), 3,
        "Asia/Shanghai");
    task.state = TaskState.PROCESSING;
    task.lane = StoredTask.SUSPECT;
    task.rule = "rule";
    task.dueAt = 4;
    task.bufferMillis = 5;
    task.readyAt = 6;
    task.nextAt = 7;
    task.stoppedAt = 14;
    task.updatedAt = 8;
    task.token = 9;
    task.attempt = 10;
    task.claims = 11;
    task.lapses = 12;
    task.claimedAt = 13;
    task.owner = "owner";
    task.cancelBy = "someone";
    task.attempts = List.of(new Attempt(1, "node", Instant.ofEpochMilli(1), Instant.ofEpochMilli(2), "retry",
        Optional.of("why|\n")));
    records.add(task);
    next();
    StoredTask live = live("q", task.id);
    assertSameFields(task, live);
    assertEquals(task.owner, live.owner);
    assertEquals(task.nextAt, live.nextAt);
    assertEquals(task.lane, live.lane);
    assertEquals(task.stoppedAt, live.stoppedAt);
    live.stoppedAt = Due.NEVER;
    records.changed(live);
    next();
    live = live("q", task.id);
    assertEquals(Due.NEVER, live.stoppedAt);

    task = live;
    task.state = TaskState.FAILED;
    task.owner = null;
    task.nextAt = Due.NEVER;
    task.outcome = "failed: why";
    task.rule = "another";
    task.token = 99;
    records.changed(task);
    next();
    List<StoredTask> ended = session.rows(SqliteSql.Ended.FAILED.latestWhole, row -> TaskRow.ended(row, "q"), 1,
        JsonArray.ofTexts(List.of(task.id)));
    assertSameFields(task, ended.get(0));
    assertEquals("failed: why", ended.get(0).outcome);
    assertEquals(Due.NEVER, ended.get(0).nextAt);
  }

  private static void assertSameFields(StoredTask task, StoredTask read) {
    assertEquals(task.queue, read.queue);
    assertEquals(task.id, read.id);
    assertEquals(task.seq, read.seq);
    assertEquals(task.slot, read.slot);
    assertEquals(task.payload, read.payload);
    assertEquals(task.createdAt, read.createdAt);
    assertEquals(task.zone, read.zone);
    assertEquals(task.rule, read.rule);
    assertEquals(task.state, read.state);
    assertEquals(task.dueAt, read.dueAt);
    assertEquals(task.bufferMillis, read.bufferMillis);
    assertEquals(task.readyAt, read.readyAt);
    assertEquals(task.updatedAt, read.updatedAt);
    assertEquals(task.token, read.token);
    assertEquals(task.attempt, read.attempt);
    assertEquals(task.claims, read.claims);
    assertEquals(task.lapses, read.lapses);
    assertEquals(task.claimedAt, read.claimedAt);
    assertEquals(task.cancelBy, read.cancelBy);
    assertEquals(task.attempts, read.attempts);
  }

  @Test
  void seqsGoOnWhereTheLastTransactionStopped() {
    for (int i = 1; i < 4; i++) {
      SqliteRecords each = session
          .rows(SqliteSql.BEGIN, row -> new SqliteRecords(session, row.getLong(2), row.getLong(1)), NOW).get(0);
      assertEquals(2 * i - 1, each.nextSeq());
      assertEquals(2 * i, each.nextSeq());
      each.flush();
    }
  }

  @Test
  void whatIsRememberedIsReplacedAndKeptWhileItIsUsed() {
    records.remember("n", "s", new Records.Remembered(1, Payload.of("one")));
    records.remember("n", "other", new Records.Remembered(5, Payload.EMPTY));
    records.remember("n", "s", new Records.Remembered(2, Payload.of("two")));
    records.flush();
    records = new SqliteRecords(session, NOW + 100, 0);
    assertEquals(Optional.of(new Records.Remembered(2, Payload.of("two"))), records.remembered("n", "s"));
    assertEquals(Optional.empty(), records.remembered("m", "s"));
    records.remembered("n", "s");
    next();
    session.update(SqliteSql.PRUNE_STREAMS, NOW + 99);
    assertEquals(2, records.remembered("n", "s").orElseThrow().number());
    assertEquals(Optional.empty(), records.remembered("n", "other"));
  }

  @Test
  void aQueueThatIsNotDefinedIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> records.settings("unknown"));
    assertEquals(List.of(Optional.empty()), dialect.find(session, "unknown", List.of("a")).value());
  }

  private StoredTask add(String queue, String id, long seq, long nextAt) {
    StoredTask task = new StoredTask(queue, id, seq, TaskId.slot(id), Payload.EMPTY, NOW, null);
    task.nextAt = nextAt;
    records.add(task);
    return task;
  }

  private void move(StoredTask task, long nextAt) {
    task.nextAt = nextAt;
    records.changed(task);
  }

  private void finish(StoredTask task, TaskState state) {
    task.state = state;
    task.nextAt = Due.NEVER;
    records.changed(task);
  }

  private StoredTask live(String queue, String id) {
    StoredTask task = records.live(queue, List.of(id)).get(id);
    if (task == null) {
      throw new AssertionError("no task " + id);
    }
    return task;
  }

  private Task found(String queue, String id) {
    return dialect.find(session, queue, List.of(id)).value().get(0).orElseThrow();
  }

  private static List<Long> seqs(List<StoredTask> tasks) {
    return tasks.stream().map(task -> task.seq).toList();
  }
}
