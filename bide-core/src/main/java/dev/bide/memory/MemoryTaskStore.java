package dev.bide.memory;

import static java.lang.System.Logger.Level.WARNING;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Held;
import dev.bide.spi.QueuePause;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.QueueStore;
import dev.bide.spi.Renewed;
import dev.bide.spi.Reply;
import dev.bide.spi.Rules;
import dev.bide.spi.Settlement;
import dev.bide.spi.Sight;
import dev.bide.spi.Stamp;
import dev.bide.spi.SteadyClock;
import dev.bide.spi.TaskStore;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Load;
import dev.bide.task.Task;
import dev.bide.task.TaskCounts;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A store in the memory of this process.
 *
 * <p>Thread-safe: one lock, held for the length of a call. Time is a {@link SteadyClock} of this machine, or the clock it
 * is given; it never goes back. Each task written, claimed, settled or listed takes O(log n); a count goes through
 * blocks of hundreds of tasks, never through tasks. What grows does so block by block, so that no call stops for it. A
 * task takes its id, its payload and about 80 bytes of heap: 190 bytes with 12 of id and 100 of payload. Nothing
 * survives the process.
 *
 * <pre>{@code
 * TaskStore store = MemoryTaskStore.create();
 * }</pre>
 */
public final class MemoryTaskStore implements TaskStore {
  private static final System.Logger LOG = System.getLogger(MemoryTaskStore.class.getName());

  private final MemoryRecords records;
  private final LongSupplier epochMillis;
  private final QueueStore queues = new Queues();
  // Guarded by records.lock.
  private boolean closed;

  private MemoryTaskStore(MemoryRecords records, LongSupplier epochMillis) {
    this.records = records;
    this.epochMillis = epochMillis;
  }

  /** An empty store on the clock of this machine; a jump of the wall clock is logged as a warning. */
  public static MemoryTaskStore create() {
    return on(SteadyClock.ofThisMachine(alarm -> LOG.log(WARNING, alarm)));
  }

  /**
   * An empty store on this clock.
   *
   * @param epochMillis returns now in epoch milliseconds; a value smaller than one before counts as that one
   */
  public static MemoryTaskStore on(LongSupplier epochMillis) {
    return over(new MemoryRecords(), epochMillis);
  }

  /** A store over records that another store has left, or shares. */
  static MemoryTaskStore over(MemoryRecords records, LongSupplier epochMillis) {
    return new MemoryTaskStore(records, epochMillis);
  }

  @Override
  public Reply<List<Written>> write(List<Write> writes, Stamp stamp) {
    return transaction(() -> Rules.write(records, writes, stamp));
  }

  @Override
  public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
    return transaction(() -> Rules.exchange(records, settlements, request));
  }

  @Override
  public Reply<List<Renewed>> renew(List<Held> claims, long leaseMillis) {
    return transaction(() -> Rules.renew(records, claims, leaseMillis));
  }

  @Override
  public Reply<List<Optional<Task>>> find(String queue, List<String> ids) {
    return transaction(() -> Reply.of(records.now(), records.find(queue, ids)));
  }

  @Override
  public Reply<TaskPage> list(String queue, TaskQuery query, int limit, String cursor) {
    return transaction(() -> Sight.list(records, queue, query, limit, cursor));
  }

  @Override
  public Reply<List<String>> ids(String queue, String after, int limit) {
    return transaction(() -> Reply.of(records.now(), records.ids(queue, after, limit)));
  }

  @Override
  public Reply<List<TaskCounts>> counts(List<String> queues) {
    return transaction(() -> Sight.counts(records, queues));
  }

  @Override
  public Reply<Load> load(String queue, long from, long widthMillis, int buckets) {
    return transaction(() -> Sight.load(records, queue, from, widthMillis, buckets));
  }

  @Override
  public Reply<Integer> prune(String queue, int limit) {
    return transaction(() -> Reply.of(records.now(), records.prune(queue, limit)));
  }

  @Override
  public QueueStore queues() {
    return transaction(() -> queues);
  }

  @Override
  public long now() {
    return transaction(records::now);
  }

  @Override
  public void close() {
    records.lock.lock();
    closed = true;
    records.lock.unlock();
  }

  private <T> T transaction(Supplier<T> body) {
    records.lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the store is closed");
      }
      records.begin(epochMillis.getAsLong());
      return body.get();
    } finally {
      records.lock.unlock();
    }
  }

  private final class Queues implements QueueStore {

    @Override
    public QueueSettings define(QueueSettings wanted) {
      return transaction(() -> records.define(wanted));
    }

    @Override
    public QueueSettings update(QueueSettings wanted) {
      return transaction(() -> records.update(wanted));
    }

    @Override
    public void pause(String name) {
      transaction(() -> {
        records.pauseQueue(name);
        return name;
      });
    }

    @Override
    public void resume(String name) {
      transaction(() -> {
        records.resumeQueue(name);
        return name;
      });
    }

    @Override
    public QueuePause pauseOf(String name) {
      return transaction(() -> records.pause(name));
    }

    @Override
    public List<String> names() {
      return transaction(records::names);
    }

    @Override
    public Optional<QueueSettings> find(String name) {
      return transaction(() -> records.defined(name));
    }
  }
}
