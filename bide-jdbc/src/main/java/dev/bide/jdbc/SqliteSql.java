package dev.bide.jdbc;

import dev.bide.task.TaskState;
import java.util.List;
import java.util.stream.Collectors;

/** The statements on the tables of {@code sqlite.sql}. A parameter {@code ?n} is the n-th value given. */
final class SqliteSql {
  /** In: –. Out: a row if the tables are there. */
  static final String TABLES_EXIST = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'bide_meta'";

  /** In: –. Out: version and readable_from. */
  static final String VERSION = "SELECT version, readable_from FROM bide_meta WHERE one = 1";

  /** In: –. Changes nothing, but fails where nothing can be changed. */
  static final String TOUCH_FILE = "UPDATE bide_meta SET version = version WHERE one = 1";

  /**
   * In: the now of this process. Out: the last seq, the now of the transaction, and what has been counted. The first
   * statement of every transaction that writes: the now in the file never goes back, whichever process writes.
   */
  static final String BEGIN = "UPDATE bide_meta SET now = max(now, ?1) WHERE one = 1 RETURNING seq, now, counted";

  /** In: the last seq given, what has been counted. The last statement of a transaction that changed either. */
  static final String END = "UPDATE bide_meta SET seq = ?1, counted = ?2 WHERE one = 1";

  /** In: –. Out: the latest now in the file. */
  static final String NOW = "SELECT now FROM bide_meta WHERE one = 1";

  /** In: –. Out: a number that is another one after each transaction of another connection, and only then. */
  static final String DATA_VERSION = "PRAGMA data_version";

  /** In: –. Out: what has been counted and is not in the parts yet. */
  static final String COUNTED = "SELECT counted FROM bide_meta WHERE one = 1";

  /** In: queue, first and last part. Out: what those of the parts that are there have counted. */
  static final String COUNTED_PARTS = "SELECT counted FROM bide_counts WHERE queue = ?1 AND part BETWEEN ?2 AND ?3";

  /** In: queue, part, what it has counted. */
  static final String SET_PART = "INSERT OR REPLACE INTO bide_counts (queue, part, counted) VALUES (?1, ?2, ?3)";

  /** In: queue, part. All that it has counted is zero. */
  static final String DELETE_PART = "DELETE FROM bide_counts WHERE queue = ?1 AND part = ?2";

  private static final String QUEUE = """
      SELECT number, name, shards, max_attempts, lease_ms, retention_ms, dead_retention_ms,
        coalesce(paused_from, 9223372036854775807), coalesce(paused_until, 9223372036854775807) FROM bide_queues
      """;

  /** In: name. Out: the queue, if it is defined. */
  static final String QUEUE_BY_NAME = QUEUE + "WHERE name = ?1";

  /** In: number. Out: the queue. */
  static final String QUEUE_BY_NUMBER = QUEUE + "WHERE number = ?1";

  /** In: –. Out: the names of all queues, in the order of their bytes. */
  static final String QUEUE_NAMES = "SELECT name FROM bide_queues ORDER BY name";

  /** In: name and settings. The name is not there yet. */
  static final String INSERT_QUEUE = """
      INSERT INTO bide_queues (name, shards, max_attempts, lease_ms, retention_ms, dead_retention_ms)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """;

  /** In: name and settings. The shards of a queue never change. */
  static final String UPDATE_QUEUE = """
      UPDATE bide_queues SET max_attempts = ?2, lease_ms = ?3, retention_ms = ?4, dead_retention_ms = ?5 WHERE name = ?1
      """;

  /** In: name, beginning and end of the latest pause. */
  static final String PAUSE_QUEUE = "UPDATE bide_queues SET paused_from = ?2, paused_until = ?3 WHERE name = ?1";

