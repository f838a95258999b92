package dev.bide.spi;

import dev.bide.task.Load;
import dev.bide.task.Task;
import dev.bide.task.TaskCounts;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import java.util.List;
import java.util.Optional;

/**
 * Keeps tasks until they are due, and lets each have one valid owner at a time.
 *
 * <p>Thread-safe; every method may block, and none returns before what it answers is as durable as the store promises.
 * Time is the store's own: a task is due when {@code nextAt <= now} of the store, decided inside the call, and every
 * reply carries the now it was decided with, in epoch milliseconds.
 *
 * <p>A caller that got no reply may send the same call again, and it has its effect once: {@link #write} and the claims of
 * {@link #exchange} by their {@link Stamp}, settlements by their token, renewals because they only prolong. Each call
 * is one transaction. An expected mishap of the store (unreachable, busy, full) is a {@link StoreException}; nothing of
 * that call is done then, or, if the reply alone was lost, all of it.
 */
public interface TaskStore extends AutoCloseable {

  /**
   * Creates and changes tasks, and answers each in the order given.
   *
   * @param writes at most one for each (queue, id); the queues must be defined
   * @param stamp tells a repeated call from a new one: a number seen before gets the same answers and does nothing, a
   * smaller one is late
   * @return a late reply when the stamp's moment had passed or its number was outrun: nothing was done then
   * @throws IllegalArgumentException before anything is done, if an id comes twice or a queue is unknown
   */
  Reply<List<Written>> write(List<Write> writes, Stamp stamp);

  /**
   * First settles claims, then hands out the next ones, in one transaction, and never a task that it has just settled.
   *
   * <p>Settlements are fenced one by one: each applies if its task is in process under the very token, even when the lease
   * has run out unnoticed. Then leases that have run out are ended, tasks whose attempts are used up are finished as
   * failed, and due tasks are claimed in the order of (nextAt, seq) within a shard: {@code nextAt} moves to the end of
   * the lease, token, attempt and claims grow by one.
   *
   * @param settlements of tasks of {@code request.queue()}; may be empty
   * @param request what the node can take; a limit of 0 takes nothing
   * @throws IllegalArgumentException before anything is done, if the queue is unknown or has no such shard
   */
  Exchanged exchange(List<Settlement> settlements, ClaimRequest request);

  /**
   * Moves the end of each lease that is still held under its token to now + {@code leaseMillis}; answers in the order
   * given.
   */
  Reply<List<Renewed>> renew(List<Held> claims, long leaseMillis);

  /**
   * Looks up tasks by id: the live one, else the latest finished one that is still kept, else empty; answers in the
   * order given. A queue that is unknown has none.
   */
  Reply<List<Optional<Task>>> find(String queue, List<String> ids);

  /**
   * Lists tasks, page by page.
   *
   * @param limit how many tasks a page holds at most; it may hold fewer, and end where it has looked at
   * {@value Sight#MOST_SEARCHED} tasks or some 16 MB of payload
   * @param cursor what the page before has given as the next; empty for the first page
   * @return nothing of a queue that is unknown
   * @throws IllegalArgumentException if the limit is less than 1, or the cursor is of another list
   */
  Reply<TaskPage> list(String queue, TaskQuery query, int limit, String cursor);

  /**
   * Returns the ids of the live tasks of a queue, in the order of their bytes in UTF-8, so that all can be gone
   * through.
   *
   * @param after only ids behind this one; empty from the start
   * @param limit how many at most; fewer are returned at the end only
   */
  Reply<List<String>> ids(String queue, String after, int limit);

  /** Counts the tasks of queues, in the order given; an unknown one has none. Never looks through what waits. */
  Reply<List<TaskCounts>> counts(List<String> queues);

  /**
   * Forecasts a queue: how many waiting tasks may run when. Whole hours come from counters; the minutes at both ends of
   * a bucket are counted, as long as these are not too many.
   *
   * @param from the start of the first bucket, in epoch milliseconds, not negative
   * @param widthMillis how long each bucket is
   * @param buckets how many, at most {@value Load#MOST}
   * @throws IllegalArgumentException if there is no such forecast
   */
  Reply<Load> load(String queue, long from, long widthMillis, int buckets);

  /**
   * Drops finished tasks and dead letters whose retention is over, at most {@code limit}, and streams of stamps unused
   * for a minute. Nothing that ended in the last {@value Rules#KEPT_MILLIS} ms is dropped, whatever the retention, so
   * that a repeated settlement is still recognised.
   *
   * @return how many tasks were dropped; {@code limit} means that there may be more
   * @throws IllegalArgumentException if the queue is unknown
   */
  Reply<Integer> prune(String queue, int limit);

  /** Returns the configuration that is stored with the queues, for all nodes. */
  QueueStore queues();

  /** Returns the store's now, in epoch milliseconds. */
  long now();

  /** Releases what the store holds; idempotent. Calls afterwards throw {@link IllegalStateException}. */
  @Override
  void close();
}
