package dev.bide.tck;

import dev.bide.Bide;
import dev.bide.Claim;
import dev.bide.Entry;
import dev.bide.Outcome;
import dev.bide.QueueSpec;
import dev.bide.Retry;
import dev.bide.Scheduled;
import dev.bide.TaskQueue;
import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.End;
import dev.bide.spi.SteadyClock;
import dev.bide.spi.StoreException;
import dev.bide.spi.TaskStore;
import dev.bide.task.Answer;
import dev.bide.task.OnExisting;
import dev.bide.task.PauseMode;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Plays a world out of a seed: several nodes, the real ones, on one store, all on one thread and in virtual time, with
 * everything that can go wrong between them, and a {@link Witness} of it. A storm first; then calm, in which all that
 * was promised must come to its end; then trials of what must hold on a calm day.
 *
 * <p>The same seed plays the same world. One object plays one world; different ones share nothing.
 *
 * <pre>{@code
 * Simulation.of(42).run();
 * }</pre>
 */
public final class Simulation {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final long STORM = 6 * SECOND;
  /** Longer than any call of the storm is under way. */
  private static final long CALLS_UNDER_WAY = 12 * SECOND;
  /** After the storm all tasks have ended by then, the ones that kill included. */
  private static final long LONGEST_CALM = 120 * SECOND;
  private static final long WALL = Instant.parse("2030-01-01T00:00:00Z").toEpochMilli();
  /** Clients that wait for an answer, on the stack of one thread. */
  private static final int MOST_WAITING = 4;
  private static final int TRACED = Integer.getInteger("bide.trace", 60);

  private final long seed;
  private Function<LongSupplier, TaskStore> stores = MemoryTaskStore::on;

  private Simulation(long seed) {
    this.seed = seed;
  }

  /** The world of a seed, on the store in memory. */
  public static Simulation of(long seed) {
    return new Simulation(seed);
  }

  /** The same on another store: one that is new, empty and takes its time from the clock it is given. */
  public Simulation on(Function<LongSupplier, TaskStore> stores) {
    this.stores = stores;
    return this;
  }

