package dev.bide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.SteppedNode.Asked;
import dev.bide.SteppedNode.Pulling;
import dev.bide.SteppedNode.World;
import dev.bide.spi.StoreException;
import dev.bide.spi.Write;
import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.PauseMode;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Several nodes on one store, and everything happens in any order: turns, replies late, lost or never sent, handlers
 * that succeed, fail, break down and run too long, callers who insert, cancel, move, pause, take and settle, nodes that
 * stand still, stop and die. Whatever happens, a task is started by its valid owner only, never early, never after a
 * cancel, never beyond its attempts; and when the storm is over all comes to an end and nothing is left in any node. A
 * failure names its seed; {@code -Dbide.seed=…} runs that one alone.
 */
class EngineWalkTest {
  private static final StoreException PASSING = StoreException.passing("away", null);
  private static final Duration PAUSE = Duration.ofMillis(150);
  private static final int ATTEMPTS = 4;
  private static final List<String> QUEUES = List.of("a", "b");

  static List<Long> seeds() {
    Long only = Long.getLong("bide.seed");
    int seeds = Boolean.getBoolean("bide.long") ? 5_000 : 60;
    return only != null ? List.of(only) : new Random().longs(Integer.getInteger("bide.seeds", seeds)).boxed().toList();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whateverHappensTheEngineKeepsItsPromises(long seed) {
    Walk walk = new Walk(new Random(seed));
    for (int step = 0; step < 600; step++) {
      walk.step();
    }
    walk.calm();
  }

  private static final class Walk {
    final Random random;
    final World world = new World();
    final List<Member> members = new ArrayList<>();
    final Map<String, String> queueOf = new HashMap<>();
    final Set<String> cancelled = new HashSet<>();
    final Map<String, Integer> ends = new HashMap<>();
    boolean storm = true;
    int started;

    Walk(Random random) {
      this.random = random;
      for (int i = 0; i < 3; i++) {
        members.add(new Member());
      }
    }

    /** A node with what it has under way. */
    final class Member {
      final SteppedNode node = new SteppedNode(world, "n" + started++);
      final List<SteppedNode.Queue> queues = new ArrayList<>();
      final Map<Asked<?>, Runnable> performed = new HashMap<>();
      final List<HeldClaim> taken = new ArrayList<>();
      /** Of handlers that have not told their outcome yet. */
      final List<CompletableFuture<Outcome>> stages = new ArrayList<>();
      boolean stopping;

      Member() {
        for (String name : QUEUES) {
          QueueSpec<String> spec = QueueSpec.of(name, String.class).handlers(2).prefetch(name.equals("b") ? 2 : 0)
              .lease(Duration.ofSeconds(1)).retry(Retry.fixed(Duration.ofMillis(30)).attempts(ATTEMPTS));
          queues.add(name.equals("b")
              ? node.queue(spec.handlerTimeout(Duration.ofMillis(500)).circuitBreaker(4, PAUSE))
                  .handleAsync(this::handleAsync)
              : node.queue(spec).handle(this::handle));
        }
      }

      CompletionStage<Outcome> handleAsync(Claim<String> claim) {
        Outcome outcome = handle(claim);
        boolean deaf = random.nextInt(3) == 0;
        CompletableFuture<Outcome> stage = new CompletableFuture<>() {
          @Override
          public boolean cancel(boolean mayInterrupt) {
            return !deaf && super.cancel(mayInterrupt);
          }
        };
        if (!storm || random.nextInt(4) == 0) {
          stage.complete(outcome);
        } else {
          stages.add(stage);
        }
        return stage;
      }

      void completeOne() {
        if (!stages.isEmpty()) {
          CompletableFuture<Outcome> stage = stages.remove(random.nextInt(stages.size()));
          if (storm && random.nextInt(3) == 0) {
            stage.completeExceptionally(new IllegalStateException("for a test"));
          } else {
            stage.complete(Outcome.done());
          }
        }
      }

      Outcome handle(Claim<String> claim) {
        checkOwner(claim.id(), claim.token(), claim.attempt(), node);
        checkBreaker(claim.queue());
        if (!storm) {
          return Outcome.done();
        }
        switch (random.nextInt(8)) {
          case 0 -> throw new IllegalStateException("for a test");
          case 1 -> throw new AssertionError("for a test");
          case 2 -> {
            return Outcome.fail("for a test");
          }
          case 3, 4 -> {
            return Outcome.retryIn(Duration.ofMillis(random.nextInt(200)));
          }
          default -> {
            return Outcome.done();
          }
        }
      }

      void checkBreaker(String queue) {
        CircuitBreaker breaker = queues.get(QUEUES.indexOf(queue)).dispatcher.breaker();
        assertNotEquals(CircuitBreaker.State.OPEN, breaker.state(), "started while the breaker is open");
      }

      SteppedNode.Queue queue() {
        return queues.get(random.nextInt(queues.size()));
      }

      Optional<Asked<?>> pending() {
        List<Asked<?>> all = new ArrayList<>(node.asked);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
      }

      /** Has the store do it once; returns what brings its answer in. */
      Runnable perform(Asked<?> asked) {
        return performed.computeIfAbsent(asked, Member::answer);
      }

      static <R> Runnable answer(Asked<R> asked) {
        try {
          R reply = asked.perform();
          return () -> asked.arrive(reply);
        } catch (RuntimeException e) {
          return () -> asked.fail(e);
        }
      }

      void arrive(Asked<?> asked) {
        perform(asked).run();
        performed.remove(asked);
      }

      void fail(Asked<?> asked) {
        performed.remove(asked);
        asked.fail(random.nextInt(5) == 0 ? new IllegalStateException("for a test") : PASSING);
      }

      void pull() {
        Pulling pulling = queue().pull(1 + random.nextInt(4), Duration.ofMillis(random.nextInt(400)));
        var unused = pulling.taken.thenAccept(claims -> {
          claims.forEach(claim -> checkOwner(claim.task.id(), claim.task.token(), claim.task.attempt(), node));
          claims.forEach(claim -> checkBreaker(claim.queue));
          taken.addAll(claims);
        });
      }

      void settleOne() {
        if (!taken.isEmpty()) {
          HeldClaim claim = taken.remove(random.nextInt(taken.size()));
          Outcome outcome = random.nextInt(3) == 0 ? Outcome.release() : Outcome.retryIn(Duration.ofMillis(5));
          queues.get(QUEUES.indexOf(claim.queue)).settle(claim, storm ? outcome : Outcome.done());
        }
      }

      void runOneHandler() {
        List<Runnable> waiting = new ArrayList<>(node.handlers);
        if (!waiting.isEmpty()) {
          Runnable handler = waiting.get(random.nextInt(waiting.size()));
          node.handlers.remove(handler);
          handler.run();
        }
      }

      boolean idle() {
        return queues.stream().allMatch(queue -> queue.dispatcher.idle());
      }
    }

    /** The node has just checked its own lease, so the store must agree: time has not moved since. */
    void checkOwner(String id, long token, int attempt, SteppedNode node) {
      assertFalse(cancelled.contains(id), "started after it was cancelled: " + id);
      Task task = world.task(queueOf.getOrDefault(id, ""), id);
      assertEquals(TaskState.PROCESSING, task.state(), "started without a claim: " + task);
      assertEquals(Optional.of(node.node.name()), task.node(), "started by another: " + task);
      assertFalse(task.lapsed(), "started after the end of the lease: " + task);
      assertEquals(attempt, task.attempt(), "started under an old claim: " + task);
      assertTrue(token > 0 && attempt <= ATTEMPTS, "attempts: " + task);
      assertFalse(task.dueAt().isAfter(task.seenAt()), "started early: " + task);
    }

    void step() {
      Member member = members.get(random.nextInt(members.size()));
      switch (random.nextInt(20)) {
        case 0, 1, 2, 3 -> member.node.turn();
        case 4, 5 -> member.pending().ifPresent(member::perform);
        case 6, 7, 8 -> member.pending().ifPresent(member::arrive);
        case 9 -> member.pending().ifPresent(member::fail);
        case 10 -> member.runOneHandler();
        case 11 -> {
          member.runOneHandler();
          member.completeOne();
        }
        case 12, 13 -> insert(member);
        case 14 -> change();
        case 15 -> member.pull();
        case 16 -> member.settleOne();
        case 17, 18 -> world.pass(Duration.ofMillis(random.nextInt(100)));
        default -> rarely(member);
      }
      // One that was stopped leaves when it is done, and another comes.
      members.replaceAll(each -> each.stopping && each.idle() ? left(each) : each);
    }

    void rarely(Member member) {
      switch (random.nextInt(6)) {
        case 5 -> pauseOrResume();
        case 0 -> members.set(members.indexOf(member), left(member));
        case 1 -> {
          member.stopping = true;
          member.queues.forEach(queue -> member.node.post(queue.dispatcher::stop));
        }
        case 2 -> member.queues.forEach(queue -> {
          int credit = random.nextInt(4);
          member.node.post(() -> queue.dispatcher.workers().credit(credit));
        });
        default -> world.pass(Duration.ofMillis(random.nextInt(1_500)));
      }
    }

    Member left(Member member) {
      count(member);
      return new Member();
    }

    void insert(Member member) {
      String id = "t" + queueOf.size();
      SteppedNode.Queue queue = member.queue();
      queueOf.put(id, queue.spec.name());
      long next = world.insert(queue.spec.name(), id, random.nextInt(300)).nextAt();
      if (random.nextBoolean()) {
        queue.dispatcher.signal(next);
      }
    }

    void change() {
      if (!queueOf.isEmpty()) {
        String id = "t" + random.nextInt(queueOf.size());
        String queue = queueOf.getOrDefault(id, "");
        switch (random.nextInt(6)) {
          case 0, 1 -> world.write(new Write.Move(queue, id, Due.fromNow(random.nextInt(300)), null));
          case 2 -> world.write(new Write.Pause(queue, id, PauseMode.values()[random.nextInt(2)]));
          case 3 -> world.write(new Write.Resume(queue, id));
          default -> {
            if (world.write(new Write.Cancel(queue, id, "me")).answer() == Answer.CANCELLED) {
              cancelled.add(id);
            }
          }
        }
      }
    }

    void pauseOrResume() {
      String queue = QUEUES.get(random.nextInt(QUEUES.size()));
      if (random.nextBoolean()) {
        world.store.queues().pause(queue);
      } else {
        world.store.queues().resume(queue);
      }
    }

    /** The store answers, handlers succeed, and time passes until nothing is left to do. */
    void calm() {
      storm = false;
      QUEUES.forEach(queue -> world.store.queues().resume(queue));
      queueOf.forEach((id, queue) -> world.write(new Write.Resume(queue, id)));
      // All that are there may be about to stop.
      members.add(new Member());
      for (Member member : members) {
        for (Asked<?> asked : List.copyOf(member.node.asked)) {
          member.arrive(asked);
        }
        for (SteppedNode.Queue queue : member.queues) {
          member.node.post(() -> queue.dispatcher.workers().credit(4));
        }
      }
      for (int round = 0; round < 100; round++) {
        for (Member member : members) {
          member.node.settleDown();
          while (!member.taken.isEmpty()) {
            member.settleOne();
          }
          while (!member.stages.isEmpty()) {
            member.completeOne();
          }
          member.node.settleDown();
        }
        world.pass(Duration.ofMillis(300));
      }
      queueOf.forEach((id, queue) -> assertTrue(world.task(queue, id).state().finished(), () -> "not ended: "
          + world.task(queue, id)));
      for (Member member : members) {
        count(member);
        assertTrue(member.idle(), "not idle");
        assertTrue(member.queues.stream().allMatch(queue -> queue.leases.isEmpty()), "holds leases");
        assertTrue(member.node.node.gate().ask(1).grave(), "the gate counts suspects that are gone");
      }
      ends.forEach((id, times) -> assertEquals(1, times, "ends of " + id));
    }

    /** Counts how often a node has told of the end of each task. */
    void count(Member member) {
      Collection<TaskEvent> events = member.node.events;
      Stream<TaskEvent> ended = events.stream().filter(
          event -> event.kind() == TaskEvent.Kind.COMPLETED || event.kind() == TaskEvent.Kind.FAILED);
      ended.forEach(event -> ends.merge(event.task(), 1, Integer::sum));
    }
  }
}
