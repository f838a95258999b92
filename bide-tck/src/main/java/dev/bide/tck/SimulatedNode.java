package dev.bide.tck;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Held;
import dev.bide.spi.QueuePause;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.QueueStore;
import dev.bide.spi.Renewed;
import dev.bide.spi.Reply;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.StoreException;
import dev.bide.spi.TaskStore;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Load;
import dev.bide.task.Task;
import dev.bide.task.TaskCounts;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Drives a real node in a world with weather: its clock runs a little fast or slow, its calls to the store and their
 * replies are delayed, lost, done twice or done late, its handlers wait for a thread, its wake-ups go astray, it stands
 * still for a while, and it dies. Used by one thread.
 */
final class SimulatedNode extends VirtualDriver {
  private static final long MILLI = 1_000_000;
  /** So long a call of the engine hangs before its connection is found broken: several times what it is waited for. */
  private static final long BROKEN_NANOS = Duration.ofMinutes(1).toNanos();
  /** A caller's own connection gives up sooner or later. */
  private static final long SILENCE_NANOS = Duration.ofSeconds(2).toNanos();

  /** Ends what a node was doing when it died. */
  static final class Died extends Error {
    private static final long serialVersionUID = 1;

    Died() {
      super("the node has died", null, false, false);
    }
  }

  private final TaskStore store;
  private final SplittableRandom random;
  private final Weather weather;
  private final long born;
  private final long partsPerMillion;
  private final int strayWakes;
  private long standsUntil;
  private boolean dead;
  private boolean performing;
  private boolean storm = true;

  /** A node on {@code store}, which does at once what it is asked. */
  SimulatedNode(Timeline timeline, TaskStore store, Weather weather, SplittableRandom random) {
    super(timeline, random.nextLong());
    this.store = store;
    this.weather = weather;
    this.random = random;
    born = timeline.now();
    partsPerMillion = random.nextLong(-150, 151);
    strayWakes = random.nextInt(4) == 0 ? random.nextInt(1, 30) : 0;
  }

  /** Returns the store as this node sees it. */
  TaskStore line() {
    return new Line();
  }

  boolean dead() {
    return dead;
  }

  /** Dies: nothing of it happens any more, but for calls that have left it. */
  void die() {
    dead = true;
  }

  /** Stands still: whatever was to happen happens when it goes on. */
  void stand(long nanos) {
    standsUntil = Math.max(standsUntil, timeline.after(nanos));
  }

  boolean stands() {
    return standsUntil > timeline.now();
  }

  /** The storm is over: wake-ups arrive, threads are there, and the node stands still no more. */
  void calm() {
    storm = false;
    standsUntil = timeline.now();
    wake();
  }

  @Override
  public long nanos() {
    long age = timeline.now() - born;
    return age + age * partsPerMillion / 1_000_000;
  }

  @Override
  void in(long nanos, Runnable action) {
    timeline.in(nanos, () -> happens(action));
  }

  private void happens(Runnable action) {
    if (dead) {
      return;
    }
    if (stands()) {
      timeline.at(standsUntil, () -> happens(action));
      return;
    }
    try {
      action.run();
    } catch (Died e) {
      // It was in the middle of it.
    }
  }

  @Override
  public void wake() {
    if (!storm || random.nextInt(100) >= strayWakes) {
      super.wake();
    }
  }

  @Override
  public Executor handlers() {
    return task -> in(storm && random.nextInt(8) == 0 ? random.nextLong(3_000 * MILLI) : 0, task);
  }

  /** The store does its part whether this node lives or not. */
  @Override
  public <R> void call(Call<R> call) {
    if (call.delayNanos() > 0) {
      in(call.delayNanos(), () -> send(call));
    } else {
      send(call);
    }
  }

  /** Not on the stack of the caller: who calls later must not have to end first. */
  @Override
  public <R> void callHere(Call<R> call) {
    send(call);
  }

  private <R> void send(Call<R> call) {
    Weather.Fate fate = weather.fate();
    if (fate.executed()) {
      timeline.in(fate.there(), () -> {
        R reply;
        try {
          reply = perform(call);
        } catch (RuntimeException e) {
          in(fate.back(), () -> call.failed(e));
          return;
        }
        if (fate.answer() == Weather.Answer.REPLY) {
          in(fate.back(), () -> call.answered(reply));
        }
      });
    }
    if (fate.answer() == Weather.Answer.FAILURE) {
      in(fate.there() + fate.back(), () -> call.failed(lost()));
    }
    if (fate.answer() == Weather.Answer.SILENCE) {
      in(BROKEN_NANOS, () -> call.failed(lost()));
    }
    if (fate.again() > 0) {
      timeline.in(fate.there() + fate.again(), () -> {
        R unused = perform(call);
      });
    }
  }

