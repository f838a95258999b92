package dev.bide.spi;

import dev.bide.task.Due;
import dev.bide.task.Payload;
import dev.bide.task.TaskState;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a store that runs in one process lets {@link Rules} see and change within one transaction.
 *
 * <p>Used by one thread, and only until the transaction ends. A {@link StoredTask} that was handed out once is the same
 * object when it is found again, with the changes made to it so far.
 */
public interface Records {

  /**
   * Returns the store's now, in epoch milliseconds; the same during the transaction, and never before that of an
   * earlier one.
   */
  long now();

  /**
   * Returns the settings of a queue.
   *
   * @throws IllegalArgumentException if it is not defined
   */
  QueueSettings settings(String queue);

  /** Returns whether and when a queue is or was paused. */
  QueuePause pause(String queue);

  /** Returns a number greater than any it returned before, in this transaction or an earlier one. */
  long nextSeq();

  /** Returns the live tasks of these ids. */
  Map<String, StoredTask> live(String queue, Collection<String> ids);

  /** Returns the live tasks of these seqs. */
  Map<Long, StoredTask> live(Collection<Long> seqs);

  /** Returns, for the ids that have finished lives, the state of the latest one. */
  Map<String, TaskState> latestFinished(String queue, Collection<String> ids);

  /** Returns a finished life, if it is still kept. */
  Optional<FinishedLife> finished(String queue, String id, long seq);

  /**
   * Returns the live tasks of a lane with {@code nextAt <= now} in the order of (nextAt, seq), with the changes made so
   * far.
   *
   * @param shards the shards to look in, as {@link dev.bide.task.TaskId#shard} computes them
   */
  List<StoredTask> due(String queue, Set<Integer> shards, int lane, int limit);

  /**
   * Returns the smallest {@code nextAt} after now in these shards and any lane, with the changes made so far;
   * {@link Due#NEVER} if there is none.
   */
  long nextMoment(String queue, Set<Integer> shards);

  /** Adds a new life, live or finished at once. */
  void add(StoredTask task);

  /** Takes over the changes made to a live task; one that is finished now leaves the live ones. */
  void changed(StoredTask task);

  /** As {@link #changed}, for a task that was handed out now, and not changed otherwise since it was found. */
  default void claimed(StoredTask task) {
    changed(task);
  }

  /**
   * Returns the latest life of an id, which has no live one and is failed; empty if it was revived before, and the one
   * after it has been dropped.
   */
  Optional<StoredTask> deadLetter(String queue, String id);

  /**
   * Moves a failed life from the dead letters to the other finished ones: a copy of it lives again.
   */
  void revived(StoredTask dead);

  /**
   * Returns what was last remembered of a stream. A stream that is asked for is in use: it is kept for another
   * {@value Rules#KEPT_MILLIS} ms at least, so that a call repeated for long is not forgotten meanwhile.
   */
  Optional<Remembered> remembered(String node, String stream);

  /** Remembers the last call of a stream and its answers, in place of what was remembered before. */
  void remember(String node, String stream, Remembered last);

  /**
   * A life that has ended.
   *
   * @param state how it ended
   * @param token the fencing token it had
   */
  record FinishedLife(TaskState state, long token) {}

  /**
   * The last call of a stream.
   *
   * @param number the number of its stamp
   * @param answers what it was answered, as {@link Rules} writes it
   */
  record Remembered(long number, Payload answers) {}
}
