package dev.bide;

import static dev.bide.TaskEvent.Kind.RELEASED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.SteppedNode.World;
import dev.bide.TappedStore.Kind;
import dev.bide.spi.Write;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is claimed ahead of handlers without a word of the spec; driven by hand, in virtual time. */
class ClaimedAheadTest {
  private static final int TASKS = 1_000;

  private final World world = new World();
  private final SteppedNode node = new SteppedNode(world, "n1");
  private final List<String> handled = new ArrayList<>();
  /** How long each handler takes. */
  private Duration takes = Duration.ZERO;
  private int mostHeld;

  private static QueueSpec<String> spec() {
    return QueueSpec.of("q", String.class).handlers(4);
  }

  private SteppedNode.Queue queue(QueueSpec<String> spec) {
    SteppedNode.Queue queue = handling(spec);
    insert();
    return queue;
  }

  private void insert() {
    for (int i = 0; i < TASKS; i++) {
      world.insert("q", "t" + i, 0);
    }
  }

  private SteppedNode.Queue handling(QueueSpec<String> spec) {
    SteppedNode.Queue queue = node.queue(spec);
    return queue.handle(claim -> {
      mostHeld = Math.max(mostHeld, queue.leases.held().size());
      assertFalse(claim.lost());
      handled.add(claim.id());
      world.pass(takes);
      return Outcome.done();
    });
  }

  /** Handlers that end one after the other: {@link SteppedNode} has one thread. */
  private void play(int tasks) {
    while (handled.size() < tasks) {
      node.answerAll();
      node.runHandlers();
    }
    node.answerAll();
  }

  @Test
  void shortHandlersNeedFewExchanges() {
    takes = Duration.ofNanos(10_000);
    queue(spec());
    play(TASKS);
    assertEquals(TASKS, handled.size());
    assertTrue(node.exchanges() < 30, "exchanges: " + node.exchanges());
  }

  @Test
  void largePayloadsBoundWhatIsAheadOfShortHandlers() {
    takes = Duration.ofNanos(10_000);
    handling(spec());
    Payload large = Payload.of("x".repeat(TaskQueue.MAX_PAYLOAD));
    for (int i = 0; i < 300; i++) {
      world.write(new Write.Insert("q", "t" + i, large, Due.fromNow(0)));
    }
    play(300);
    assertTrue(mostHeld > 32, "held: " + mostHeld);
    assertTrue(mostHeld <= 4 + 64, "held: " + mostHeld);
  }

  @Test
  void slowHandlersGetNothingAheadAndTheRestStaysForOtherNodes() {
    takes = Duration.ofMillis(26);
    queue(spec());
    play(100);
    assertEquals(4, mostHeld);
    assertTrue(world.store.calls(Kind.EXCHANGE).stream().allMatch(call -> call.limit() <= 4));
  }

  @Test
  void handlersThatSlowDownGetNothingMoreAhead() {
    takes = Duration.ofNanos(10_000);
    SteppedNode.Queue queue = queue(spec());
    play(100);
    assertTrue(mostHeld > 4);
    takes = Duration.ofMillis(100);
    node.runHandlers();
    world.store.forget();
    play(handled.size() + 20);
    assertTrue(world.store.calls(Kind.EXCHANGE).stream().allMatch(call -> call.limit() <= 4));
    assertTrue(queue.leases.held().size() <= 4);
  }

  @Test
  void fewTasksMakeNothingGrow() {
    SteppedNode.Queue queue = handling(spec());
    for (int i = 0; i < 100; i++) {
      queue.schedule("t" + i, 0);
      node.settleDown();
    }
    assertEquals(100, handled.size());
    assertTrue(world.store.calls(Kind.EXCHANGE).stream().allMatch(call -> call.limit() <= 4));
  }

  /** If the process died, it would be a dead letter that no handler has seen. */
  @Test
  void aTaskWithOneAttemptIsNotClaimedAhead() {
    takes = Duration.ofNanos(10_000);
    queue(spec().retry(Retry.never()));
    play(TASKS);
    assertEquals(TASKS, handled.size());
    assertEquals(4, mostHeld);
  }

  @Test
  void aPrefetchOfNoneIsNone() {
    queue(spec().prefetch(0));
    play(TASKS);
    assertEquals(4, mostHeld);
  }

  @Test
  void creditBoundsWhatIsClaimedAhead() {
    SteppedNode.Queue queue = queue(spec());
    play(500);
    assertTrue(mostHeld > 6);
    node.runHandlers();
    node.post(() -> queue.dispatcher.workers().credit(6));
    node.answerAll();
    node.runHandlers();
    mostHeld = 0;
    play(TASKS);
    assertTrue(mostHeld <= 6, "held: " + mostHeld);
  }

