package dev.bide.tck;

import dev.bide.Claim;
import dev.bide.TaskEvent;
import dev.bide.TaskListener;
import dev.bide.spi.ClaimRequest;
import dev.bide.spi.Claimed;
import dev.bide.spi.End;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Held;
import dev.bide.spi.QueuePause;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.QueueStore;
import dev.bide.spi.Renewed;
import dev.bide.spi.Reply;
import dev.bide.spi.Settled;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.TaskStore;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Answer;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sees everything that happens between the nodes and the store of one world, and holds it against what was promised: the
 * store's answers, by a {@link History} of each queue; what handlers begin and end; what callers were told; what nodes
 * tell their listeners. Whatever may not be is an {@link AssertionError} at the moment it happens.
 *
 * <p>A payload names one schedule call, so that lives of the same id are told apart. Used by one thread.
 */
final class Witness implements TaskListener {
  private static final long MILLI = 1_000_000;

  private final Timeline timeline;
  private final LongSupplier storeClock;
  private final TaskStore store;
  private final Map<String, History> histories = new LinkedHashMap<>();
  private final Map<Handed, Run> handed = new HashMap<>();
  private final Map<Token, Run> runs = new HashMap<>();
  private final Map<String, Promise> promises = new LinkedHashMap<>();
  private final Map<String, Integer> running = new HashMap<>();
  private final Map<String, Integer> counts = new TreeMap<>();
  private long steppedAt = -1;

  /** One claim as its holder knows it. */
  private record Handed(String node, String queue, String id, long token, long claimedAt) {}

  /** One claim as the store knows it. */
  private record Token(String queue, long seq, long token) {}

  /** What became of one claim. */
  private static final class Run {
    final String node;
    final String queue;
    final Claimed claim;
    final long handedAt;
    long startedAt = -1;
    @Nullable
    End end;
    boolean givenUp;
    boolean completionTold;

    Run(String node, String queue, Claimed claim, long handedAt) {
      this.node = node;
      this.queue = queue;
      this.claim = claim;
      this.handedAt = handedAt;
    }

    @Override
    public String toString() {
      return "node=" + node + " queue=" + queue + " task=" + claim.id() + " seq=" + claim.seq() + " token="
          + claim.token() + " attempt=" + claim.attempt() + (startedAt < 0 ? "" : " started") + " end=" + end;
    }
  }

  /** What a caller was promised when scheduling: not before {@link #notBefore} by the store's clock. */
  private static final class Promise {
    final String queue;
    final String id;
    long notBefore;
    long seq;
    boolean acknowledged;

    Promise(String queue, String id, long notBefore) {
      this.queue = queue;
      this.id = id;
      this.notBefore = notBefore;
    }

    @Override
    public String toString() {
      return "queue=" + queue + " task=" + id + " seq=" + seq + " notBefore=" + notBefore;
    }
  }

  /**
   * A witness of what happens at {@code store}.
   *
   * @param storeClock what the store's clock shows, from where it takes it itself
   */
  Witness(Timeline timeline, TaskStore store, LongSupplier storeClock) {
    this.timeline = timeline;
    this.store = store;
    this.storeClock = storeClock;
  }

  /** Returns the store, watched. */
  TaskStore store() {
    return new Watched();
  }

  /** Returns how often what happened. */
  Map<String, Integer> counts() {
    return counts;
  }

  void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  /** Notes that the store's clock is stepped forward: a node cannot know how much of its leases is left. */
  void stepped() {
    steppedAt = timeline.now();
  }

  long storeNow() {
    return storeClock.getAsLong();
  }

  // What callers say and hear.

  /** A caller is about to schedule a task with this payload, due not before a moment of the store's clock. */
  void schedules(String payload, String queue, String id, long notBefore) {
    promises.put(payload, new Promise(queue, id, notBefore));
  }

  /** A caller was told that the task with this payload was created. */
  void scheduled(String payload) {
    Promise promise = promise(payload);
    promise.acknowledged = true;
    check(promise.seq != 0, "acknowledged, but not in the store", promise);
  }

  /** A caller is about to bring all tasks of an id forward, possibly. */
  void moves(String queue, String id, long notBefore) {
    for (Promise promise : promises.values()) {
      if (promise.queue.equals(queue) && promise.id.equals(id)) {
        promise.notBefore = Math.min(promise.notBefore, notBefore);
      }
    }
  }

