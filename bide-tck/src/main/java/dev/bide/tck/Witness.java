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
import dev.bide.task.Load;
import dev.bide.task.Task;
import dev.bide.task.TaskCounts;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sees everything that happens between the nodes and the store of one world, and holds it against what was promised:
 * the store's answers, by a {@link History} of each queue; what handlers begin and end; what callers were told; what
 * nodes tell their listeners. Whatever may not be is an {@link AssertionError} at the moment it happens.
 *
 * <p>A payload names one schedule call, so that lives of the same id are told apart. Used by one thread.
 */
final class Witness implements TaskListener {
  private static final long MILLI = 1_000_000;

  private final Timeline timeline;
  private final LongSupplier storeClock;
  private final TaskStore store;
  /** Of no queue: it follows the streams, which go to all of them. */
  private final History streams = new History(1);
  private final Map<String, History> histories = new LinkedHashMap<>();
  private final Map<Handed, Run> handed = new HashMap<>();
  private final Map<Told, List<Run>> told = new HashMap<>();
  private final Map<Token, Run> runs = new HashMap<>();
  private final Map<String, Promise> promises = new LinkedHashMap<>();
  /** What callers wanted, by identity: a write is one call of one of them. */
  private final Map<Write, Stamp> done = new IdentityHashMap<>();
  /** By node, the place of the latest promise that is in the store. */
  private final Map<String, Integer> lastDone = new HashMap<>();
  private final Map<String, Long> moved = new HashMap<>();
  /** By node, the suspects that it has been handed and has not settled. */
  private final Map<String, List<Run>> suspects = new HashMap<>();
  private final Map<String, Integer> running = new HashMap<>();
  /** By queue, the least time of a handler before it may be settled for. */
  private final Map<String, Long> limits = new HashMap<>();
  /** The queues whose circuit breaker is open, by node. */
  private final Set<String> open = new HashSet<>();
  private final Set<String> dead = new HashSet<>();
  private final Map<String, Integer> counts = new TreeMap<>();
  private final @Nullable Consumer<String> trace;
  private @Nullable AssertionError broken;

  /** A claim as its holder knows it. */
  private record Handed(String node, String queue, String id, long token, long claimedAt) {}

  /** A claim as a listener is told of it; in several lives of the id it may be the same. */
  private record Told(String node, String queue, String id, long token) {}

  /** One claim as the store knows it. */
  private record Token(String queue, long seq, long token) {}

  /** What became of one claim. */
  private static final class Run {
    final String node;
    final String queue;
    final Claimed claim;
    /** How far the store's clock was ahead of real time when the lease began; the least since. */
    long storeAhead;
    boolean started;
    long startedAt;
    @Nullable
    End end;
    boolean givenUp;
    boolean completionTold;

    Run(String node, String queue, Claimed claim, long storeAhead) {
      this.node = node;
      this.queue = queue;
      this.claim = claim;
      this.storeAhead = storeAhead;
    }

    @Override
    public String toString() {
      return "node=" + node + " queue=" + queue + " task=" + claim.id() + " seq=" + claim.seq() + " token="
          + claim.token() + " attempt=" + claim.attempt() + (started ? " started" : "") + " end=" + end;
    }
  }

  /** What a caller was promised when scheduling: not before {@link #notBefore} by the store's clock. */
  private static final class Promise {
    final int place;
    final String queue;
    final String id;
    long notBefore;
    long seq;
    boolean acknowledged;