  @Test
  void aSuspectIsNeverClaimedAhead() {
    SteppedNode.Queue queue = queue(spec().lease(Duration.ofMillis(100)));
    play(TASKS);
    assertTrue(mostHeld > 4);
    String[] suspects = new String[20];
    for (int i = 0; i < suspects.length; i++) {
      suspects[i] = "s" + i;
    }
    world.lapsed("q", 1, suspects);
    for (int rounds = 0; handled.size() < TASKS + suspects.length; rounds++) {
      node.runFor(Duration.ZERO);
      assertTrue(rounds < 100, "rounds");
      world.pass(Duration.ofSeconds(1));
      node.answerAll();
      assertTrue(queue.leases.held().stream().filter(claim -> claim.task.suspect()).count() <= node.handlers.size());
    }
  }

  /** They run long of a sudden, while much is ahead of them. */
  private SteppedNode.Queue stuck() {
    SteppedNode.Queue queue = queue(spec());
    play(100);
    while (queue.leases.held().size() <= 4) {
      node.runHandlers();
      node.answerAll();
    }
    return queue;
  }

  @Test
  void whatWaitsHereForHalfASecondIsGivenBackUncounted() {
    SteppedNode.Queue queue = stuck();
    List<HeldClaim> before = queue.leases.held();
    assertTrue(before.size() > 4);
    node.answerFor(Duration.ofMillis(500).minusNanos(1));
    assertEquals(before, queue.leases.held());
    node.answerFor(Duration.ofNanos(1));
    assertEquals(4, queue.leases.held().size());
    for (HeldClaim claim : before.subList(4, before.size())) {
      assertEquals(TaskState.WAITING, queue.task(claim.task.id()).state());
      assertEquals(0, queue.task(claim.task.id()).attempt());
      assertTrue(node.kinds(claim.task.id()).contains(RELEASED));
    }
  }

  @Test
  void stoppingGivesBackWhatIsAhead() {
    SteppedNode.Queue queue = stuck();
    List<HeldClaim> before = queue.leases.held();
    node.post(queue.dispatcher::stop);
    node.answerAll();
    int ended = handled.size();
    node.settleDown();
    assertTrue(queue.dispatcher.idle());
    assertEquals(ended, handled.size());
    for (HeldClaim claim : before) {
      assertEquals(TaskState.WAITING, queue.task(claim.task.id()).state());
      assertEquals(0, queue.task(claim.task.id()).attempt());
    }
  }

  @Test
  void aFailureIsHeardOfBeforeItsThreadGoesOn() {
    List<String> failed = new ArrayList<>();
    boolean[] broken = {false};
    SteppedNode.Queue queue = node.queue(spec().circuitBreaker(1, Duration.ofSeconds(30)));
    insert();
    queue.handle(claim -> {
      handled.add(claim.id());
      if (broken[0]) {
        failed.add(claim.id());
        throw new IllegalStateException("out of order");
      }
      return Outcome.done();
    });
    play(100);
    while (queue.leases.held().size() <= 4) {
      node.runHandlers();
      node.answerAll();
    }
    broken[0] = true;
    node.settleDown();
    assertEquals(4, failed.size());
    assertTrue(queue.leases.isEmpty());
  }

  @Test
  void anInterruptThatAHandlerLeavesIsNotTheNextOnes() {
    List<Boolean> interrupted = new ArrayList<>();
    SteppedNode.Queue queue = node.queue(spec().handlers(1).prefetch(1)).handle(claim -> {
      interrupted.add(Thread.currentThread().isInterrupted());
      Thread.currentThread().interrupt();
      return Outcome.done();
    });
    queue.schedule("a", 0);
    queue.schedule("b", 0);
    node.settleDown();
    assertTrue(Thread.interrupted());
    assertEquals(List.of(false, false), interrupted);
  }

  /** A tenth of the lease at most is worked ahead, so each starts under the lease that it was claimed with. */
  @Test
  void aShortLeaseIsNeverAtRisk() {
    takes = Duration.ofMillis(2);
    SteppedNode.Queue queue = queue(spec().handlers(1).lease(Duration.ofMillis(100)));
    play(TASKS);
    assertEquals(5 + 1, mostHeld);
    for (int i = 0; i < TASKS; i++) {
      assertEquals(1, queue.task("t" + i).claims());
    }
  }
}
