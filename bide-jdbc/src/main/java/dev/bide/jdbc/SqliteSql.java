package dev.bide.jdbc;

/** The statements on the tables of {@code sqlite.sql}. A parameter {@code ?n} is the n-th value given. */
final class SqliteSql {
  /** In: –. Out: a row if the tables are there. */
  static final String TABLES_EXIST = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'bide_meta'";

  /** In: –. Out: version and readable_from. */
  static final String VERSION = "SELECT version, readable_from FROM bide_meta WHERE one = 1";

  /** In: –. Changes nothing, but fails where nothing can be changed. */
  static final String TOUCH_FILE = "UPDATE bide_meta SET version = version WHERE one = 1";

  /**
   * In: the now of this process. Out: the last seq and the now of the transaction. The first statement of every
   * transaction that writes: the now in the file never goes back, whichever process writes.
   */
  static final String BEGIN = "UPDATE bide_meta SET now = max(now, ?1) WHERE one = 1 RETURNING seq, now";

  /** In: the last seq given. The last statement of a transaction that gave any. */
  static final String SEQ = "UPDATE bide_meta SET seq = ?1 WHERE one = 1";

  /** In: –. Out: the latest now in the file. */
  static final String NOW = "SELECT now FROM bide_meta WHERE one = 1";

  private static final String QUEUE = """
      SELECT number, name, shards, max_attempts, lease_ms, retention_ms, dead_retention_ms,
        coalesce(paused_from, 9223372036854775807), coalesce(paused_until, 9223372036854775807) FROM bide_queues
      """;

  /** In: name. Out: the queue, if it is defined. */
  static final String QUEUE_BY_NAME = QUEUE + "WHERE name = ?1";

  /** In: number. Out: the queue. */
  static final String QUEUE_BY_NUMBER = QUEUE + "WHERE number = ?1";

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
        t.cancel_by, t.zone, t.rule, t.attempts, t.payload, coalesce(t.stopped_at, 9223372036854775807)
      """;

  /** In: queue, JSON array of ids. Out: the live tasks of these ids. */
  static final String LIVE_BY_IDS = LIVE + """
      FROM json_each(?2) j CROSS JOIN bide_tasks t ON t.queue = ?1 AND t.id = j.value
      """;

  /** In: JSON array of seqs. Out: the live tasks of these seqs. */
  static final String LIVE_BY_SEQS = LIVE + "FROM json_each(?1) j CROSS JOIN bide_tasks t ON t.seq = j.value";

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

  /** In: a new life, live. Its id has no other one. */
  static final String INSERT_LIVE = """
      INSERT INTO bide_tasks (seq, queue, slot, shard, lane, state, next_at, due_at, ready_at, buffer_ms, created_at,
        updated_at, claimed_at, token, attempt, claims, lapses, id, owner, cancel_by, zone, rule, attempts, stopped_at,
        payload)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """;

  /** In: what may change of a live task, then its seq. */
  static final String UPDATE_LIVE = """
      UPDATE bide_tasks SET lane = ?, state = ?, next_at = ?, due_at = ?, ready_at = ?, buffer_ms = ?, updated_at = ?,
        claimed_at = ?, token = ?, attempt = ?, claims = ?, lapses = ?, owner = ?, cancel_by = ?, rule = ?, attempts = ?,
        stopped_at = ?
      WHERE seq = ?
      """;

  /** In: JSON array of seqs. They leave the live tasks. */
  static final String DELETE_LIVE = "DELETE FROM bide_tasks WHERE seq IN (SELECT value FROM json_each(?1))";

  private SqliteSql() {}

  /** One of the two tables of lives that have ended, with its statements. */
  enum Ended {
    /** Completed and cancelled tasks. */
    FINISHED("bide_finished"),
    /** Failed tasks. */
    FAILED("bide_failed");

    /** In: a life that has ended. It takes the next number, so numbers are in the order of ending. */
    final String insert;
    /** In: queue, JSON array of ids. Out: id, seq and state of the latest life of each id that has one. */
    final String latest;
    /** In: queue, id, seq. Out: state and token of that life, if it is kept. */
    final String life;
    /** In: queue, JSON array of ids. Out: the latest life of each id that has one, for {@link TaskRow#ended}. */
    final String latestWhole;
    /** In: queue, id, seq. That life leaves the table. */
    final String delete;
    /**
     * In: queue, moment, limit. Drops those that had ended by then, of the first {@code limit} in the order of ending:
     * lives end in the order of their numbers and moments alike, so nothing behind a younger one is older.
     */
    final String prune;

    Ended(String table) {
      insert = """
          INSERT INTO %s (seq, queue, slot, state, due_at, ready_at, buffer_ms, created_at, ended_at, claimed_at, token,
            attempt, claims, lapses, id, cancel_by, zone, rule, outcome, attempts, payload)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """.formatted(table);
      String latestOfEach = """
          FROM json_each(?2) j CROSS JOIN %1$s t ON t.number = (
            SELECT e.number FROM %1$s e WHERE e.queue = ?1 AND e.id = j.value ORDER BY e.seq DESC LIMIT 1)
          """.formatted(table);
      latest = "SELECT t.id, t.seq, t.state " + latestOfEach;
      life = "SELECT state, token FROM %s WHERE queue = ?1 AND id = ?2 AND seq = ?3".formatted(table);
      latestWhole = """
          SELECT t.seq, t.slot, t.state, t.due_at, t.ready_at, t.buffer_ms, t.created_at, t.ended_at, t.claimed_at,
            t.token, t.attempt, t.claims, t.lapses, t.id, t.cancel_by, t.zone, t.rule, t.outcome, t.attempts, t.payload
          """ + latestOfEach;
      delete = "DELETE FROM %s WHERE queue = ?1 AND id = ?2 AND seq = ?3".formatted(table);
      prune = """
          DELETE FROM %1$s WHERE number IN (
            SELECT number FROM (SELECT number, ended_at FROM %1$s WHERE queue = ?1 ORDER BY number LIMIT ?3)
            WHERE ended_at <= ?2)
          """.formatted(table);
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
