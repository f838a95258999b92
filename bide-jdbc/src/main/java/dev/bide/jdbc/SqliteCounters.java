package dev.bide.jdbc;

import dev.bide.spi.Tally;
import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.Map;

/**
 * The counters of all queues in an SQLite file, and how one transaction changes them.
 *
 * <p>What a transaction has counted is appended to the row that every transaction writes anyway, so that a single call
 * writes no page more. When that is more than {@value #GATHERED} bytes, all of it is taken to the rows of
 * {@code bide_counts}, each of which holds {@value #PART} counters: those of a month are in four.
 */
final class SqliteCounters {
  /** How many bytes are gathered at most; with the rest of the row they fit into a page. */
  static final int GATHERED = 1_000;
  /** How many keys a part has. */
  static final int PART = 256;

  private final Session session;
  private final Map<Long, Tally> changes = new HashMap<>();
  private byte[] counted;

  /**
   * The counters of a transaction that writes.
   *
   * @param counted what has been gathered before it
   */
  SqliteCounters(Session session, byte[] counted) {
    this.session = session;
    this.counted = counted;
  }

  /** Returns what changes for a queue. */
  Tally of(long queue) {
    return changes.computeIfAbsent(queue, number -> new Tally());
  }

  /** Takes the changes over; returns whether there were any, so that {@link #counted} must be written. */
  boolean flush() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(counted);
    changes.forEach((queue, tally) -> {
      if (!tally.isEmpty()) {
        TallyBytes.encode(queue, tally, all);
      }
    });
    changes.clear();
    if (all.size() == counted.length) {
      return false;
    }
    counted = all.toByteArray();
    if (counted.length > GATHERED) {
      addToParts();
      counted = new byte[0];
    }
    return true;
  }

  /** Returns what is gathered now. */
  byte[] counted() {
    return counted;
  }

  private void addToParts() {
    Map<Part, Tally> parts = new HashMap<>();
    TallyBytes.decode(counted, (queue, key, count) -> parts
        .computeIfAbsent(new Part(queue, key / PART), part -> new Tally()).add(key, count));
    parts.forEach((part, tally) -> {
      addPart(session, part.queue, part.number, part.number, tally);
      if (tally.isEmpty()) {
        session.update(SqliteSql.DELETE_PART, part.queue, part.number);
      } else {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        TallyBytes.encode(part.queue, tally, bytes);
        session.update(SqliteSql.SET_PART, part.queue, part.number, bytes.toByteArray());
      }
    });
  }

  private record Part(long queue, long number) {}

  private static void addPart(Session session, long queue, long first, long last, Tally tally) {
    for (byte[] bytes : session.rows(SqliteSql.COUNTED_PARTS, row -> row.getBytes(1), queue, first, last)) {
      TallyBytes.decode(bytes, (same, key, count) -> tally.add(key, count));
    }
  }

  /** Reads the counters of a queue: the hours from {@code firstHour} on and before {@code endHour}, and all others. */
  static Tally read(Session session, long queue, long firstHour, long endHour) {
    Tally tally = new Tally();
    addPart(session, queue, 0, 0, tally);
    addPart(session, queue, Math.max(1, (Tally.FIRST_HOUR + firstHour) / PART), (Tally.FIRST_HOUR + endHour) / PART,
        tally);
    byte[] gathered = session.rows(SqliteSql.COUNTED, row -> row.getBytes(1)).get(0);
    TallyBytes.decode(gathered, (other, key, count) -> {
      if (other == queue) {
        tally.add(key, count);
      }
    });
    return tally;
  }
}