  private <R> R perform(Call<R> call) {
    performing = true;
    try {
      return call.perform();
    } finally {
      performing = false;
    }
  }

  private static StoreException lost() {
    return StoreException.passing("the connection is lost", null);
  }

  @Override
  public boolean await(Future<?> answer, long nanos) {
    return waits(timeline.after(nanos), answer);
  }

  @Override
  public void pause(long nanos) {
    boolean unused = waits(timeline.after(nanos), null);
  }

  private boolean waits(long end, @Nullable Future<?> answer) {
    boolean answered = timeline.runUntil(end, () -> dead || !stands() && answer != null && answer.isDone());
    while (!dead && stands()) {
      boolean unused = timeline.runUntil(standsUntil, () -> dead);
    }
    if (dead) {
      throw new Died();
    }
    return answered || answer != null && answer.isDone();
  }

  /** The store seen by callers on this node; calls of the engine have their fate already. */
  private final class Line implements TaskStore {

    private <R> R ask(Supplier<R> call) {
      if (performing) {
        return call.get();
      }
      Weather.Fate fate = weather.fate();
      pause(Math.min(fate.there(), SILENCE_NANOS));
      if (fate.again() > 0) {
        timeline.in(fate.again(), () -> {
          R unused = call.get();
        });
      }
      R reply = fate.executed() ? call.get() : null;
      pause(fate.answer() == Weather.Answer.SILENCE ? SILENCE_NANOS : Math.min(fate.back(), SILENCE_NANOS));
      if (reply == null || fate.answer() != Weather.Answer.REPLY) {
        throw lost();
      }
      return reply;
    }

    @Override
    public Reply<List<Written>> write(List<Write> writes, Stamp stamp) {
      return ask(() -> store.write(writes, stamp));
    }

    @Override
    public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
      return ask(() -> store.exchange(settlements, request));
    }

    @Override
    public Reply<List<Renewed>> renew(List<Held> claims, long leaseMillis) {
      return ask(() -> store.renew(claims, leaseMillis));
    }

    @Override
    public Reply<List<Optional<Task>>> find(String queue, List<String> ids) {
      return ask(() -> store.find(queue, ids));
    }

    @Override
    public Reply<TaskPage> list(String queue, TaskQuery query, int limit, String cursor) {
      return ask(() -> store.list(queue, query, limit, cursor));
    }

    @Override
    public Reply<List<String>> ids(String queue, String after, int limit) {
      return ask(() -> store.ids(queue, after, limit));
    }

    @Override
    public Reply<List<TaskCounts>> counts(List<String> queues) {
      return ask(() -> store.counts(queues));
    }

    @Override
    public Reply<Load> load(String queue, long from, long widthMillis, int buckets) {
      return ask(() -> store.load(queue, from, widthMillis, buckets));
    }

    @Override
    public Reply<Integer> prune(String queue, int limit) {
      return ask(() -> store.prune(queue, limit));
    }

    @Override
    public QueueStore queues() {
      return new Queues();
    }

    @Override
    public long now() {
      return store.now();
    }

    /** The store outlives its nodes. */
    @Override
    public void close() {}

    private final class Queues implements QueueStore {

      @Override
      public QueueSettings define(QueueSettings wanted) {
        return ask(() -> store.queues().define(wanted));
      }

      @Override
      public QueueSettings update(QueueSettings wanted) {
        return ask(() -> store.queues().update(wanted));
      }

      @Override
      public void pause(String name) {
        QueuePause unused = ask(() -> {
          store.queues().pause(name);
          return store.queues().pauseOf(name);
        });
      }

      @Override
      public void resume(String name) {
        QueuePause unused = ask(() -> {
          store.queues().resume(name);
          return store.queues().pauseOf(name);
        });
      }

      @Override
      public QueuePause pauseOf(String name) {
        return ask(() -> store.queues().pauseOf(name));
      }

      @Override
      public List<String> names() {
        return ask(() -> store.queues().names());
      }

      @Override
      public Optional<QueueSettings> find(String name) {
        return ask(() -> store.queues().find(name));
      }
    }
  }
}