  private Promise promise(String payload) {
    Promise promise = promises.get(payload);
    if (promise == null) {
      throw new AssertionError("a payload that nobody scheduled: " + payload);
    }
    return promise;
  }

  // What handlers and takers do.

  /** A handler begins, or a caller has taken the claim. */
  void started(String node, Claim<String> claim) {
    long now = storeNow();
    Run run = run(node, claim);
    check(run.startedAt < 0, "started twice under one claim", run);
    run.startedAt = timeline.now();
    count("started");
    boolean owned = history(claim.queue()).owned(run.claim.seq(), claim.token(), now);
    check(owned || steppedAt >= run.handedAt, "started by a node that does not own it, at " + now, run);
    check(run.claim.readyAt() <= now, "started early, at " + now, run);
    Promise promise = promise(claim.payload());
    check(promise.notBefore <= now, "started before what its caller was promised, at " + now, promise);
  }

  /** A handler enters, one of at most {@code most} on its node. */
  void entered(String node, String queue, int most) {
    int now = running.merge(node + ' ' + queue, 1, Integer::sum);
    check(now <= most, "more handlers at once than " + most + " on node=" + node, queue);
  }

  void left(String node, String queue) {
    running.merge(node + ' ' + queue, -1, Integer::sum);
  }

  /** Whoever works on a claim has come to an end, and will say so. */
  void ended(String node, Claim<String> claim, End end) {
    Run run = run(node, claim);
    run.end = end;
    if (!claim.lost() && steppedAt < run.handedAt) {
      check(history(claim.queue()).owned(run.claim.seq(), claim.token(), storeNow()),
          "believes in a lease that has run out, at " + storeNow(), run);
    }
  }

  /** The work on a claim was broken off from outside. */
  void brokenOff(String node, Claim<String> claim) {
    run(node, claim).givenUp = true;
  }

  private Run run(String node, Claim<String> claim) {
    Run run = handed.get(
        new Handed(node, claim.queue(), claim.id(), claim.token(), claim.claimedAt().toEpochMilli()));
    if (run == null) {
      throw new AssertionError("never handed out to node=" + node + ": " + claim);
    }
    return run;
  }

  // What nodes tell.

  @Override
  public void on(TaskEvent event) {
    count(event.kind().name());
    if (event.kind() == TaskEvent.Kind.COMPLETED) {
      long completed = handed.values().stream()
          .filter(run -> run.node.equals(event.node()) && run.queue.equals(event.queue())
              && run.claim.id().equals(event.task()) && run.claim.token() == event.token() && !run.completionTold
              && history(run.queue).end(run.claim.seq()) == TaskState.COMPLETED)
          .limit(1).peek(run -> run.completionTold = true).count();
      check(completed == 1, "told as completed, but it is not, or twice", event);
    }
  }

  // The end.

  /** Returns whether every task has come to its end. */
  boolean over() {
    return histories.values().stream().allMatch(history -> history.live().isEmpty());
  }

  /** Returns the tasks that have not ended, by queue. */
  Map<String, List<String>> live() {
    Map<String, List<String>> live = new TreeMap<>();
    histories.forEach((queue, history) -> live.put(queue, history.live()));
    return live;
  }

  /** Holds what is in the store at the end against what was said. */
  void checkEnd() {
    check(over(), "not ended", live());
    histories.forEach((queue, history) -> {
      List<String> ids = promises.values().stream().filter(promise -> promise.queue.equals(queue))
          .map(promise -> promise.id).distinct().toList();
      history.found(ids, store.find(queue, ids));
    });
    for (Promise promise : promises.values()) {
      if (promise.acknowledged) {
        check(history(promise.queue).end(promise.seq) != null, "acknowledged, and never ended", promise);
      }
    }
  }

  private History history(String queue) {
    History history = histories.get(queue);
    if (history == null) {
      throw new AssertionError("nobody defined queue=" + queue);
    }
    return history;
  }

  private static void check(boolean right, String wrong, Object what) {
    if (!right) {
      throw new AssertionError(wrong + ": " + what);
    }
  }

  /** The store, each call of which is written into the history. */
  private final class Watched implements TaskStore {