    Promise(int place, String queue, String id, long notBefore) {
      this.place = place;
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
   * @param trace takes a line for everything that happens
   */
  Witness(Timeline timeline, TaskStore store, LongSupplier storeClock, @Nullable Consumer<String> trace) {
    this.timeline = timeline;
    this.store = store;
    this.storeClock = storeClock;
    this.trace = trace;
  }

  /** Writes a line into the trace, if there is one. */
  void note(Object... what) {
    if (trace != null && broken == null) {
      String line = Arrays.stream(what).map(String::valueOf).collect(Collectors.joining(" "));
      trace.accept(timeline.now() / MILLI + " ms: " + line);
    }
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

  /** Returns whether the store's clock has run ahead since: a node cannot know then how much of a lease is left. */
  private boolean ranAhead(Run run) {
    return storeAhead() > run.storeAhead + 1;
  }

  private void holdsAnew(@Nullable Run run) {
    if (run != null) {
      run.storeAhead = Math.min(run.storeAhead, storeAhead());
    }
  }

  private long storeAhead() {
    return storeNow() - timeline.now() / MILLI;
  }

  long storeNow() {
    return storeClock.getAsLong();
  }

  // What callers say and hear.

  /** A caller is about to schedule a task with this payload, due not before a moment of the store's clock. */
  void schedules(String payload, String queue, String id, long notBefore) {
    long earliest = Math.min(notBefore, moved.getOrDefault(queue + ' ' + id, Long.MAX_VALUE));
    promises.put(payload, new Promise(promises.size(), queue, id, earliest));
  }

  /** A caller was told that the task with this payload was created. */
  void scheduled(String payload) {
    Promise promise = promise(payload);
    promise.acknowledged = true;
    check(promise.seq != 0, "acknowledged, but not in the store", promise);
  }

  /** A caller is about to move whatever task has this id: those to come too, since the call may be done late. */
  void moves(String queue, String id, long notBefore) {
    moved.merge(queue + ' ' + id, notBefore, Math::min);
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

  /** A handler begins with a claim, or a caller has taken it. */
  void started(String node, Claim<String> claim) {
    long now = storeNow();
    Run run = run(node, claim);
    check(claim.payload().equals(run.claim.payload().text()), "another life of the task was handed out", run);
    check(run.claim.readyAt() <= now, "started early, at " + now, run);
    Promise promise = promise(claim.payload());
    check(promise.notBefore <= now, "started before what its caller was promised, at " + now, promise);
  }

  /** A node has died, and holds nothing any more. */
  void died(String node) {
    dead.add(node);
  }

  /** Nodes end handlers of this queue after {@code timeout}. */
  void limits(String queue, Duration timeout) {
    long nanos = timeout.toNanos();
    // By the clock of a node that may run faster.
    limits.put(queue, nanos - nanos / 5_000);
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
    if (!claim.lost() && !ranAhead(run)) {
      check(history(claim.queue()).owned(run.claim.seq(), claim.token(), storeNow()),
          "believes in a lease that has run out, at " + storeNow(), run);
    }
  }

  /** The work on a claim was broken off from outside. */
  void brokenOff(String node, Claim<String> claim) {
    run(node, claim).givenUp = true;
  }

  private Run run(String node, Claim<String> claim) {
    return known(handed.get(
        new Handed(node, claim.queue(), claim.id(), claim.token(), claim.claimedAt().toEpochMilli())), claim);
  }

  private static Run known(@Nullable Run run, Object claim) {
    if (run == null) {
      throw new AssertionError("never handed out: " + claim);
    }
    return run;
  }

  /** A grave suspect is held alone: one that the node never heard of counts as long as its lease holds. */
  private void joins(Run run) {
    if (dead.contains(run.node)) {
      return;
    }
    List<Run> held = suspects.computeIfAbsent(run.node, node -> new ArrayList<>());
    held.removeIf(
        other -> !other.started && !history(other.queue).owned(other.claim.seq(), other.claim.token(), storeNow()));
    for (Run other : held) {
      check(!run.claim.grave() && !other.claim.grave(), "a grave suspect is not alone: " + other, run);
    }
    held.add(run);
  }

  // What nodes tell.

  /** A listener's own failure would only be logged. */
  @Override
  public void on(TaskEvent event) {
    try {
      told(event);
    } catch (AssertionError e) {
      broken(e);
    }
  }

  private void told(TaskEvent event) {
    count(event.kind().name());
    note(event);
    switch (event.kind()) {
      case STARTED -> starts(latest(event, run -> !run.started, "started what was never handed out, or twice"));
      case COMPLETED -> latest(event,
          run -> !run.completionTold && history(run.queue).end(run.claim.seq()) == TaskState.COMPLETED,
          "told as completed, and is not, or twice").completionTold = true;
      // It may be told twice of one run, and an id that is used again may have two that look the same.
      case STUCK -> find(event, run -> run.started && !run.givenUp)
          .orElseGet(() -> latest(event, run -> run.started, "stuck, but not started")).givenUp = true;
      case BREAKER_OPENED -> open.add(event.node() + ' ' + event.queue());
      case BREAKER_PROBING -> open.remove(event.node() + ' ' + event.queue());
      default -> {
      }
    }
  }

  /** Returns the latest of the claims that an event may mean. */
  private Run latest(TaskEvent event, Predicate<Run> meant, String wrong) {
    return find(event, meant).orElseThrow(() -> new AssertionError(wrong + ": " + event));
  }

  private Optional<Run> find(TaskEvent event, Predicate<Run> meant) {
    List<Run> all = told.getOrDefault(new Told(event.node(), event.queue(), event.task(), event.token()), List.of());
    for (int i = all.size() - 1; i >= 0; i--) {
      if (meant.test(all.get(i))) {
        return Optional.of(all.get(i));
      }
    }
    return Optional.empty();
  }

  private void starts(Run run) {
    run.started = true;
    run.startedAt = timeline.now();
    check(!open.contains(run.node + ' ' + run.queue), "started while the circuit breaker is open", run);
    boolean owned = history(run.queue).owned(run.claim.seq(), run.claim.token(), storeNow());
    check(owned || ranAhead(run), "started by a node that does not own it, at " + storeNow(), run);
  }

  // The end.

  /** Returns whether every task has come to its end. */
  boolean over() {
    return histories.values().stream().allMatch(history -> history.live().isEmpty());
  }

  /** Returns the ids of the tasks of a queue that have not ended. */
  List<String> live(String queue) {
    return history(queue).live();
  }

  /** Returns the tasks that have not ended, by queue. */
  Map<String, List<String>> live() {
    Map<String, List<String>> live = new TreeMap<>();
    histories.forEach((queue, history) -> live.put(queue, history.live()));
    return live;
  }

  /** Returns how a task stands, by the store itself. */
  Optional<Task> find(String queue, String id) {
    return store.find(queue, List.of(id)).value().get(0);
  }

  /** Returns how late the task with this payload was first handed out; empty if it was not. */
  OptionalLong latenessMillis(String payload) {
    return runs.values().stream().filter(run -> run.claim.payload().text().equals(payload))
        .mapToLong(run -> run.claim.claimedAt() - run.claim.readyAt()).min();
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

  /** Remembers what was broken where whoever calls keeps it to himself: the first of it is what matters. */
  void broken(AssertionError e) {
    broken = broken == null ? e : broken;
  }

  private AssertionError broke(AssertionError e) {
    broken(e);
    return e;
  }

  /** Throws what was broken, if anything was. */
  void rethrow() {
    if (broken != null) {
      throw broken;
    }
  }

  /** The store, each call of which is written into the history. */
  private final class Watched implements TaskStore {

    @Override
    public Reply<List<Written>> write(List<Write> writes, Stamp stamp) {
      Reply<List<Written>> reply = accepted(writes, stamp);
      note(stamp, writes, "->", reply);
      if (!reply.late()) {
        writes.forEach(write -> done(write, stamp));
        count(writes.size() > 1 ? "write shared" : "write");
      }
      boolean done = streams.done(stamp, reply);
      for (int i = 0; i < writes.size() && done; i++) {
        history(writes.get(i).queue()).written(writes.get(i), reply.value().get(i), reply.now());
      }
      for (int i = 0; i < writes.size() && !reply.late(); i++) {
        Answer answer = reply.value().get(i).answer();
        count(writes.get(i).getClass().getSimpleName() + ' ' + answer);
        if (writes.get(i) instanceof Write.Insert insert && (answer == Answer.CREATED || answer == Answer.REPLACED)) {
          promise(insert.payload().text()).seq = reply.value().get(i).seq();
        }
      }
      return reply;
    }

    private Reply<List<Written>> accepted(List<Write> writes, Stamp stamp) {
      try {
        return store.write(writes, stamp);
      } catch (IllegalArgumentException e) {
        throw broke(new AssertionError("sent what a store must refuse: " + writes, e));
      }
    }

    /** What a caller wanted once is done once, and after what was wanted before it on the same node. */
    private void done(Write write, Stamp stamp) {
      Stamp first = done.putIfAbsent(write, stamp);
      check(first == null || first.number() == stamp.number(), "done under two stamps, " + first + " and " + stamp,
          write);
      if (first == null && write instanceof Write.Insert insert) {
        int place = promise(insert.payload().text()).place;
        Integer last = lastDone.put(stamp.node(), place);
        check(last == null || last < place, "done after what was wanted later", write);
      }
    }

    @Override
    public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
      long before = storeNow();
      Exchanged reply = store.exchange(settlements, request);
      note(request, settlements, "->", reply);
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
      holdsAnew(runs.get(token));
      if (!runs.containsKey(token)) {
        Run run = new Run(node, request.queue(), claim, storeAhead());
        runs.put(token, run);
        handed.put(new Handed(node, request.queue(), claim.id(), claim.token(), claim.claimedAt()), run);
        told.computeIfAbsent(new Told(node, request.queue(), claim.id(), claim.token()), key -> new ArrayList<>())
            .add(run);
        if (claim.suspect()) {
          joins(run);
        }
        count(claim.grave() ? "claimed grave" : claim.suspect() ? "claimed suspect" : "claimed");
      }
    }

    /**
     * What is settled has come to that end before, or was broken off; only what nobody has begun is given back.
     */
    private void settled(ClaimRequest request, Settlement settlement, Settled answer) {
      count(settlement.end() + " " + answer.verdict());
      Run run = runs.get(new Token(request.queue(), settlement.seq(), settlement.token()));
      if (run == null) {
        throw new AssertionError("settled, but never handed out: " + settlement);
      }
      suspects.getOrDefault(run.node, new ArrayList<>()).remove(run);
      boolean begun = run.started && !run.givenUp;
      boolean told = settlement.end() == End.RELEASE ? !begun || run.end == End.RELEASE : run.end == settlement.end();
      boolean late = settlement.end() == End.RETRY && run.started
          && timeline.now() - run.startedAt >= limits.getOrDefault(run.queue, Long.MAX_VALUE);
      boolean brokenOff = run.givenUp && (settlement.end() == End.RETRY || settlement.end() == End.RELEASE);
      check(told || late || brokenOff, "settled as " + settlement.end() + ", but it did not end so", run);
    }

    @Override
    public Reply<List<Renewed>> renew(List<Held> claims, long leaseMillis) {
      Reply<List<Renewed>> reply = store.renew(claims, leaseMillis);
      note("renew", claims, "->", reply);
      claims.stream().map(Held::queue).distinct()
          .forEach(queue -> history(queue).renewed(claims, leaseMillis, reply));
      reply.value().forEach(answer -> count("renew " + answer));
      claims.forEach(claim -> holdsAnew(runs.get(new Token(claim.queue(), claim.seq(), claim.token()))));
      return reply;
    }

    @Override
    public Reply<List<Optional<Task>>> find(String queue, List<String> ids) {
      Reply<List<Optional<Task>>> reply = store.find(queue, ids);
      history(queue).found(ids, reply);
      return reply;
    }

    @Override
    public Reply<TaskPage> list(String queue, TaskQuery query, int limit, String cursor) {
      return store.list(queue, query, limit, cursor);
    }

    @Override
    public Reply<List<String>> ids(String queue, String after, int limit) {
      return store.ids(queue, after, limit);
    }

    @Override
    public Reply<List<TaskCounts>> counts(List<String> queues) {
      return store.counts(queues);
    }

    @Override
    public Reply<Load> load(String queue, long from, long widthMillis, int buckets) {
      return store.load(queue, from, widthMillis, buckets);
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
    public List<String> names() {
      return store.queues().names();
    }

    @Override
    public Optional<QueueSettings> find(String name) {
      return store.queues().find(name);
    }
  }
}