  /** What {@link TaskRow#live} reads; {@code 9223372036854775807} stands for never. */
  private static final String LIVE = """
      SELECT t.seq, t.queue, t.slot, t.lane, t.state, coalesce(t.next_at, 9223372036854775807), t.due_at, t.ready_at,
        t.buffer_ms, t.created_at, t.updated_at, t.claimed_at, t.token, t.attempt, t.claims, t.lapses, t.id, t.owner,
        t.cancel_by, t.zone, t.rule, t.attempts, t.payload, coalesce(t.stopped_at, 9223372036854775807), t.tags
      """;

  /** In: queue, JSON array of ids. Out: the live tasks of these ids. */
  static final String LIVE_BY_IDS = LIVE + """
      FROM json_each(?2) j CROSS JOIN bide_tasks t ON t.queue = ?1 AND t.id = j.value
      """;

  /** In: JSON array of seqs. Out: the live tasks of these seqs. */
  static final String LIVE_BY_SEQS = LIVE + "FROM json_each(?1) j CROSS JOIN bide_tasks t ON t.seq = j.value";

  /** In: seq. Out: the live task. */
  static final String LIVE_BY_SEQ = LIVE + "FROM bide_tasks t WHERE t.seq = ?1";

  /** In: queue, lane, JSON array of shards, now. Out: those of the shards in which anything is due. */
  static final String DUE_SHARDS = """
      SELECT s.value FROM json_each(?3) s WHERE EXISTS (
        SELECT 1 FROM bide_tasks t WHERE t.queue = ?1 AND t.lane = ?2 AND t.shard = s.value AND t.next_at <= ?4)
      """;

  /**
   * In: queue, lane, shard, now, limit. Out: next_at and seq of what is due, in their order. The comparison is plain
   * and the order that of the partial index, so that no more entries are read than are returned.
   */
  static final String DUE = """
      SELECT next_at, seq FROM bide_tasks
      WHERE queue = ?1 AND lane = ?2 AND shard = ?3 AND next_at <= ?4
      ORDER BY next_at, seq LIMIT ?5
      """;

  /** As {@link #DUE}, with the tasks themselves: where one shard is looked in, none is read in vain. */
  static final String DUE_WHOLE = LIVE + """
      FROM bide_tasks t
      WHERE t.queue = ?1 AND t.lane = ?2 AND t.shard = ?3 AND t.next_at <= ?4
      ORDER BY t.next_at, t.seq LIMIT ?5
      """;

  /**
   * In: queue, JSON array of shards, now. Out: the earliest next_at after now in any lane, or null. One entry of the
   * partial index is read for each lane and shard; {@code min(next_at)} instead of the inner order and limit would read
   * the table.
   */
  static final String NEXT_MOMENT = """
      SELECT min((
        SELECT t.next_at FROM bide_tasks t
        WHERE t.queue = ?1 AND t.lane = l.value AND t.shard = s.value AND t.next_at > ?3
        ORDER BY t.next_at LIMIT 1))
      FROM json_each(?2) s CROSS JOIN json_each('[0, 1, 2, 3]') l
      """;

  private static final String INSERT = """
      INSERT INTO bide_tasks (seq, queue, slot, shard, lane, state, next_at, due_at, ready_at, buffer_ms, created_at,
        updated_at, claimed_at, token, attempt, claims, lapses, id, owner, cancel_by, zone, rule, attempts, stopped_at,
        tags, payload)
      """;

  /** In: a new life, live. Its id has no other one. */
  static final String INSERT_LIVE = INSERT + """
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """;

  /** In: what is left of a {@linkplain TaskRow#plain plain} new life that waits. */
  static final String INSERT_PLAIN = INSERT + """
      VALUES (?1, ?2, ?3, ?4, 0, 0, ?5, ?6, ?6, 0, ?7, ?7, 0, 0, 0, 0, 0, ?8, NULL, NULL, NULL, NULL, '', NULL, '', ?9)
      """;

  /** In: what may change of a live task, then its seq. */
  static final String UPDATE_LIVE = """
      UPDATE bide_tasks SET lane = ?, state = ?, next_at = ?, due_at = ?, ready_at = ?, buffer_ms = ?, updated_at = ?,
        claimed_at = ?, token = ?, attempt = ?, claims = ?, lapses = ?, owner = ?, cancel_by = ?, rule = ?, attempts = ?,
        stopped_at = ?
      WHERE seq = ?
      """;