    @Override
    public Reply<List<Written>> write(List<Write> writes, Stamp stamp) {
      Reply<List<Written>> reply = store.write(writes, stamp);
      writes.stream().map(Write::queue).distinct().forEach(queue -> history(queue).written(writes, stamp, reply));
      for (int i = 0; i < writes.size() && !reply.late(); i++) {
        Answer answer = reply.value().get(i).answer();
        count(writes.get(i).getClass().getSimpleName() + ' ' + answer);
        if (writes.get(i) instanceof Write.Insert insert && (answer == Answer.CREATED || answer == Answer.REPLACED)) {
          promise(insert.payload().text()).seq = reply.value().get(i).seq();
        }
      }
      return reply;
    }

    @Override
    public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
      long before = storeNow();
      Exchanged reply = store.exchange(settlements, request);
      history(request.queue()).exchanged(settlements, request, reply);
      count(reply.late() ? "exchange late" : request.again() ? "exchange again" : "exchange");
      for (int i = 0; i < settlements.size(); i++) {
        settled(request, settlements.get(i), reply.settled().get(i));
      }
      for (Claimed claim : reply.claims()) {
        check(claim.readyAt() <= before, "due by another clock than the store's, which shows " + before, claim);
        handed(request, claim);
      }
      return reply;
    }

    private void handed(ClaimRequest request, Claimed claim) {
      String node = request.stamp().node();
      Token token = new Token(request.queue(), claim.seq(), claim.token());
      if (!runs.containsKey(token)) {
        Run run = new Run(node, request.queue(), claim, timeline.now());
        runs.put(token, run);
        handed.put(new Handed(node, request.queue(), claim.id(), claim.token(), claim.claimedAt()), run);
        count(claim.grave() ? "claimed grave" : claim.suspect() ? "claimed suspect" : "claimed");
      }
    }

    /** What is settled has come to that end before; only what nobody has begun is given back. */
    private void settled(ClaimRequest request, Settlement settlement, Settled answer) {
      count(settlement.end() + " " + answer.verdict());
      Run run = runs.get(new Token(request.queue(), settlement.seq(), settlement.token()));
      if (run == null) {
        throw new AssertionError("settled, but never handed out: " + settlement);
      }
      boolean begun = run.startedAt >= 0 && !run.givenUp;
      boolean told = settlement.end() == End.RELEASE ? !begun || run.end == End.RELEASE : run.end == settlement.end();
      check(told || run.givenUp, "settled as " + settlement.end() + ", but it did not end so", run);
    }

    @Override
    public Reply<List<Renewed>> renew(List<Held> claims, long leaseMillis) {
      Reply<List<Renewed>> reply = store.renew(claims, leaseMillis);
      claims.stream().map(Held::queue).distinct()
          .forEach(queue -> history(queue).renewed(claims, leaseMillis, reply));
      reply.value().forEach(answer -> count("renew " + answer));
      return reply;
    }

    @Override
    public Reply<List<Optional<Task>>> find(String queue, List<String> ids) {
      Reply<List<Optional<Task>>> reply = store.find(queue, ids);
      history(queue).found(ids, reply);
      return reply;
    }

    @Override
    public Reply<Integer> prune(String queue, int limit) {
      return store.prune(queue, limit);
    }

    @Override
    public QueueStore queues() {
      return new WatchedQueues();
    }

    @Override
    public long now() {
      return store.now();
    }

    @Override
    public void close() {
      store.close();
    }
  }

  private final class WatchedQueues implements QueueStore {

    @Override
    public QueueSettings define(QueueSettings wanted) {
      QueueSettings settings = store.queues().define(wanted);
      History history = histories.computeIfAbsent(wanted.name(), name -> new History(settings.shards()));
      history.limitedTo(settings.maxAttempts());
      return settings;
    }

    @Override
    public QueueSettings update(QueueSettings wanted) {
      QueueSettings settings = store.queues().update(wanted);
      history(wanted.name()).limitedTo(settings.maxAttempts());
      return settings;
    }

    @Override
    public void pause(String name) {
      store.queues().pause(name);
      history(name).paused(true);
      count("queue paused");
    }

    @Override
    public void resume(String name) {
      store.queues().resume(name);
      history(name).paused(false);
    }

    @Override
    public QueuePause pauseOf(String name) {
      return store.queues().pauseOf(name);
    }

    @Override
    public Optional<QueueSettings> find(String name) {
      return store.queues().find(name);
    }
  }

  /** Returns how long ago a moment of the timeline is. */
  Duration since(long moment) {
    return Duration.ofNanos(timeline.now() - moment);
  }
}
