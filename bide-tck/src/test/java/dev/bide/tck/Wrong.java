package dev.bide.tck;

import static java.util.Objects.requireNonNull;

import dev.bide.memory.MemoryFixture;
import dev.bide.spi.ClaimRequest;
import dev.bide.spi.Claimed;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Held;
import dev.bide.spi.QueueStore;
import dev.bide.spi.Renewed;
import dev.bide.spi.Reply;
import dev.bide.spi.Settled;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.TaskStore;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Due;
import dev.bide.task.Load;
import dev.bide.task.Task;
import dev.bide.task.TaskCounts;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A store that is right but for what a subclass gets wrong. Outlives restarts. */
abstract class Wrong implements TaskStore {
  private @Nullable TaskStore right;

  final TaskStore over(TaskStore store) {
    right = store;
    return this;
  }

  final TaskStore right() {
    return requireNonNull(right);
  }

  @Override
  public Reply<List<Written>> write(List<Write> writes, Stamp stamp) {
    return right().write(writes, stamp);
  }

  @Override
  public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
    return right().exchange(settlements, request);
  }

  @Override
  public Reply<List<Renewed>> renew(List<Held> claims, long leaseMillis) {
    return right().renew(claims, leaseMillis);
  }

  @Override
  public Reply<List<Optional<Task>>> find(String queue, List<String> ids) {
    return right().find(queue, ids);
  }

  @Override
  public Reply<TaskPage> list(String queue, TaskQuery query, int limit, String cursor) {
    return right().list(queue, query, limit, cursor);
  }

  @Override
  public Reply<List<String>> ids(String queue, String after, int limit) {
    return right().ids(queue, after, limit);
  }

  @Override
  public Reply<List<TaskCounts>> counts(List<String> queues) {
    return right().counts(queues);
  }

  @Override
  public Reply<Load> load(String queue, long from, long widthMillis, int buckets) {
    return right().load(queue, from, widthMillis, buckets);
  }

  @Override
  public Reply<Integer> prune(String queue, int limit) {
    return right().prune(queue, limit);
  }

  @Override
  public QueueStore queues() {
    return right().queues();
  }

  @Override
  public long now() {
    return right().now();
  }

  @Override
  public void close() {
    right().close();
  }

  /** Gets the inserts and moves wrong. */
  static Wrong write(UnaryOperator<Write> mistake) {
    return new Wrong() {
      @Override
      public Reply<List<Written>> write(List<Write> writes, Stamp stamp) {
        return right().write(writes.stream().map(mistake).toList(), stamp);
      }
    };
  }

  /** Gets the due times of inserts and moves wrong. */
  static Wrong due(UnaryOperator<Due> mistake) {
    return write(write -> {
      if (write instanceof Write.Insert insert) {
        return new Write.Insert(insert.queue(), insert.id(), insert.payload(), mistake.apply(insert.due()),
            insert.onExisting(), insert.rule(), insert.zone(), insert.tags());
      }
      return write instanceof Write.Move move
          ? new Write.Move(move.queue(), move.id(), mistake.apply(move.due()), move.rule())
          : write;
    });
  }

  /** Gets the stamps of writes wrong. */
  static Wrong writeStamp(UnaryOperator<Stamp> mistake) {
    return new Wrong() {
      @Override
      public Reply<List<Written>> write(List<Write> writes, Stamp stamp) {
        return right().write(writes, mistake.apply(stamp));
      }
    };
  }

  /** Gets what is answered to writes wrong. */
  static Wrong written(UnaryOperator<List<Written>> mistake) {
    return new Wrong() {
      @Override
      public Reply<List<Written>> write(List<Write> writes, Stamp stamp) {
        Reply<List<Written>> reply = right().write(writes, stamp);
        return reply.late() ? reply : Reply.of(reply.now(), mistake.apply(reply.value()));
      }
    };
  }

  /** Gets requests wrong. */
  static Wrong request(UnaryOperator<ClaimRequest> mistake) {
    return new Wrong() {
      @Override
      public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
        return right().exchange(settlements, mistake.apply(request));
      }
    };
  }

  /** Gets settlements wrong. */
  static Wrong settlement(UnaryOperator<Settlement> mistake) {
    return new Wrong() {
      @Override
      public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
        return right().exchange(settlements.stream().map(mistake).toList(), request);
      }
    };
  }

  /** Gets replies to exchanges wrong. */
  static Wrong reply(UnaryOperator<Exchanged> mistake) {
    return new Wrong() {
      @Override
      public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
        return mistake.apply(right().exchange(settlements, request));
      }
    };
  }

  /** Gets what is handed out wrong. */
  static Wrong claims(UnaryOperator<List<Claimed>> mistake) {
    return reply(reply -> with(reply, reply.settled(), mistake.apply(reply.claims())));
  }

  static Exchanged with(Exchanged reply, List<Settled> settled, List<Claimed> claims) {
    return new Exchanged(reply.now(), settled, claims, reply.ended(), reply.next(), reply.more(), reply.suspectsLeft(),
        reply.late());
  }

  static <T> List<T> plus(List<T> some, List<T> others) {
    List<T> all = new ArrayList<>(some);
    all.addAll(others);
    return all;
  }

  /** A fixture of this store over the one in memory. */
  StoreFixture fixture() {
    StoreFixture memory = new MemoryFixture();
    return new StoreFixture() {
      @Override
      public TaskStore open() {
        return over(memory.open());
      }

      @Override
      public void setNow(long epochMillis) {
        clockSet(epochMillis);
        memory.setNow(epochMillis);
      }

      @Override
      public TaskStore reopen() {
        restarted();
        return over(reopened(memory));
      }

      @Override
      public void close() {
        memory.close();
      }
    };
  }

  /** Called when the clock is set. */
  void clockSet(long epochMillis) {}

  /** Called at a restart. */
  void restarted() {}

  /** Returns the right store after a restart. */
  TaskStore reopened(StoreFixture fixture) {
    return fixture.reopen();
  }
}