  /**
   * In: lane, state, next_at, updated_at, claimed_at, owner, JSON array of seqs. One call hands these out; what counts
   * up is one more.
   */
  static final String CLAIM_LIVE = """
      UPDATE bide_tasks SET lane = ?1, state = ?2, next_at = ?3, updated_at = ?4, claimed_at = ?5, owner = ?6,
        token = token + 1, attempt = attempt + 1, claims = claims + 1
      WHERE seq IN (SELECT value FROM json_each(?7))
      """;

  /** In: JSON array of seqs. They leave the live tasks. */
  static final String DELETE_LIVE = "DELETE FROM bide_tasks WHERE seq IN (SELECT value FROM json_each(?1))";

  /** In: queue, tag, seq of a new live task. */
  static final String INSERT_TAG = "INSERT INTO bide_tasks_tags (queue, tag, seq) VALUES (?, ?, ?)";

  /** In: queue, tag, seq of a task that has left the live ones. */
  static final String DELETE_TAG = "DELETE FROM bide_tasks_tags WHERE queue = ? AND tag = ? AND seq = ?";

  // Lists. What follows a place begins with the rest of its equals, which are asked for apart: as a comparison of rows it
  // would read them all.

  /**
   * In: queue, JSON arrays of lanes and shards, a first moment and the end. Out: the pairs of lane and shard in which
   * there is any live task between.
   */
  static final String LANES_IN_USE = """
      SELECT l.value, s.value FROM json_each(?2) l CROSS JOIN json_each(?3) s WHERE EXISTS (
        SELECT 1 FROM bide_tasks t
        WHERE t.queue = ?1 AND t.lane = l.value AND t.shard = s.value AND t.next_at >= ?4 AND t.next_at < ?5)
      """;

  /** In: queue, lane, shard, a place as next_at and seq, the end, limit. Out: next_at and seq of those behind it. */
  static final String LANE = """
      SELECT next_at, seq FROM bide_tasks
      WHERE queue = ?1 AND lane = ?2 AND shard = ?3 AND next_at = ?4 AND seq > ?5
      UNION ALL
      SELECT next_at, seq FROM bide_tasks
      WHERE queue = ?1 AND lane = ?2 AND shard = ?3 AND next_at > ?4 AND next_at < ?6
      ORDER BY next_at, seq LIMIT ?7
      """;

  /** In: queue, a place as next_at and seq, the end, limit. Out: next_at and seq of those to retry behind it. */
  static final String TO_RETRY = """
      SELECT next_at, seq FROM bide_tasks
      WHERE queue = ?1 AND state = 0 AND attempt > 0 AND next_at = ?2 AND seq > ?3
      UNION ALL
      SELECT next_at, seq FROM bide_tasks
      WHERE queue = ?1 AND state = 0 AND attempt > 0 AND next_at > ?2 AND next_at < ?4
      ORDER BY next_at, seq LIMIT ?5
      """;

  /** In: queue, seq, limit. Out: the seqs of paused tasks behind it. */
  static final String PAUSED = """
      SELECT seq FROM bide_tasks WHERE queue = ?1 AND state = 2 AND seq > ?2 ORDER BY seq LIMIT ?3
      """;

  /** In: queue, a place as id and seq, an id, limit. Out: id and seq of the live tasks behind it and before that id. */
  static final String LIVE_IDS = """
      SELECT id, seq FROM bide_tasks WHERE queue = ?1 AND id = ?2 AND seq < ?3
      UNION ALL
      SELECT id, seq FROM bide_tasks WHERE queue = ?1 AND id > ?2 AND id < ?4
      ORDER BY id, seq DESC LIMIT ?5
      """;

  /** In: queue, id, limit. Out: the ids of live tasks behind it. */
  static final String IDS = "SELECT id FROM bide_tasks WHERE queue = ?1 AND id > ?2 ORDER BY id LIMIT ?3";

