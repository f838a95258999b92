package dev.bide.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How SQLite goes about the statements: by which index, and never through a whole table or a sort. */
class SqlitePlanTest {
  private static final String SERIES = """
      (WITH RECURSIVE series(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM series WHERE value < 5000)
        SELECT value FROM series)
      """;

  private Connection connection;
  private Session session;

  @BeforeEach
  void createTheTables() throws SQLException {
    connection = DriverManager.getConnection("jdbc:sqlite::memory:");
    session = new Session(connection);
    Ddl.statements("sqlite.sql").forEach(session::execute);
  }

  @AfterEach
  void disconnect() throws SQLException {
    connection.close();
  }

  @Test
  void theHotStatementsUseTheirIndexes() throws IllegalAccessException {
    assertTheHotStatementsUseTheirIndexes();
  }

  /** An operator may have the contents analyzed; the planner then weighs instead of guessing. */
  @Test
  void theHotStatementsUseTheirIndexesAfterAnAnalysis() throws IllegalAccessException {
    session.execute("INSERT INTO bide_queues VALUES (1, 'q', 1, 1, 1, 1, 1, NULL, NULL)");
    session.execute("""
        INSERT INTO bide_tasks (seq, queue, slot, shard, lane, state, next_at, due_at, ready_at, buffer_ms, created_at,
          updated_at, claimed_at, token, attempt, claims, lapses, id, attempts, tags, payload)
        SELECT value, 1, 0, 0, 0, value % 50 / 49 * 2, value % 100, 0, 0, 0, 0, 0, 0, 0, value % 10 / 9, 0, 0,
          'id-' || value, '', '', x''
        FROM\s""" + SERIES);
    for (SqliteSql.Ended table : SqliteSql.Ended.values()) {
      session.execute(table.insert.replaceFirst("(?s)VALUES.*", """
          SELECT value, 1, 0, %d, 0, 0, 0, 0, value, 0, 0, 0, 0, 0, 'id-' || value, null, null, null, null, '', '', x''
          FROM\s""".formatted(TaskRow.code(table.states.get(0))) + SERIES));
      session.execute(table.insertTag.replaceFirst("(?s)VALUES.*", "SELECT 1, 't=' || value % 9, value, value FROM ")
          + SERIES);
    }
    session.execute("INSERT INTO bide_tasks_tags SELECT 1, 't=' || value % 9, value FROM " + SERIES);
    session.execute("INSERT INTO bide_counts SELECT 1, value, x'' FROM " + SERIES);
    session.execute("ANALYZE");
    assertTheHotStatementsUseTheirIndexes();
  }

  private void assertTheHotStatementsUseTheirIndexes() throws IllegalAccessException {
    assertPlan("INDEX bide_tasks_by_id (queue=? AND id=?)", SqliteSql.LIVE_BY_IDS);
    assertPlan("INTEGER PRIMARY KEY (rowid=?)", SqliteSql.LIVE_BY_SEQS);
    assertPlan("COVERING INDEX bide_tasks_by_moment (queue=? AND lane=? AND shard=? AND next_at<?)", SqliteSql.DUE);
    assertPlan("COVERING INDEX bide_tasks_by_moment (queue=? AND lane=? AND shard=? AND next_at<?)",
        SqliteSql.DUE_SHARDS);
    assertPlan("INDEX bide_tasks_by_moment (queue=? AND lane=? AND shard=? AND next_at<?)", SqliteSql.DUE_WHOLE);
    assertPlan("COVERING INDEX bide_tasks_by_moment (queue=? AND lane=? AND shard=? AND next_at>?)",
        SqliteSql.NEXT_MOMENT);
    assertPlan("INTEGER PRIMARY KEY (rowid=?)", SqliteSql.LIVE_BY_SEQ);
    assertPlan("INTEGER PRIMARY KEY (rowid=?)", SqliteSql.UPDATE_LIVE);
    assertPlan("INTEGER PRIMARY KEY (rowid=?)", SqliteSql.CLAIM_LIVE);
    assertPlan("INTEGER PRIMARY KEY (rowid=?)", SqliteSql.DELETE_LIVE);
    for (SqliteSql.Ended table : SqliteSql.Ended.values()) {
      String name = "bide_" + table.name().toLowerCase(Locale.ROOT);
      assertPlan("COVERING INDEX " + name + "_by_id (queue=? AND id=?)", table.latest);
      assertPlan("COVERING INDEX " + name + "_by_id (queue=? AND id=?)", table.latestWhole);
      assertPlan("INDEX " + name + "_by_id (queue=? AND id=? AND seq=?)", table.life);
      assertPlan("INTEGER PRIMARY KEY (rowid=?)", table.prune);
      assertPlan("COVERING INDEX " + name + "_by_end (queue=? AND state=? AND ended_at<?)", table.prune);
      assertPlan("INTEGER PRIMARY KEY (rowid=?)", table.whole);
      assertPlan("COVERING INDEX " + name + "_by_id (queue=? AND id=? AND seq=?)", table.delete);
      assertPlan("PRIMARY KEY (queue=? AND tag=? AND ended_at=? AND seq=?)", table.deleteTag);
      assertParts("COVERING INDEX " + name + "_by_end (queue=? AND state=? AND ended_at=? AND seq<?)",
          "COVERING INDEX " + name + "_by_end (queue=? AND state=? AND ended_at>? AND ended_at<?)", table.byEnd);
      assertParts("COVERING INDEX " + name + "_by_id (queue=? AND id=? AND seq<?)",
          "COVERING INDEX " + name + "_by_id (queue=? AND id>? AND id<?)", table.byId);
      assertParts("PRIMARY KEY (queue=? AND tag=? AND ended_at=? AND seq<?)",
          "PRIMARY KEY (queue=? AND tag=? AND ended_at>? AND ended_at<?)", table.byTag);
      assertPlan("COVERING INDEX " + name + "_by_end (queue=? AND state=? AND ended_at=? AND seq=?)", table.byTag);
    }
    assertListsUseTheirIndexes();
    assertPlan("INDEX sqlite_autoindex_bide_streams_1 (node=? AND stream=?)", SqliteSql.REMEMBERED);
    Map<String, String> all = statements();
    assertTrue(all.size() > 60, all::toString);
    all.remove("PRUNE_STREAMS");
    all.remove("TABLES_EXIST");
    all.remove("QUEUE_NAMES");
    all.forEach((name, sql) -> assertFalse(scansOrSorts(plan(sql)), () -> name + plan(sql)));
  }

