package dev.bide.jdbc;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.ClaimRequest.Claimant;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Held;
import dev.bide.spi.QueuePause;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.QueueStore;
import dev.bide.spi.Renewed;
import dev.bide.spi.Reply;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.TaskStore;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Load;
import dev.bide.task.Task;
import dev.bide.task.TaskCounts;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * The store on SQL databases: each call is one transaction, whose inside the {@link Dialect} knows.
 *
 * <p>Thread-safe. What survives a crash is what the database promises for a committed transaction.
 */
public final class JdbcTaskStore implements TaskStore {
  private final Transactions transactions;
  private final Dialect dialect;
  private final QueueStore queues = new Queues();

  private JdbcTaskStore(Transactions transactions, Dialect dialect) {
    this.transactions = transactions;
    this.dialect = dialect;
  }

  /**
   * Opens a store, and creates its tables if there are none.
   *
   * @param transactions where it works; closed with the store, and also when it cannot be opened
   * @param dialect the database it works on
   * @throws dev.bide.spi.StoreException if the tables are of a later version that this one cannot use
   */
  public static JdbcTaskStore open(Transactions transactions, Dialect dialect) {
    try {
      JdbcTaskStore store = new JdbcTaskStore(transactions, dialect);
      store.changing(session -> {
        dialect.prepare(session, transactions.place());
        return store;
      });
      return store;
    } catch (RuntimeException e) {
      transactions.close();
      throw e;
    }
  }

  @Override
  public Reply<List<Written>> write(List<Write> writes, Stamp stamp) {
    return changing(session -> dialect.write(session, writes, stamp));
  }

  @Override
  public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
    Transactions.Work<Exchanged> work = session -> dialect.exchange(session, settlements, request);
    boolean synced = !settlements.isEmpty() || request.claimant() != Claimant.THIS_PROCESS;
    if (synced) {
      return changing(work);
    }
    Exchanged reply = transactions.writeUnsynced(session -> plain(work, session));
    if (!reply.ended().isEmpty()) {
      // Their end is told, which the claims alone need not be: it must be there after a power cut.
      sync();
    }
    return reply;
  }

  /** A transaction that changes nothing, and is synced with all before it. */
  private void sync() {
    changing(session -> {
      dialect.touch(session);
      return this;
    });
  }

  @Override
  public Reply<List<Renewed>> renew(List<Held> claims, long leaseMillis) {
    return changing(session -> dialect.renew(session, claims, leaseMillis));
  }

  @Override
  public Reply<List<Optional<Task>>> find(String queue, List<String> ids) {
    return reading(session -> dialect.find(session, queue, ids));
  }

  @Override
  public Reply<TaskPage> list(String queue, TaskQuery query, int limit, String cursor) {
    return reading(session -> dialect.list(session, queue, query, limit, cursor));
  }

  @Override
  public Reply<List<String>> ids(String queue, String after, int limit) {
    return reading(session -> dialect.ids(session, queue, after, limit));
  }

  @Override
  public Reply<List<TaskCounts>> counts(List<String> queues) {
    return reading(session -> dialect.counts(session, queues));
  }

  @Override
  public Reply<Load> load(String queue, long from, long widthMillis, int buckets) {
    return reading(session -> dialect.load(session, queue, from, widthMillis, buckets));
  }

  @Override
  public Reply<Integer> prune(String queue, int limit) {
    return changing(session -> dialect.prune(session, queue, limit));
  }

  @Override
  public QueueStore queues() {
    return queues;
  }

  @Override
  public long now() {
    return reading(dialect::now);
  }

  @Override
  public void close() {
    transactions.close();
  }

  private <T> T changing(Transactions.Work<T> work) {
    return transactions.write(session -> plain(work, session));
  }

  private <T> T reading(Transactions.Work<T> work) {
    return transactions.read(session -> plain(work, session));
  }

  private static <T> T plain(Transactions.Work<T> work, Session session) throws SQLException {
    try {
      return work.in(session);
    } catch (SqlFailure e) {
      throw e.failure();
    }
  }

  private final class Queues implements QueueStore {
    @Override
    public QueueSettings define(QueueSettings wanted) {
      return changing(session -> dialect.define(session, wanted));
    }

    @Override
    public QueueSettings update(QueueSettings wanted) {
      return changing(session -> dialect.update(session, wanted));
    }

    @Override
    public void pause(String name) {
      changing(session -> {
        dialect.pauseQueue(session, name);
        return name;
      });
    }

    @Override
    public void resume(String name) {
      changing(session -> {
        dialect.resumeQueue(session, name);
        return name;
      });
    }

    @Override
    public QueuePause pauseOf(String name) {
      return reading(session -> dialect.pauseOf(session, name));
    }

    @Override
    public List<String> names() {
      return reading(dialect::queueNames);
    }

    @Override
    public Optional<QueueSettings> find(String name) {
      return reading(session -> dialect.findQueue(session, name));
    }
  }
}