  /** In: queue, tag, seq, limit. Out: the seqs of the live tasks behind it that have the tag. */
  static final String TAGGED = """
      SELECT seq FROM bide_tasks_tags WHERE queue = ?1 AND tag = ?2 AND seq > ?3 ORDER BY seq LIMIT ?4
      """;

  /**
   * In: queue, JSON arrays of lanes and shards, a first moment and the end, limit. Out: how many live tasks are
   * between, or the limit if there are more.
   */
  static final String COUNT = """
      SELECT count(*) FROM (
        SELECT 1 FROM json_each(?2) l CROSS JOIN json_each(?3) s CROSS JOIN bide_tasks t
        WHERE t.queue = ?1 AND t.lane = l.value AND t.shard = s.value AND t.next_at >= ?4 AND t.next_at < ?5
        LIMIT ?6)
      """;

  private SqliteSql() {}

  /** One of the two tables of lives that have ended, with its statements. */
  enum Ended {
    /** Completed and cancelled tasks, and failed ones that have been revived. */
    FINISHED("bide_finished", TaskState.COMPLETED, TaskState.FAILED, TaskState.CANCELLED),
    /** Failed tasks. */
    FAILED("bide_failed", TaskState.FAILED);

    /** The states of its lives. */
    final List<TaskState> states;
    /** In: a life that has ended. It takes the next number, so numbers are in the order of ending. */
    final String insert;
    /** As {@link #insert}. In: what is left of a {@linkplain TaskRow#plain plain} life. */
    final String insertPlain;
    /** In: queue, tag, ended_at, seq of such a life. */
    final String insertTag;
    /** In: queue, JSON array of ids. Out: id, seq and state of the latest life of each id that has one. */
    final String latest;
    /** In: queue, id, seq. Out: state and token of that life, if it is kept. */
    final String life;
    /** In: queue, JSON array of ids. Out: the latest life of each id that has one, for {@link TaskRow#ended}. */
    final String latestWhole;
    /** In: number. Out: the life, for {@link TaskRow#ended}. */
    final String whole;
    /**
     * In: queue, state, a place as ended_at and seq, a first moment, limit. Out: ended_at, seq and number of the lives
     * before it, the latest first.
     */
    final String byEnd;
    /**
     * In: queue, a place as id and seq, an id, limit. Out: id, seq and number of those behind it and before that id.
     */
    final String byId;
    /** In: queue, tag; then as {@link #byEnd}. Out: the same of those that have the tag. */
    final String byTag;
    /** In: queue, id, seq. That life leaves the table. Out: its ended_at. */
    final String delete;
    /** In: queue, tag, ended_at, seq of a life that has left the table. */
    final String deleteTag;
    /**
     * In: queue, moment, limit. Drops those that had ended by then, in the order of ending. Out: state, ended_at, seq
     * and tags of each.
     */
    final String prune;