  /**
   * Plays it.
   *
   * @return how often what happened, in words of its own
   * @throws AssertionError naming the seed, what was broken, and the last of what happened before: 60 lines, or as many
   * as the system property {@code bide.trace} says
   */
  public Map<String, Integer> run() {
    try {
      return new World(null).play();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage() + "\n" + trace(), e);
    }
  }

  private String trace() {
    Deque<String> lines = new ArrayDeque<>();
    try {
      new World(line -> {
        lines.add(line);
        if (lines.size() > TRACED) {
          lines.remove();
        }
      }).play();
      return "and not when it was played again";
    } catch (AssertionError | RuntimeException e) {
      return String.join("\n", lines);
    }
  }

  /** What a handler makes of a task. */
  private enum Turn {
    DONE, SKIP, RETRY, FAIL, THROW, THROW_LATER, HANG, DIE
  }

  /** A call to schedule a task with this payload. */
  private record Scheduling(String payload, Entry<String> entry) {}

  private final class World {
    final SplittableRandom random = new SplittableRandom(seed);
    final Timeline timeline = new Timeline();
    final Weather weather = new Weather(random.split());
    final LongSupplier clock;
    final Witness witness;
    final List<QueueSpec<String>> specs = new ArrayList<>();
    /** The same queues as nodes of the storm run them. */
    final List<QueueSpec<String>> stormy = new ArrayList<>();
    final Map<String, Integer> handlers = new LinkedHashMap<>();
    final Map<String, Long> durations = new LinkedHashMap<>();
    final List<Member> members = new ArrayList<>();
    final Set<String> killers = new HashSet<>();
    /** Nothing goes wrong but tasks that kill their node. */
    final boolean gentle = random.nextInt(8) == 0;
    final boolean mishapsOfNodes = !gentle && random.nextBoolean();
    final boolean mishapsOfClocks = !gentle && random.nextInt(3) == 0;
    final boolean mishapsOfHandlers = !gentle && random.nextInt(4) > 0;
    final int ids = random.nextInt(4, 40);
    long wallStep;
    long highestStep;
    boolean storm = true;
    int waiting;
    int started;
    int scheduled;

    World(@Nullable Consumer<String> trace) {
      LongSupplier wall = () -> WALL + timeline.now() / MILLI + wallStep;
      clock = random.nextBoolean() ? new SteadyClock(wall, timeline::now, alarm -> {}) : authority(wall);
      witness = new Witness(timeline, stores.apply(clock), clock, trace);
      for (String name : random.nextBoolean() ? List.of("a") : List.of("a", "b")) {
        specs.add(spec(name));
      }
      specs.forEach(spec -> stormy.add(gentle ? spec : stormy(spec)));
      if (gentle) {
        weather.calm();
      }
    }

    /** A clock that is followed at once when it is set forward, and stands when it is set back. */
    LongSupplier authority(LongSupplier wall) {
      long[] last = {0};
      return () -> {
        last[0] = Math.max(last[0], wall.getAsLong());
        return last[0];
      };
    }

    QueueSpec<String> spec(String name) {
      int most = random.nextInt(1, 4);
      handlers.put(name, most);
      return QueueSpec.of(name, String.class).handlers(most).prefetch(random.nextInt(3)).shards(random.nextInt(1, 3))
          .lease(Duration.ofMillis(500L << random.nextInt(3)))
          .retry(Retry.fixed(Duration.ofMillis(random.nextInt(200))).attempts(random.nextInt(2, 6)));
    }

    QueueSpec<String> stormy(QueueSpec<String> spec) {
      QueueSpec<String> stormy = spec;
      if (random.nextInt(3) == 0) {
        Duration timeout = Duration.ofMillis(random.nextInt(100, 1_500));
        witness.limits(spec.name(), timeout);
        stormy = stormy.handlerTimeout(timeout);
      }
      return random.nextInt(3) == 0
          ? stormy.circuitBreaker(random.nextInt(1, 4), Duration.ofMillis(random.nextInt(50, 2_000)))
          : stormy;
    }

    Map<String, Integer> play() {
      for (int i = random.nextInt(1, 4); i > 0; i--) {
        members.add(new Member(Duration.ofSeconds(2), stormy));
      }
      plan();
      pass(STORM);
      calm();
      if (gentle) {
        checkMates();
      }
      trials();
      witness.checkEnd();
      return witness.counts();
    }

    /** Lets time pass; whatever was broken meanwhile ends it. */
    void pass(long nanos) {
      timeline.runUntil(timeline.after(nanos));
      witness.rethrow();
    }

    /** Sets the moments at which something is done to the world. */
    void plan() {
      int calls = random.nextInt(10, 80);
      for (int i = 0; i < calls; i++) {
        timeline.at(random.nextLong(STORM), this::somebodyCalls);
      }
      for (int i = random.nextInt(6); i > 0; i--) {
        timeline.at(random.nextLong(STORM), this::somethingHappens);
      }
      for (long moment = SECOND / 2; moment < STORM; moment += SECOND / 2) {
        timeline.at(moment, this::replaceTheDead);
      }
    }

    Member anyMember() {
      return members.get(random.nextInt(members.size()));
    }

    void somebodyCalls() {
      anyMember().somebodyCalls();
    }

    void somethingHappens() {
      Member member = anyMember();
      switch (random.nextInt(5)) {
        case 0 -> {
          if (mishapsOfNodes) {
            witness.note("node dies:", member.name());
            witness.count("node died");
            member.dies();
          }
        }
        case 1 -> {
          if (mishapsOfNodes) {
            witness.note("node stands still:", member.name());
            witness.count("node stood still");
            member.driver.stand(random.nextLong(6 * SECOND));
          }
        }
        case 2 -> {
          if (mishapsOfNodes) {
            member.closes();
          }
        }
        default -> {
          if (mishapsOfClocks) {
            stepClock();
          }
        }
      }
    }

    void stepClock() {
      long step = random.nextLong(-20_000, 20_000);
      witness.note("the wall clock is stepped by", step, "ms");
      witness.count(step < 0 ? "clock stepped back" : "clock stepped forward");
      wallStep += step;
      highestStep = Math.max(highestStep, wallStep);
    }

    void replaceTheDead() {
      for (int i = 0; i < members.size(); i++) {
        if (members.get(i).driver.dead() || members.get(i).closed) {
          members.set(i, new Member(Duration.ofSeconds(2), stormy));
        }
      }
    }

    /** The storm is over: everything is let go on, until every task has come to its end. */
    void calm() {
      storm = false;
      weather.calm();
      // A clock that was set back would stand still until it has caught up.
      wallStep = highestStep;
      // What hangs, or was forgotten, keeps its node from ever being idle.
      members.stream().filter(member -> member.hangs || !gentle && random.nextBoolean()).forEach(Member::dies);
      members.removeIf(member -> member.driver.dead());
      members.add(new Member(Duration.ofSeconds(30), stormy));
      members.forEach(member -> member.driver.calm());
      long began = timeline.now();
      while (timeline.now() < began + CALLS_UNDER_WAY || !witness.over()) {
        if (timeline.now() > began + LONGEST_CALM) {
          throw new AssertionError("not ended " + LONGEST_CALM / SECOND + " s after the storm: " + witness.live());
        }
        replaceTheDead();
        members.forEach(member -> member.driver.calm());
        if (!witness.over()) {
          anyMember().resumesAll();
        }
        pass(SECOND);
      }
    }

    /** Where nothing else goes wrong, a task that kills takes no other with it. */
    void checkMates() {
      for (QueueSpec<String> spec : specs) {
        for (int i = 0; i < ids; i++) {
          witness.find(spec.name(), "t" + i).filter(task -> task.state() == TaskState.FAILED)
              .filter(task -> !killers.contains(task.payload().text())).ifPresent(task -> {
                throw new AssertionError("a mate of one that kills was given up: " + task);
              });
        }
      }
    }

    /** What must hold when nothing goes wrong. */
    void trials() {
      members.forEach(Member::dies);
      members.clear();
      Member owner = new Member(Duration.ofSeconds(30), specs);
      Member producer = new Member(Duration.ofSeconds(30), specs);
      producer.consumes = false;
      members.addAll(List.of(owner, producer));
      members.forEach(member -> member.driver.calm());
      pass(SECOND / 2);
      owner.resumesAll();
      pass(2 * SECOND);
      String own = owner.trial(30, 0);
      pass(SECOND / 5);
      checkLateness("an own task did not wake the sleeper", own, 60);
      pass(SECOND);
      String foreign = producer.trial(30, 0);
      pass(2 * SECOND);
      checkLateness("a task of another node was found too late", foreign, 1_020);
      shutdown(owner);
    }

    void checkLateness(String wrong, String payload, long mostMillis) {
      OptionalLong lateness = witness.latenessMillis(payload);
      if (lateness.isEmpty() || lateness.getAsLong() > mostMillis) {
        throw new AssertionError(wrong + ": " + lateness + " ms late: " + payload);
      }
    }

    /** A node that is closed goes on renewing while its handlers run, and gives back what they have not begun. */
    void shutdown(Member owner) {
      Member other = new Member(Duration.ofSeconds(30), specs);
      members.add(other);
      other.driver.calm();
      QueueSpec<String> spec = specs.get(0);
      List<String> trials = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        trials.add(owner.trial(0, 3_000 * MILLI));
      }
      pass(SECOND / 10);
      owner.closes();
      for (int i = 0; i < 60 && !(owner.closed && witness.over()); i++) {
        pass(SECOND / 2);
      }
      for (String trial : trials) {
        Task task = witness.find(spec.name(), trial).orElseThrow();
        if (task.state() != TaskState.COMPLETED || task.lapses() > 0 || task.attempt() != 1) {
          throw new AssertionError("a shutdown cost a lease or an attempt: " + task);
        }
      }
      other.closes();
      pass(2 * SECOND);
      if (!owner.closed || !other.closed) {
        throw new AssertionError("a node that has nothing to do is not closed in time");
      }
    }

    /** A node of this world, and those who call it. */
    private final class Member {
      final int number = started++;
      final SimulatedNode driver = new SimulatedNode(timeline, witness.store(), weather, random.split());
      final Map<String, TaskQueue<String>> queues = new LinkedHashMap<>();
      final Duration shutdownLimit;
      final List<QueueSpec<String>> its;
      boolean consumes = true;
      @Nullable
      Bide bide;
      boolean hangs;
      boolean closing;
      boolean closed;

      Member(Duration shutdownLimit, List<QueueSpec<String>> its) {
        this.shutdownLimit = shutdownLimit;
        this.its = its;
        if (gentle) {
          driver.calm();
        }
        act(this::start);
      }

      String name() {
        return bide == null ? "n" + number : bide.node();
      }

      /** Has something done on this node by somebody who may have to wait for it. */
      void act(Runnable action) {
        driver.in(0, () -> {
          waiting++;
          try {
            action.run();
          } catch (StoreException e) {
            witness.count("call gave up");
          } catch (IllegalStateException e) {
            if (!closing) {
              witness.broken(new AssertionError(e));
            }
          } catch (AssertionError e) {
            witness.broken(e);
          } finally {
            waiting--;
          }
        });
      }

      void dies() {
        driver.die();
        witness.died(name());
      }

      void start() {
        Bide fresh = Bide.on(driver.line()).shared().driver(driver).name("n" + number).shutdownLimit(shutdownLimit)
            .listener(witness).start();
        bide = fresh;
        for (QueueSpec<String> spec : its) {
          TaskQueue<String> queue = fresh.queue(spec);
          if (consumes) {
            queue.handleAsync(this::handle);
          }
          queues.put(spec.name(), queue);
        }
      }

      void closes() {
        act(() -> {
          if (bide != null && !closing) {
            witness.note("node is closed:", name());
            witness.count("node closed");
            closing = true;
            bide.close();
            closed = true;
          }
        });
      }

      /** Somebody calls, unless the node is not ready or too many wait already. */
      void somebodyCalls() {
        act(() -> {
          if (!closing && !queues.isEmpty() && waiting <= MOST_WAITING) {
            List<TaskQueue<String>> all = List.copyOf(queues.values());
            call(all.get(random.nextInt(all.size())), "t" + random.nextInt(ids));
          }
        });
      }

      void call(TaskQueue<String> queue, String id) {
        switch (random.nextInt(24)) {
          case 0, 1, 2, 3 -> schedule(queue, id);
          case 4, 5, 6, 7, 8 -> scheduleSome(queue);
          case 9, 10, 11, 12 -> queue.cancel(id);
          case 13, 14 -> move(queue, id);
          case 15 -> queue.extend(id, millis(800));
          case 16 -> queue.pause(id, PauseMode.values()[random.nextInt(2)]);
          case 17 -> queue.resume(id);
          case 18 -> {
            witness.moves(queue.name(), id, 0);
            queue.revive(id);
          }
          case 19 -> queue.inspect(id);
          case 20 -> {
            if (random.nextInt(3) == 0) {
              queue.pause();
            } else {
              queue.resume();
            }
          }
          case 21 -> queue.credit(random.nextInt(5));
          default -> take(queue);
        }
      }

      Duration millis(int most) {
        return Duration.ofMillis(random.nextInt(most));
      }

      void schedule(TaskQueue<String> queue, String id) {
        Scheduling scheduling = scheduling(queue, id);
        told(scheduling, queue.schedule(scheduling.entry));
      }

      /** Several calls, most of which come while one before them is under way; some of them are to one task. */
      void scheduleSome(TaskQueue<String> queue) {
        for (int i = random.nextInt(1, 5); i > 0; i--) {
          Scheduling scheduling = scheduling(queue, "t" + random.nextInt(ids));
          var unused = queue.scheduleAsync(scheduling.entry).whenComplete((answer, failure) -> {
            if (failure == null) {
              told(scheduling, answer);
            } else {
              witness.count("call gave up");
            }
          });
        }
      }

      void told(Scheduling scheduling, Scheduled scheduled) {
        if (scheduled.answer() == Answer.CREATED || scheduled.answer() == Answer.REPLACED) {
          try {
            witness.scheduled(scheduling.payload);
          } catch (AssertionError e) {
            witness.broken(e);
          }
        }
      }

      Scheduling scheduling(TaskQueue<String> queue, String id) {
        String payload = "p" + scheduled++;
        // Two that kill can spend what attempts their mates have.
        if (random.nextInt(30) == 0 && (killers.isEmpty() || !gentle)) {
          killers.add(payload);
        }
        Duration delay = millis(random.nextBoolean() ? 50 : 2_000);
        OnExisting onExisting = OnExisting.values()[random.nextInt(OnExisting.values().length)];
        boolean absolute = random.nextInt(4) == 0;
        long due = witness.storeNow() + delay.toMillis() - (absolute ? 500 : 0);
        When when = absolute ? When.at(Instant.ofEpochMilli(due)) : When.in(delay);
        witness.schedules(payload, queue.name(), id, due);
        return new Scheduling(payload, Entry.of(id, payload, when).onExisting(onExisting));
      }

      /** Schedules a task for a trial, its id the payload; the handler takes {@code nanos}. */
      String trial(long delayMillis, long nanos) {
        String payload = "trial-" + scheduled++;
        durations.put(payload, nanos);
        act(() -> {
          TaskQueue<String> queue = queues.values().iterator().next();
          witness.schedules(payload, specs.get(0).name(), payload, witness.storeNow() + delayMillis);
          queue.schedule(payload, payload, When.in(Duration.ofMillis(delayMillis)));
          witness.scheduled(payload);
        });
        return payload;
      }

      void move(TaskQueue<String> queue, String id) {
        Duration delay = millis(1_500);
        witness.moves(queue.name(), id, witness.storeNow() + delay.toMillis());
        queue.move(id, random.nextInt(3) == 0 ? When.in(delay).onlyLater() : When.in(delay));
      }

      void resumesAll() {
        act(() -> {
          for (TaskQueue<String> queue : queues.values()) {
            queue.resume();
            queue.credit(8);
            witness.live(queue.name()).forEach(queue::resume);
          }
        });
      }

      void take(TaskQueue<String> queue) {
        String node = name();
        for (Claim<String> claim : queue.take(random.nextInt(1, 4), millis(600))) {
          witness.started(node, claim);
          if (storm && !gentle && random.nextInt(20) == 0) {
            hangs = true;
          } else {
            driver.in(random.nextLong(1_500 * MILLI), () -> settle(node, claim));
          }
        }
      }

      void settle(String node, Claim<String> claim) {
        if (closing) {
          return;
        }
        try {
          if (random.nextInt(5) == 0 && !gentle) {
            witness.ended(node, claim, End.RELEASE);
            claim.close();
          } else {
            End end = random.nextInt(4) == 0 && !gentle ? End.RETRY : End.COMPLETE;
            witness.ended(node, claim, end);
            claim.settleAsync(end == End.RETRY ? Outcome.retryIn(millis(300)) : Outcome.done());
          }
        } catch (AssertionError e) {
          witness.broken(e);
        }
      }

      CompletionStage<Outcome> handle(Claim<String> claim) {
        try {
          return handleWatched(claim);
        } catch (AssertionError e) {
          witness.broken(e);
          throw e;
        }
      }

      CompletionStage<Outcome> handleWatched(Claim<String> claim) {
        String node = name();
        witness.started(node, claim);
        Turn turn = turn(claim.payload());
        if (turn == Turn.DIE) {
          witness.note("handler kills node:", node, claim);
          witness.count("handler killed its node");
          dies();
          throw new SimulatedNode.Died();
        }
        witness.entered(node, claim.queue(), handlers.getOrDefault(claim.queue(), 0));
        if (turn == Turn.THROW) {
          witness.ended(node, claim, End.RETRY);
          witness.left(node, claim.queue());
          throw new IllegalStateException("for a test");
        }
        CompletableFuture<Outcome> stage = new CompletableFuture<>();
        var unused = stage.whenComplete((outcome, broken) -> {
          witness.left(node, claim.queue());
          if (stage.isCancelled()) {
            witness.brokenOff(node, claim);
          }
        });
        if (turn == Turn.HANG) {
          hangs = true;
          witness.count("handler hangs");
        } else {
          driver.in(durationNanos(claim.payload()), () -> end(node, claim, turn, stage));
        }
        // One that cannot be cancelled from outside.
        return storm && random.nextInt(4) == 0 ? stage.minimalCompletionStage() : stage;
      }

      void end(String node, Claim<String> claim, Turn turn, CompletableFuture<Outcome> stage) {
        if (stage.isDone()) {
          return;
        }
        try {
          witness.ended(node, claim, turn == Turn.FAIL
              ? End.FAIL
              : turn == Turn.RETRY || turn == Turn.THROW_LATER ? End.RETRY : End.COMPLETE);
        } catch (AssertionError e) {
          witness.broken(e);
        }
        switch (turn) {
          case SKIP -> stage.complete(Outcome.skip("for a test"));
          case RETRY -> stage.complete(Outcome.retryIn(millis(300)));
          case FAIL -> stage.complete(Outcome.fail("for a test"));
          case THROW_LATER -> stage.completeExceptionally(new IllegalStateException("for a test"));
          default -> stage.complete(Outcome.done());
        }
      }

      Turn turn(String payload) {
        if (killers.contains(payload)) {
          return Turn.DIE;
        }
        if (!storm || !mishapsOfHandlers || random.nextBoolean()) {
          return Turn.DONE;
        }
        Turn turn = Turn.values()[random.nextInt(Turn.values().length)];
        return (turn == Turn.DIE || turn == Turn.HANG) && random.nextInt(4) > 0 ? Turn.DONE : turn;
      }

      long durationNanos(String payload) {
        Long fixed = durations.get(payload);
        if (fixed != null) {
          return fixed;
        }
        return storm && !gentle && random.nextInt(6) == 0
            ? random.nextLong(5 * SECOND)
            : random.nextLong(20 * MILLI);
      }
    }
  }
}
