package dev.bide.jdbc;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.QueueSettings;
import dev.bide.spi.Records;
import dev.bide.spi.Scan;
import dev.bide.spi.Scan.Place;
import dev.bide.spi.StoredTask;
import dev.bide.spi.Tally;
import dev.bide.task.Attempt;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import dev.bide.task.Tag;
import dev.bide.task.Task;
import dev.bide.task.TaskId;
import dev.bide.task.TaskQuery.Order;
import dev.bide.task.TaskState;
import dev.bide.task.TaskView;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
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
    records = SqliteRecords.begin(session, NOW);
  }

  @AfterEach
  void disconnect() throws SQLException {
    connection.close();
  }

  /** Ends the transaction and begins the next one, in which nothing is known. */
  private void next() {
    records.flush();
    records = SqliteRecords.begin(session, NOW);
  }

  @Test
  void aTaskIsOneObjectHoweverItIsFound() {
    add("q", "a", 1, NOW);
    next();
    StoredTask byId = live("q", "a");
    assertSame(byId, records.live(List.of(1L)).get(1L));
    assertSame(byId, records.due("q", Set.of(0), 0, 10).get(0));
    byId.token = 7;
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
    a.token = 1;
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
    task.state = TaskState.PAUSED;
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
    task.tags = List.of(new Tag("key", "a=b|\"'"), new Tag("region", "Zürich\u2028"));
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

  /** Few values are written of a task that has nothing special, and each of the others may be the one that is. */
  @Test
  void everyMixOfPartsIsKept() {
    Random random = new Random(7);
    for (int seq = 1; seq <= 500; seq++) {
      StoredTask task = mixed(random, seq);
      records.add(task);
      next();
      assertSameLive(task, live("q", task.id));
      StoredTask live = live("q", task.id);
      mix(random, live);
      records.changed(live);
      next();
      assertSameLive(live, live("q", task.id));
      live = live("q", task.id);
      live.owner = null;
      live.stoppedAt = Due.NEVER;
      finish(live, random.nextBoolean() ? TaskState.COMPLETED : TaskState.FAILED);
      next();
      SqliteSql.Ended table = live.state == TaskState.FAILED ? SqliteSql.Ended.FAILED : SqliteSql.Ended.FINISHED;
      assertSameFields(live, session.rows(table.latestWhole, row -> TaskRow.ended(row, "q"), 1,
          JsonArray.ofTexts(List.of(task.id))).get(0));
    }
  }

  private static void assertSameLive(StoredTask task, StoredTask read) {
    assertSameFields(task, read);
    assertEquals(task.owner, read.owner);
    assertEquals(task.nextAt, read.nextAt);
    assertEquals(task.lane, read.lane);
    assertEquals(task.stoppedAt, read.stoppedAt);
  }

  private static StoredTask mixed(Random random, long seq) {
    String id = "task-" + seq;
    StoredTask task = new StoredTask("q", id, seq, TaskId.slot(id), Payload.of(new byte[random.nextInt(3)]), NOW,
        perhaps(random, "Asia/Tokyo"));
    task.dueAt = 2_000;
    task.readyAt = 2_000;
    task.updatedAt = NOW;
    task.tags = one(random, List.of(), List.of(new Tag("key", "value")));
    if (random.nextBoolean()) {
      task.nextAt = 2_000;
    } else {
      mix(random, task);
    }
    return task;
  }

  /** Changes what may change of a live task: each part to what is usual, or not. */
  private static void mix(Random random, StoredTask task) {
    task.state = one(random, TaskState.WAITING, TaskState.PROCESSING, TaskState.PAUSED);
    task.lane = random.nextInt(StoredTask.LANES);
    task.token += random.nextInt(3);
    if (task.token > 0) {
      boolean usual = random.nextInt(3) > 0;
      task.attempt = usual ? (int) task.token : random.nextInt(3);
      task.claims = usual ? (int) task.token : random.nextInt(3);
      task.lapses = usual ? 0 : random.nextInt(3);
      task.claimedAt = NOW + random.nextInt(3);
      task.owner = perhaps(random, "node");
      task.cancelBy = perhaps(random, "someone");
      task.attempts = one(random, List.of(), List.of(), List.of(new Attempt(1, "node", Instant.ofEpochMilli(1),
          Instant.ofEpochMilli(2), "retry", Optional.empty())));
    }
    task.dueAt = 2_000L + random.nextInt(2);
    task.readyAt = 2_000L + random.nextInt(2);
    task.nextAt = task.state == TaskState.PAUSED ? Due.NEVER : 2_000L + random.nextInt(2);
    task.stoppedAt = task.state == TaskState.PAUSED ? one(random, NOW, Due.NEVER) : Due.NEVER;
    task.bufferMillis = one(random, 0L, 0L, 5L);
    task.rule = perhaps(random, "rule");
    task.updatedAt = NOW + random.nextInt(3);
  }

  private static @Nullable String perhaps(Random random, String text) {
    return random.nextInt(3) == 0 ? text : null;
  }

  @SafeVarargs
  private static <T> T one(Random random, T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  @Test
  void whatThisConnectionClaimedNeedNotBeReadAgain() {
    StoredTask task = claim(add("q", "a", 1, NOW));
    next();
    assertSame(task, records.live(List.of(1L)).get(1L));
    next();
    // It was taken out and might have been changed.
    assertNotSame(task, records.live(List.of(1L)).get(1L));
  }

  @Test
  void aClaimedTaskThatWasFoundByItsIdIsReadAgain() {
    StoredTask task = claim(add("q", "a", 1, NOW));
    next();
    StoredTask found = live("q", "a");
    found.cancelBy = "someone";
    records.changed(found);
    next();
    StoredTask again = requireNonNull(records.live(List.of(1L)).get(1L));
    assertNotSame(task, again);
    assertEquals("someone", again.cancelBy);
  }

  private StoredTask claim(StoredTask task) {
    next();
    StoredTask live = live("q", task.id);
    live.state = TaskState.PROCESSING;
    live.lane = StoredTask.HELD;
    live.token++;
    live.attempt++;
    live.claims++;
    live.owner = "node";
    live.claimedAt = NOW;
    live.updatedAt = NOW;
    live.nextAt = 2_000;
    records.claimed(live);
    return live;
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
    assertEquals(task.tags, read.tags);
  }

  @Test
  void seqsGoOnWhereTheLastTransactionStopped() {
    for (int i = 1; i < 4; i++) {
      SqliteRecords each = SqliteRecords.begin(session, NOW);
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
    records = SqliteRecords.begin(session, NOW + 100);
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

  // Counters.

  private Tally tally(String queue) {
    return new SqliteSight(session, NOW).tally(queue, 0, 1_000).orElseThrow();
  }

  private void assertCounted(String queue, TaskView view, long count) {
    assertEquals(count, tally(queue).of(view), () -> view + " of " + queue);
  }

  @Test
  void aTaskCountsWhereItStandsWhenItIsWritten() {
    StoredTask a = add("q", "a", 1, NOW);
    add("wide", "b", 2, Tally.HOUR_MILLIS);
    move(a, 2 * Tally.HOUR_MILLIS);
    next();
    assertCounted("q", TaskView.WAITING, 1);
    assertEquals(0, tally("q").waiting(0, 2));
    assertEquals(1, tally("q").waiting(2, 3));
    assertEquals(1, tally("wide").waiting(1, 2));

    a = live("q", "a");
    a.state = TaskState.PROCESSING;
    move(a, NOW);
    records.nextMoment("q", Set.of(0));
    finish(a, TaskState.COMPLETED);
    next();
    assertCounted("q", TaskView.LIVE, 0);
    assertCounted("q", TaskView.COMPLETED, 1);
    assertEquals(0, tally("q").waiting(0, 1_000));
  }

  @Test
  void whatIsReadAndNotChangedIsNotCounted() {
    add("q", "a", 1, NOW);
    next();
    live("q", "a").state = TaskState.PAUSED;
    byte[] before = counted();
    next();
    assertArrayEquals(before, counted());
    assertCounted("q", TaskView.WAITING, 1);
  }

  private byte[] counted() {
    return session.row(SqliteSql.COUNTED, row -> row.getBytes(1)).orElseThrow();
  }

  @Test
  void countersAreTakenToTheirPartsWhenManyAreGathered() {
    for (int i = 1; i <= 500; i++) {
      add("q", "a" + i, i, i % 300 * Tally.HOUR_MILLIS);
      next();
      assertTrue(counted().length <= SqliteCounters.GATHERED);
    }
    assertEquals(List.of(0L, 1L), session.rows("SELECT part FROM bide_counts", row -> row.getLong(1)));
    assertCounted("q", TaskView.WAITING, 500);
    for (int hour = 0; hour < 300; hour++) {
      assertEquals(hour >= 1 && hour <= 200 ? 2 : 1, tally("q").waiting(hour, hour + 1), "hour " + hour);
    }
    records.live("q", LongStream.rangeClosed(1, 500).mapToObj(i -> "a" + i).toList()).values()
        .forEach(task -> finish(task, TaskState.CANCELLED));
    next();
    for (int i = 501; i <= 1_000; i++) {
      finish(add("q", "a" + i, i, NOW), TaskState.CANCELLED);
      next();
    }
    assertEquals(List.of(0L), session.rows("SELECT part FROM bide_counts", row -> row.getLong(1)),
        "the other is empty");
    assertCounted("q", TaskView.CANCELLED, 1_000);
    assertEquals(0, tally("q").waiting(0, 1_000));
  }

  @Test
  void whatIsDroppedIsCountedByItsState() {
    TaskState[] ends = {TaskState.COMPLETED, TaskState.CANCELLED, TaskState.FAILED, TaskState.FAILED};
    for (int i = 0; i < 8; i++) {
      finish(add("q", "a" + i, i + 1, NOW), ends[i % 4]);
    }
    next();
    records.revived(records.deadLetter("q", "a2").orElseThrow());
    next();
    assertCounted("q", TaskView.FINISHED, 8);
    assertCounted("q", TaskView.FAILED, 3);
    records = SqliteRecords.begin(session, NOW + 100_000);
    assertEquals(2, records.prune("q", 2));
    records.flush();
    assertCounted("q", TaskView.FINISHED, 6);
    assertEquals(6, records.prune("q", 100));
    assertEquals(0, records.prune("q", 100));
    records.flush();
    for (TaskView view : List.of(TaskView.FINISHED, TaskView.COMPLETED, TaskView.FAILED, TaskView.CANCELLED)) {
      assertCounted("q", view, 0);
    }
    assertEquals(List.of(), session.rows("SELECT number FROM bide_finished UNION SELECT number FROM bide_failed",
        row -> row.getLong(1)));
  }

  @Test
  void theFirstToEndAreDroppedFirst() {
    TaskState[] ends = {TaskState.CANCELLED, TaskState.COMPLETED, TaskState.CANCELLED, TaskState.COMPLETED};
    for (int i = 0; i < ends.length; i++) {
      StoredTask task = add("q", "a" + i, i + 1, NOW);
      task.updatedAt = NOW + i;
      finish(task, ends[i]);
    }
    next();
    records = SqliteRecords.begin(session, NOW + 60_000 + 2);
    assertEquals(2, records.prune("q", 2));
    assertEquals(Map.of("a2", TaskState.CANCELLED, "a3", TaskState.COMPLETED),
        records.latestFinished("q", List.of("a0", "a1", "a2", "a3")));
    assertEquals(1, records.prune("q", 2), "the last one is to be kept");
  }

  // Tags.

  private List<String> tagged(String table) {
    return session.rows("SELECT tag || ' ' || seq FROM " + table + " ORDER BY tag, seq", row -> row.getString(1));
  }

  @Test
  void tagsAreInTheTableOfTheirLifeAndNowhereElse() {
    add("q", "plain", 1, NOW);
    StoredTask a = add("q", "a", 2, NOW);
    a.tags = List.of(new Tag("k", "1"), new Tag("k", "2"));
    StoredTask b = add("q", "b", 3, NOW);
    b.tags = List.of(new Tag("k", "1"));
    next();
    assertEquals(List.of("k=1 2", "k=1 3", "k=2 2"), tagged("bide_tasks_tags"));

    finish(live("q", "a"), TaskState.FAILED);
    finish(live("q", "b"), TaskState.CANCELLED);
    next();
    assertEquals(List.of(), tagged("bide_tasks_tags"));
    assertEquals(List.of("k=1 3"), tagged("bide_finished_tags"));
    assertEquals(List.of("k=1 2", "k=2 2"), tagged("bide_failed_tags"));

    StoredTask dead = records.deadLetter("q", "a").orElseThrow();
    dead.updatedAt = NOW + 5;
    records.revived(dead);
    next();
    assertEquals(List.of(), tagged("bide_failed_tags"));
    assertEquals(List.of("k=1 2", "k=1 3", "k=2 2"), tagged("bide_finished_tags"));

    records = SqliteRecords.begin(session, NOW + 100_000);
    assertEquals(2, records.prune("q", 10));
    assertEquals(List.of(), tagged("bide_finished_tags"));
  }

  // Lists.

  private static Scan scan(TaskView view, long moment, long seq) {
    return new Scan(view, Order.MOMENT, "", null, 0, Due.NEVER, new Place(moment, seq, ""));
  }

  @Test
  void largePayloadsEndAPartOfAListEarly() {
    for (int i = 1; i <= 40; i++) {
      records.add(new StoredTask("q", "a" + i, i, 0, Payload.of(new byte[i == 40 ? 6_000_000 : 250_000]), NOW, null));
    }
    records.flush();
    SqliteSight sight = new SqliteSight(session, NOW);
    List<StoredTask> first = sight.scan("q", scan(TaskView.LIVE, 0, 0), 1_000);
    assertEquals(LongStream.rangeClosed(1, 17).boxed().toList(), seqs(first), "the last goes beyond 4 MB");
    Scan last = scan(TaskView.LIVE, 0, 39);
    assertEquals(List.of(40L), seqs(sight.scan("q", last, 1_000)), "one is read, however large");
  }

  @Test
  void aListOfManyShardsAndLanesIsInOrder() {
    Random random = new Random(7);
    List<StoredTask> all = new ArrayList<>();
    for (int i = 1; i <= 500; i++) {
      StoredTask task = add("wide", "a" + i, i, NOW + random.nextInt(40));
      task.lane = random.nextInt(3);
      all.add(task);
    }
    next();
    List<Long> inOrder = seqs(all.stream()
        .sorted(Comparator.<StoredTask>comparingLong(task -> task.nextAt).thenComparingLong(task -> task.seq))
        .toList());
    SqliteSight sight = new SqliteSight(session, NOW);
    for (int limit : List.of(1, 7, 100, 1_000)) {
      List<Long> found = new ArrayList<>();
      Scan scan = scan(TaskView.WAITING, 0, 0);
      for (List<StoredTask> part = sight.scan("wide", scan, limit); !part.isEmpty(); part = sight.scan("wide", scan,
          limit)) {
        found.addAll(seqs(part));
        StoredTask last = part.get(part.size() - 1);
        scan = scan(TaskView.WAITING, last.nextAt, last.seq);
      }
      assertEquals(inOrder, found);
    }
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