    Ended(String table, TaskState... states) {
      this.states = List.of(states);
      String into = """
          INSERT INTO %s (seq, queue, slot, state, due_at, ready_at, buffer_ms, created_at, ended_at, claimed_at, token,
            attempt, claims, lapses, id, cancel_by, zone, rule, outcome, attempts, tags, payload)
          """.formatted(table);
      insert = into + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
      insertPlain = into
          + "VALUES (?1, ?2, ?3, ?4, ?5, ?5, 0, ?6, ?7, ?8, ?9, ?9, ?9, 0, ?10, NULL, NULL, NULL, ?11, ?12, '', ?13)";
      insertTag = "INSERT INTO %s_tags (queue, tag, ended_at, seq) VALUES (?, ?, ?, ?)".formatted(table);
      String latestOfEach = """
          FROM json_each(?2) j CROSS JOIN %1$s t ON t.number = (
            SELECT e.number FROM %1$s e WHERE e.queue = ?1 AND e.id = j.value ORDER BY e.seq DESC LIMIT 1)
          """.formatted(table);
      latest = "SELECT t.id, t.seq, t.state " + latestOfEach;
      life = "SELECT state, token FROM %s WHERE queue = ?1 AND id = ?2 AND seq = ?3".formatted(table);
      String all = """
          SELECT t.seq, t.slot, t.state, t.due_at, t.ready_at, t.buffer_ms, t.created_at, t.ended_at, t.claimed_at,
            t.token, t.attempt, t.claims, t.lapses, t.id, t.cancel_by, t.zone, t.rule, t.outcome, t.attempts, t.payload,
            t.tags
          """;
      latestWhole = all + latestOfEach;
      whole = all + "FROM %s t WHERE t.number = ?1".formatted(table);
      byEnd = """
          SELECT ended_at, seq, number FROM %1$s WHERE queue = ?1 AND state = ?2 AND ended_at = ?3 AND seq < ?4
          UNION ALL
          SELECT ended_at, seq, number FROM %1$s
          WHERE queue = ?1 AND state = ?2 AND ended_at < ?3 AND ended_at >= ?5
          ORDER BY ended_at DESC, seq DESC LIMIT ?6
          """.formatted(table);
      byId = """
          SELECT id, seq, number FROM %1$s WHERE queue = ?1 AND id = ?2 AND seq < ?3
          UNION ALL
          SELECT id, seq, number FROM %1$s WHERE queue = ?1 AND id > ?2 AND id < ?4
          ORDER BY id, seq DESC LIMIT ?5
          """.formatted(table);
      String codes = each("%d", ", ");
      String tagged = """
          SELECT g.ended_at, g.seq, t.number
          FROM %1$s_tags g CROSS JOIN %1$s t
            ON t.queue = g.queue AND t.state IN (%2$s) AND t.ended_at = g.ended_at AND t.seq = g.seq
          """.formatted(table, codes);
      byTag = """
          %1$s WHERE g.queue = ?1 AND g.tag = ?2 AND g.ended_at = ?3 AND g.seq < ?4
          UNION ALL
          %1$s WHERE g.queue = ?1 AND g.tag = ?2 AND g.ended_at < ?3 AND g.ended_at >= ?5
          ORDER BY 1 DESC, 2 DESC LIMIT ?6
          """.formatted(tagged);
      delete = "DELETE FROM %s WHERE queue = ?1 AND id = ?2 AND seq = ?3 RETURNING ended_at".formatted(table);
      deleteTag = "DELETE FROM %s_tags WHERE queue = ? AND tag = ? AND ended_at = ? AND seq = ?".formatted(table);
      prune = """
          DELETE FROM %s WHERE number IN (
            SELECT number FROM (%s ORDER BY ended_at, seq LIMIT ?3))
          RETURNING state, ended_at, seq, tags
          """.formatted(table, each(
          "SELECT number, ended_at, seq FROM " + table + " WHERE queue = ?1 AND state = %d AND ended_at <= ?2",
          " UNION ALL "));
    }

    private String each(String text, String between) {
      return states.stream().map(state -> text.formatted(TaskRow.code(state))).collect(Collectors.joining(between));
    }
  }

  /** In: node, stream. Out: number and answers of its last call. */
  static final String REMEMBERED = "SELECT number, answers FROM bide_streams WHERE node = ?1 AND stream = ?2";

  /** In: node, stream, number, now, answers. One row for each stream. */
  static final String REMEMBER = """
      INSERT INTO bide_streams (node, stream, number, used_at, answers) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (node, stream) DO UPDATE SET number = ?3, used_at = ?4, answers = ?5
      """;

  /** In: node, stream, now. The stream was used, and nothing new is remembered of it. */
  static final String TOUCH = "UPDATE bide_streams SET used_at = ?3 WHERE node = ?1 AND stream = ?2";

  /**
   * In: moment. Drops the streams last used by then. It reads all: a stream is one sender in one running process, so
   * there are few.
   */
  static final String PRUNE_STREAMS = "DELETE FROM bide_streams WHERE used_at <= ?1";
}