  private void assertListsUseTheirIndexes() {
    String byMoment = "COVERING INDEX bide_tasks_by_moment (queue=? AND lane=? AND shard=? AND next_at";
    assertParts(byMoment + "=? AND rowid>?)", byMoment + ">? AND next_at<?)", SqliteSql.LANE);
    assertPlan(byMoment + ">? AND next_at<?)", SqliteSql.LANES_IN_USE);
    assertPlan(byMoment + ">? AND next_at<?)", SqliteSql.COUNT);
    assertParts("INDEX bide_tasks_to_retry (queue=? AND next_at=? AND rowid>?)",
        "INDEX bide_tasks_to_retry (queue=? AND next_at>? AND next_at<?)", SqliteSql.TO_RETRY);
    assertPlan("COVERING INDEX bide_tasks_paused (queue=? AND rowid>?)", SqliteSql.PAUSED);
    assertParts("COVERING INDEX bide_tasks_by_id (queue=? AND id=?)",
        "COVERING INDEX bide_tasks_by_id (queue=? AND id>? AND id<?)", SqliteSql.LIVE_IDS);
    assertPlan("COVERING INDEX bide_tasks_by_id (queue=? AND id>?)", SqliteSql.IDS);
    assertPlan("PRIMARY KEY (queue=? AND tag=? AND seq>?)", SqliteSql.TAGGED);
    assertPlan("PRIMARY KEY (queue=? AND tag=? AND seq=?)", SqliteSql.DELETE_TAG);
    assertPlan("PRIMARY KEY (queue=? AND part>? AND part<?)", SqliteSql.COUNTED_PARTS);
    assertEquals(List.of("SCAN bide_queues USING COVERING INDEX sqlite_autoindex_bide_queues_1"),
        plan(SqliteSql.QUEUE_NAMES), "all names, in their order");
  }

  /** What follows a place is read in two parts, which are merged. */
  private void assertParts(String equals, String behind, String sql) {
    assertPlan(equals, sql);
    assertPlan(behind, sql);
    assertTrue(plan(sql).contains("MERGE (UNION ALL)"), () -> sql + plan(sql));
  }

  @Test
  void aScanAndASortWouldBeNoticed() {
    assertTrue(scansOrSorts(plan("SELECT 1 FROM bide_tasks WHERE lane = 2")));
    assertFalse(plan("SELECT min(next_at) FROM bide_tasks WHERE queue = 1 AND lane = 0 AND shard = 0").toString()
        .contains("bide_tasks_by_moment"), "why the earliest moment is asked for by order and limit");
    assertTrue(scansOrSorts(plan(SqliteSql.DUE.replace("ORDER BY next_at, seq", "ORDER BY next_at, id"))));
    assertEquals(List.of("SCAN bide_streams"), plan(SqliteSql.PRUNE_STREAMS), "few rows, as its comment says");
  }

  private void assertPlan(String part, String sql) {
    assertTrue(plan(sql).stream().anyMatch(step -> step.contains(" USING " + part)), () -> sql + plan(sql));
  }

  private List<String> plan(String sql) {
    return session.rows("EXPLAIN QUERY PLAN " + sql, row -> row.getString(4));
  }

  /** What is given as JSON, and what a subquery has limited, may be gone through. */
  private static boolean scansOrSorts(List<String> plan) {
    return plan.stream().anyMatch(step -> step.contains("TEMP B-TREE")
        || step.startsWith("SCAN ") && !step.contains("VIRTUAL TABLE") && !step.matches("SCAN \\(subquery-\\d+\\)"));
  }

  private static Map<String, String> statements() throws IllegalAccessException {
    Map<String, String> all = new LinkedHashMap<>();
    for (Field field : SqliteSql.class.getDeclaredFields()) {
      if (field.getType() == String.class && !Modifier.isPrivate(field.getModifiers())) {
        all.put(field.getName(), (String) field.get(null));
      }
    }
    for (SqliteSql.Ended table : SqliteSql.Ended.values()) {
      for (Field field : SqliteSql.Ended.class.getDeclaredFields()) {
        if (field.getType() == String.class) {
          all.put(table + "." + field.getName(), (String) field.get(table));
        }
      }
    }
    return all;
  }
}
