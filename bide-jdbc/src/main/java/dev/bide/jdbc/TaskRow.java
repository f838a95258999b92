package dev.bide.jdbc;

import dev.bide.spi.StoredTask;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import dev.bide.task.Tag;
import dev.bide.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How a task is written in the columns of a row, and read from them. */
final class TaskRow {
  private static final TaskState[] STATES = {TaskState.WAITING, TaskState.PROCESSING, TaskState.PAUSED,
      TaskState.COMPLETED, TaskState.FAILED, TaskState.CANCELLED};

  private TaskRow() {}

  static TaskState state(int code) {
    return STATES[code];
  }

  static int code(TaskState state) {
    return switch (state) {
      case WAITING -> 0;
      case PROCESSING -> 1;
      case PAUSED -> 2;
      case COMPLETED -> 3;
      case FAILED -> 4;
      case CANCELLED -> 5;
    };
  }

  /**
   * Returns whether a task has none of what few have: a buffer, a zone, a rule, tags, another moment than its due time
   * to run at, a claim that was not completed. To bind a value costs as much as to write many, and there is nothing to
   * bind for these.
   */
  static boolean plain(StoredTask task) {
    return task.readyAt == task.dueAt && task.bufferMillis == 0 && task.zone == null && task.rule == null
        && task.tags.isEmpty() && task.cancelBy == null && task.attempt == task.token && task.claims == task.token
        && task.lapses == 0;
  }

  /** Returns whether a task is plain, waits, and has not changed since it was created. */
  static boolean plainAndNew(StoredTask task) {
    return plain(task) && task.state == TaskState.WAITING && task.lane == StoredTask.ORDINARY && task.token == 0
        && task.updatedAt == task.createdAt;
  }

  /** The values of a live task that is {@linkplain #plainAndNew plain and new}. */
  static @Nullable Object[] insertPlain(StoredTask task, long queue, int shard) {
    return new @Nullable Object[]{task.seq, queue, task.slot, shard, task.nextAt, task.dueAt, task.createdAt, task.id,
        task.payload.bytes()};
  }

  /** The values of a {@linkplain #plain} life that has ended. */
  static @Nullable Object[] insertPlainEnded(StoredTask task, long queue) {
    return new @Nullable Object[]{task.seq, queue, task.slot, code(task.state), task.dueAt, task.createdAt,
        task.updatedAt, task.claimedAt, task.token, task.id, task.outcome, AttemptsText.encode(task.attempts),
        task.payload.bytes()};
  }

  /** The values of a new live task. */
  static @Nullable Object[] insertLive(StoredTask task, long queue, int shard) {
    return new @Nullable Object[]{task.seq, queue, task.slot, shard, task.lane, code(task.state), nullable(task.nextAt),
        task.dueAt, task.readyAt, task.bufferMillis, task.createdAt, task.updatedAt, task.claimedAt, task.token,
        task.attempt, task.claims, task.lapses, task.id, task.owner, task.cancelBy, task.zone, task.rule,
        AttemptsText.encode(task.attempts), nullable(task.stoppedAt), text(task.tags), task.payload.bytes()};
  }

  /** The values of what may change of a live task, and its seq. */
  static @Nullable Object[] updateLive(StoredTask task) {
    return new @Nullable Object[]{task.lane, code(task.state), nullable(task.nextAt), task.dueAt, task.readyAt,
        task.bufferMillis, task.updatedAt, task.claimedAt, task.token, task.attempt, task.claims, task.lapses,
        task.owner, task.cancelBy, task.rule, AttemptsText.encode(task.attempts),
        nullable(task.stoppedAt), task.seq};
  }

  /** The values that live tasks handed out by one call have in common, and their seqs. */
  static @Nullable Object[] claimLive(StoredTask any, String seqs) {
    return new @Nullable Object[]{any.lane, code(any.state), nullable(any.nextAt), any.updatedAt, any.claimedAt,
        any.owner, seqs};
  }

  /** The values of a life that has ended. */
  static @Nullable Object[] insertEnded(StoredTask task, long queue) {
    return new @Nullable Object[]{task.seq, queue, task.slot, code(task.state), task.dueAt, task.readyAt,
        task.bufferMillis, task.createdAt, task.updatedAt, task.claimedAt, task.token, task.attempt, task.claims,
        task.lapses, task.id, task.cancelBy, task.zone, task.rule, task.outcome, AttemptsText.encode(task.attempts),
        text(task.tags), task.payload.bytes()};
  }

  private static String text(List<Tag> tags) {
    return tags.isEmpty() ? "" : tags.stream().map(Tag::toString).collect(Collectors.joining("\n"));
  }

  /** Reads a line for each tag; none of them has a line feed in it. */
  static List<Tag> tags(String text) {
    return text.isEmpty() ? List.of() : Stream.of(text.split("\n")).map(Tag::parse).toList();
  }

  /** Returns what stands in the column of a moment that may be none. */
  static @Nullable Long nullable(long moment) {
    return moment == Due.NEVER ? null : moment;
  }

  /**
   * Reads a live task; the second column is the number of its queue. A column costs as much as a comparison of many, so
   * what is empty before the first claim, and what only a paused task has, is read where it may be.
   */
  static StoredTask live(ResultSet row, String queue) throws SQLException {
    StoredTask task = new StoredTask(queue, row.getString(17), row.getLong(1), row.getInt(3),
        Payload.of(row.getBytes(23)), row.getLong(10), row.getString(20));
    task.lane = row.getInt(4);
    task.state = state(row.getInt(5));
    task.nextAt = row.getLong(6);
    task.dueAt = row.getLong(7);
    task.readyAt = row.getLong(8);
    task.bufferMillis = row.getLong(9);
    task.updatedAt = row.getLong(11);
    task.token = row.getLong(13);
    task.rule = row.getString(21);
    if (task.token > 0) {
      task.claimedAt = row.getLong(12);
      task.attempt = row.getInt(14);
      task.claims = row.getInt(15);
      task.lapses = row.getInt(16);
      task.owner = row.getString(18);
      task.cancelBy = row.getString(19);
      task.attempts = AttemptsText.decode(row.getString(22));
    }
    if (task.state == TaskState.PAUSED) {
      task.stoppedAt = row.getLong(24);
    }
    task.tags = tags(row.getString(25));
    return task;
  }

  /** Reads a life that has ended. */
  static StoredTask ended(ResultSet row, String queue) throws SQLException {
    StoredTask task = new StoredTask(queue, row.getString(14), row.getLong(1), row.getInt(2),
        Payload.of(row.getBytes(20)), row.getLong(7), row.getString(16));
    task.state = state(row.getInt(3));
    task.nextAt = Due.NEVER;
    task.dueAt = row.getLong(4);
    task.readyAt = row.getLong(5);
    task.bufferMillis = row.getLong(6);
    task.updatedAt = row.getLong(8);
    task.claimedAt = row.getLong(9);
    task.token = row.getLong(10);
    task.attempt = row.getInt(11);
    task.claims = row.getInt(12);
    task.lapses = row.getInt(13);
    task.cancelBy = row.getString(15);
    task.rule = row.getString(17);
    task.outcome = row.getString(18);
    task.attempts = AttemptsText.decode(row.getString(19));
    task.tags = tags(row.getString(21));
    return task;
  }
}
