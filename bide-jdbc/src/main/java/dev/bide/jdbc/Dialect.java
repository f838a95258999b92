package dev.bide.jdbc;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Held;
import dev.bide.spi.QueuePause;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Renewed;
import dev.bide.spi.Reply;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Load;
import dev.bide.task.Task;
import dev.bide.task.TaskCounts;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import java.util.List;
import java.util.Optional;

/**
 * What differs from one database to another: the inside of each transaction, its tables and its now.
 *
 * <p>A transaction is the seam because databases differ in more than their SQL: where one process writes at a time, the
 * shared rules work on rows that were read; where many do, one statement does the whole turn.
 */
public abstract class Dialect {
  Dialect() {}

  /**
   * SQLite, whose now is that of a clock in this process, or the latest in the file if that is ahead of it.
   */
  public static Dialect sqlite(Clock clock) {
    return new SqliteDialect(clock);
  }

  /** Creates the tables if there are none, and refuses those that this version cannot use, naming the place. */
  abstract void prepare(Session session, String place);

  /** Writes something that changes nothing. */
  abstract void touch(Session session);

  abstract Reply<List<Written>> write(Session session, List<Write> writes, Stamp stamp);

  abstract Exchanged exchange(Session session, List<Settlement> settlements, ClaimRequest request);

  abstract Reply<List<Renewed>> renew(Session session, List<Held> claims, long leaseMillis);

  abstract Reply<List<Optional<Task>>> find(Session session, String queue, List<String> ids);

  abstract Reply<TaskPage> list(Session session, String queue, TaskQuery query, int limit, String cursor);

  abstract Reply<List<String>> ids(Session session, String queue, String after, int limit);

  abstract Reply<List<TaskCounts>> counts(Session session, List<String> queues);

  abstract Reply<Load> load(Session session, String queue, long from, long widthMillis, int buckets);

  abstract Reply<Integer> prune(Session session, String queue, int limit);

  abstract QueueSettings define(Session session, QueueSettings wanted);

  abstract QueueSettings update(Session session, QueueSettings wanted);

  abstract void pauseQueue(Session session, String name);

  abstract void resumeQueue(Session session, String name);

  abstract QueuePause pauseOf(Session session, String name);

  abstract List<String> queueNames(Session session);

  abstract Optional<QueueSettings> findQueue(Session session, String name);

  abstract long now(Session session);

  /** A clock of this process. */
  @FunctionalInterface
  public interface Clock {
    /** Returns now in epoch milliseconds, after the clock was raised to {@code floor} if it was behind that. */
    long atLeast(long floor);
  }
}
