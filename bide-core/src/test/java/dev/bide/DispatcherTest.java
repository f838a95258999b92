package dev.bide;

import static dev.bide.TaskEvent.Kind.CLAIMED;
import static dev.bide.TaskEvent.Kind.COMPLETED;
import static dev.bide.TaskEvent.Kind.FAILED;
import static dev.bide.TaskEvent.Kind.RELEASED;
import static dev.bide.TaskEvent.Kind.SETTLEMENT_REFUSED;
import static dev.bide.TaskEvent.Kind.STARTED;
import static dev.bide.TaskEvent.Kind.STORE_FAILED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.SteppedNode.World;
import dev.bide.TappedStore.Kind;
import dev.bide.spi.End;
import dev.bide.spi.Settlement;
import dev.bide.spi.StoreException;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How due tasks come to their handler, and their settlements to the store; driven by hand, in virtual time. */
class DispatcherTest {
  private static final StoreException PASSING = StoreException.passing("away for a moment", null);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final World world = new World();
  private final SteppedNode node = new SteppedNode(world, "n1");
  private final List<String> handled = new ArrayList<>();

  private Outcome done(Claim<String> claim) {
    handled.add(claim.payload());
    return Outcome.done();
  }

  private static QueueSpec<String> spec() {
    return QueueSpec.of("q", String.class);
  }

  @Test
  void aTaskIsHandledAtItsMomentAndNotANanosecondBefore() {
    SteppedNode.Queue queue = node.queue(spec()).handle(this::done);
    queue.schedule("a", 50);
    assertEquals(50_000_000, node.settleDown());

    world.nanos = 49_999_999;
    node.settleDown();
    assertEquals(List.of(), handled);

    world.nanos = 50_000_000;
    node.settleDown();
    assertEquals(List.of("a"), handled);
    assertEquals(TaskState.COMPLETED, queue.task("a").state());
    assertEquals(List.of(CLAIMED, STARTED, COMPLETED), node.kinds("a"));
  }

  @Test
  void anInsertBetweenQuestionAndReplyIsNotSleptOver() {
    SteppedNode.Queue queue = node.queue(spec()).handle(this::done);
    node.turn();
    arriveAfter(node.exchange(), () -> queue.schedule("a", 10));
    assertEquals(10_000_000, node.turn());
  }

  private static <R> void arriveAfter(SteppedNode.Asked<R> asked, Runnable meanwhile) {
    R reply = asked.perform();
    meanwhile.run();
    asked.arrive(reply);
  }

  @Test
  void anInsertWhoseSignalComesAfterTheReplyIsNotSleptOver() {
    SteppedNode.Queue queue = node.queue(spec()).handle(this::done);
    node.turn();
    arriveAfter(node.exchange(), () -> world.insert("q", "a", 10));
    assertEquals(SECOND.toNanos(), node.turn());
    queue.dispatcher.signal(SteppedNode.START + 10);
    assertEquals(10_000_000, node.turn());
  }

  @Test
  void anEarlierInsertWakesOneThatSleepsAndALaterOneDoesNot() {
    SteppedNode.Queue queue = node.queue(spec()).handle(this::done);
    queue.schedule("first", 500);
    assertEquals(500_000_000, node.settleDown());
    queue.schedule("later", 600);
    assertEquals(500_000_000, node.turn());
    queue.schedule("earlier", 400);
    assertEquals(400_000_000, node.turn());
    assertEquals(1, node.exchanges());
  }

  /** Inserts, their signals, questions, replies and time in any order: the node never sleeps past a due task. */
  @Test
  void noOrderOfInsertsSignalsAndRepliesLosesAWakeUp() {
    for (long seed = 0; seed < (Boolean.getBoolean("bide.long") ? 5_000 : 60); seed++) {
      new WakeUpWalk(seed).walk();
    }
  }

  private static final class WakeUpWalk {
    final long seed;
    final Random random;
    final World world = new World();
    final SteppedNode node = new SteppedNode(world, "n1");
    final SteppedNode.Queue queue = node.queue(spec().handlers(3)).handle(claim -> Outcome.done());
    final List<Long> unsignalled = new ArrayList<>();
    /** The reply that is on its way; one at most. */
    final Deque<Runnable> replies = new ArrayDeque<>();
    int inserted;

    WakeUpWalk(long seed) {
      this.seed = seed;
      random = new Random(seed);
    }

    void walk() {
      for (int step = 0; step < 120; step++) {
        switch (random.nextInt(6)) {
          case 0 -> unsignalled.add(world.insert("q", "t" + inserted++, random.nextInt(1_500)).nextAt());
          case 1 -> signal();
          case 2 -> node.turn();
          case 3 -> perform();
          case 4 -> node.runHandlers();
          default -> rest();
        }
      }
    }

    void signal() {
      if (!unsignalled.isEmpty()) {
        queue.dispatcher.signal(unsignalled.remove(0));
      }
    }

    void perform() {
      if (!replies.isEmpty()) {
        replies.remove().run();
      } else if (!node.asked.isEmpty()) {
        replies.add(performed(node.asked.getFirst()));
      }
    }

    static <R> Runnable performed(SteppedNode.Asked<R> asked) {
      R reply = asked.perform();
      return () -> asked.arrive(reply);
    }

    /** All is told and answered: now the node may sleep, but not past the next task. */
    void rest() {
      while (!unsignalled.isEmpty()) {
        signal();
      }
      if (!replies.isEmpty()) {
        perform();
      }
      long next = node.settleDown();
      long due = Duration.ofDays(1).toNanos();
      for (int i = 0; i < inserted; i++) {
        if (queue.task("t" + i).state() == TaskState.WAITING) {
          due = Math.min(due, (queue.task("t" + i).readyAt().toEpochMilli() - SteppedNode.START) * 1_000_000);
        }
      }
      // The store tells whole milliseconds, so the estimate of its clock is one behind at most, and so is the node.
      assertTrue(next <= Math.max(due, world.nanos) + 2_000_000,
          "seed " + seed + ": sleeps until " + next + ", due " + due);
      world.nanos = Math.min(next, world.nanos + random.nextInt(700_000_000));
    }
  }

  @Test
  void whatNobodySignalledIsFoundWithinASecond() {
    SteppedNode.Queue queue = node.queue(spec()).handle(this::done);
    node.runFor(Duration.ofMillis(2_300));
    world.insert("q", "a", 0);
    node.runFor(Duration.ofMillis(699));
    assertEquals(List.of(), handled);
    node.runFor(Duration.ofMillis(1));
    assertEquals(List.of("a"), handled);
    assertEquals(TaskState.COMPLETED, queue.task("a").state());
  }

  @Test
  void anIdleQueueAsksOnceASecond() {
    node.queue(spec()).handle(this::done);
    node.runFor(Duration.ofSeconds(60));
    assertEquals(61, node.exchanges());
  }

  @Test
  void aQueueWithoutAConsumerAsksNothing() {
    SteppedNode.Queue queue = node.queue(spec());
    queue.schedule("a", 0);
    node.runFor(Duration.ofSeconds(60));
    assertEquals(0, node.exchanges());
  }

  @Test
  void settlementsGoWithTheNextClaim() {
    SteppedNode.Queue queue = node.queue(spec().handlers(2)).handle(this::done);
    for (int i = 0; i < 4; i++) {
      queue.schedule("t" + i, 0);
    }
    node.answerAll();
    node.runHandlers();
    world.store.forget();
    node.turn();
    node.exchange().reply();
    TappedStore.Call call = world.store.calls(Kind.EXCHANGE).get(0);
    assertEquals(List.of("t0", "t1"), call.settlements().stream().map(Settlement::id).toList());
    assertEquals(2, call.limit());
    assertEquals(2, node.handlers.size());
  }

  @Test
  void oneExchangeAtMostIsUnderWay() {
    SteppedNode.Queue queue = node.queue(spec().handlers(4)).handle(this::done);
    queue.schedule("a", 0);
    node.answerAll();
    queue.schedule("b", 0);
    node.turn();
    assertEquals(1, node.asked.size());
    node.runHandlers();
    queue.schedule("c", 0);
    node.turn();
    node.turn();
    assertEquals(1, node.asked.size());
    node.settleDown();
    assertEquals(List.of("a", "b", "c"), handled);
  }

  @Test
  void aLostReplyNeitherLosesNorDoublesItsClaims() {
    SteppedNode.Queue queue = node.queue(spec().handlers(2)).handle(this::done);
    queue.schedule("a", 0);
    queue.schedule("b", 0);
    queue.schedule("c", 0);
    node.turn();
    node.exchange().loseReply(PASSING);
    assertEquals(List.of(), handled);
    node.runFor(SECOND);
    assertEquals(List.of("a", "b", "c"), handled);
    for (String id : handled) {
      assertEquals(1, queue.task(id).claims(), id);
      assertEquals(1, queue.task(id).attempt(), id);
      assertEquals(List.of(CLAIMED, STARTED, COMPLETED), node.kinds(id));
    }
  }

  @Test
  void aLostReplyCountsASettlementOnce() {
    SteppedNode.Queue queue = node.queue(spec()).handle(claim -> Outcome.retryIn(Duration.ofMillis(5)));
    queue.schedule("a", 0);
    node.answerAll();
    node.runHandlers();
    node.turn();
    node.exchange().loseReply(PASSING);
    for (int i = 0; i < 2; i++) {
      // Sent again it takes nothing, since its first copy took nothing.
      node.turn();
      world.nanos += 50_000_000;
      node.answerAll();
    }
    assertEquals(1, queue.task("a").attempts().size());
    assertEquals(2, queue.task("a").attempt());
    assertTrue(node.event(SETTLEMENT_REFUSED).isEmpty());
  }

  /** The first copy was applied, and another node has the task by now: nothing is wrong, so nothing is reported. */
  @Test
  void aSettlementSentTwiceIsNotReportedAsRefused() {
    SteppedNode.Queue queue = node.queue(spec().handlers(1)).handle(claim -> Outcome.retryIn(Duration.ZERO));
    queue.schedule("a", 0);
    node.answerAll();
    node.runHandlers();
    node.turn();
    node.exchange().loseReply(PASSING);
    SteppedNode other = new SteppedNode(world, "n2");
    other.queue(spec()).handle(this::done);
    other.settleDown();
    assertEquals(List.of("a"), handled);
    node.runFor(SECOND);
    assertTrue(node.event(SETTLEMENT_REFUSED).isEmpty());
    assertEquals(TaskState.COMPLETED, queue.task("a").state());
  }

  @Test
  void aRequestThatFailedBeforeTheStoreSawItIsSentAgain() {
    SteppedNode.Queue queue = node.queue(spec()).handle(this::done);
    queue.schedule("a", 0);
    node.turn();
    node.exchange().fail(PASSING);
    node.runFor(SECOND);
    assertEquals(List.of("a"), handled);
    assertEquals(1, queue.task("a").claims());
  }

  @Test
  void aRequestThatTheStoreDoesTwiceHasItsEffectOnce() {
    SteppedNode.Queue queue = node.queue(spec()).handle(this::done);
    queue.schedule("a", 0);
    node.turn();
    node.exchange().perform();
    node.exchange().loseReply(PASSING);
    node.runFor(SECOND);
    assertEquals(List.of("a"), handled);
    assertEquals(1, queue.task("a").claims());
  }

  @Test
  void passingFailuresBackOffUpToFiveSecondsAndRecoverAtOnce() {
    SteppedNode.Queue queue = node.queue(spec()).handle(this::done);
    queue.schedule("a", 0);
    List<Long> pauses = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      node.turn();
      node.exchange().fail(PASSING);
      long next = node.turn();
      pauses.add((next - world.nanos) / 1_000_000);
      world.nanos = next - 1;
      node.turn();
      assertFalse(node.exchangeUnderWay());
      world.nanos = next;
    }
    assertEquals(List.of(50L, 100L, 200L, 400L, 800L, 1_600L, 3_200L, 5_000L, 5_000L, 5_000L), pauses);
    assertEquals(10, node.events.stream().filter(event -> event.kind() == STORE_FAILED).count());
    node.settleDown();
    assertEquals(List.of("a"), handled);
    node.turn();
    queue.schedule("b", 0);
    node.turn();
    node.exchange().fail(PASSING);
    assertEquals(world.nanos + 50_000_000, node.turn());
  }

  @Test
  void aLateReplyTakesNothingAndTheQuestionIsAskedAnew() {
    SteppedNode.Queue queue = node.queue(spec()).handle(this::done);
    queue.schedule("a", 0);
    node.turn();
    world.pass(Duration.ofMillis(10_001));
    node.exchange().reply();
    assertEquals(0, queue.task("a").claims());
    node.settleDown();
    node.runFor(SECOND);
    assertEquals(List.of("a"), handled);
    assertEquals(1, queue.task("a").claims());
  }

  @Test
  void theSettlementsOfALateRequestCount() {
    SteppedNode.Queue queue = node.queue(spec()).handle(this::done);
    queue.schedule("a", 0);
    node.answerAll();
    node.runHandlers();
    queue.schedule("b", 0);
    node.turn();
    world.pass(Duration.ofMillis(10_001));
    node.exchange().reply();
    assertEquals(TaskState.COMPLETED, queue.task("a").state());
    assertEquals(TaskState.WAITING, queue.task("b").state());
  }

  /** A store that refuses every batch with this task in it, for good. */
  private void refuse(String id, boolean failuresToo) {
    world.store.before(call -> {
      for (Settlement settlement : call.settlements()) {
        if (settlement.id().equals(id) && (failuresToo || settlement.end() != End.FAIL)) {
          throw StoreException.lasting("cannot store " + id, null);
        }
      }
    });
  }

  @Test
  void aRefusedBatchIsHalvedUntilTheBadSettlementStandsAloneAndFails() {
    SteppedNode.Queue queue = node.queue(spec().handlers(100)).handle(this::done);
    for (int i = 0; i < 100; i++) {
      queue.schedule("t" + i, 0);
    }
    node.answerAll();
    node.runHandlers();
    refuse("t37", false);
    world.store.forget();
    node.settleDown();
    for (int i = 0; i < 100; i++) {
      assertEquals(i == 37 ? TaskState.FAILED : TaskState.COMPLETED, queue.task("t" + i).state(), "t" + i);
    }
    assertEquals("failed: its settlement could not be stored", queue.task("t37").outcome().orElseThrow());
    assertTrue(node.exchanges() <= 40, "exchanges: " + node.exchanges());
    assertTrue(queue.leases.isEmpty());
    assertTrue(queue.dispatcher.idle());
    assertEquals(FAILED, node.kinds("t37").get(2));
  }

  @Test
  void aSettlementThatCannotBeStoredEvenAsAFailureIsLeftToItsLease() {
    SteppedNode.Queue queue = node.queue(spec()).handle(this::done);
    queue.schedule("bad", 0);
    queue.schedule("good", 0);
    node.answerAll();
    node.runHandlers();
    refuse("bad", true);
    node.runFor(Duration.ofSeconds(20));
    assertEquals(TaskState.COMPLETED, queue.task("good").state());
    assertTrue(queue.leases.isEmpty());
    world.store.before(call -> {});
    node.runFor(Duration.ofSeconds(40));
    assertEquals(List.of("bad", "good", "bad"), handled);
    assertEquals(1, queue.task("bad").lapses());
  }

  @Test
  void aSettlementThatIsRefusedOnceByMistakeIsTriedAgain() {
    SteppedNode.Queue queue = node.queue(spec()).handle(this::done);
    queue.schedule("a", 0);
    node.answerAll();
    node.runHandlers();
    node.turn();
    node.exchange().fail(new IllegalStateException("a mishap, wrongly called lasting"));
    node.settleDown();
    assertEquals(TaskState.COMPLETED, queue.task("a").state());
  }

  /** Read-only for a while, or a bug of the store: the settlements are not to blame. */
  @Test
  void aStoreThatRefusesEverythingForAWhileTurnsNoSettlementIntoAFailure() {
    SteppedNode.Queue queue = node.queue(spec().handlers(10)).handle(this::done);
    for (int i = 0; i < 10; i++) {
      queue.schedule("t" + i, 0);
    }
    node.answerAll();
    node.runHandlers();
    world.store.before(call -> {
      throw new IllegalStateException("out of order");
    });
    world.store.forget();
    node.runFor(Duration.ofSeconds(60));
    assertTrue(node.exchanges() < 60, "exchanges: " + node.exchanges());
    world.store.before(call -> {});
    node.runFor(Duration.ofSeconds(6));
    for (int i = 0; i < 10; i++) {
      assertEquals(TaskState.COMPLETED, queue.task("t" + i).state(), "t" + i);
    }
  }

  @Test
  void aRefusedBatchLosesNoClaims() {
    SteppedNode.Queue queue = node.queue(spec().handlers(1)).handle(this::done);
    queue.schedule("a", 0);
    node.answerAll();
    node.runHandlers();
    queue.schedule("b", 0);
    node.turn();
    node.exchange().loseReply(new IllegalStateException("the reply cannot be read"));
    node.runFor(SECOND);
    assertEquals(List.of("a", "b"), handled);
    assertEquals(1, queue.task("b").claims());
    assertEquals(0, queue.task("b").lapses());
  }

  @Test
  void aClaimWhoseLeaseIsOverBeforeTheStartIsGivenBack() {
    SteppedNode.Queue queue = node.queue(spec().lease(Duration.ofMillis(300))).handle(this::done);
    queue.schedule("a", 0);
    node.turn();
    node.exchange().reply();
    world.pass(Duration.ofMillis(300));
    node.runHandlers();
    assertEquals(List.of(), handled);
    node.turn();
    assertEquals(1, queue.task("a").claims());
    node.settleDown();
    assertEquals(List.of("a"), handled);
    assertEquals(1, queue.task("a").attempt());
    assertTrue(node.event(STARTED).isPresent());
  }

  @Test
  void aClaimStartsInTheLastMomentOfItsLease() {
    SteppedNode.Queue queue = node.queue(spec().lease(Duration.ofMillis(300))).handle(this::done);
    queue.schedule("a", 0);
    node.turn();
    node.exchange().reply();
    world.nanos = 299_000_000 - 299_000_000 / 5_000 - 1;
    node.runHandlers();
    assertEquals(List.of("a"), handled);
  }

  @Test
  void neitherHandlersNorCreditAreExceeded() {
    SteppedNode.Queue queue = node.queue(spec().handlers(4)).handle(this::done);
    for (int i = 0; i < 50; i++) {
      queue.schedule("t" + i, 0);
    }
    node.answerAll();
    assertEquals(4, node.handlers.size());
    assertEquals(4, queue.leases.held().size());

    node.post(() -> queue.dispatcher.workers().credit(2));
    node.handlers.remove().run();
    node.handlers.remove().run();
    node.answerAll();
    assertEquals(2, node.handlers.size());
    assertEquals(2, queue.leases.held().size());

    node.post(() -> queue.dispatcher.workers().credit(0));
    node.settleDown();
    assertEquals(4, handled.size());

    node.post(() -> queue.dispatcher.workers().credit(3));
    node.answerAll();
    assertEquals(3, node.handlers.size());
    node.post(() -> queue.dispatcher.workers().credit(100));
    node.answerAll();
    assertEquals(4, node.handlers.size(), "no more at once than handlers");
    assertEquals(46, queue.leases.held().size(), "the rest is claimed ahead");
  }

  @Test
  void prefetchedTasksWaitHereAndStartWithoutAskingTheStore() {
    SteppedNode.Queue queue = node.queue(spec().handlers(2).prefetch(3)).handle(this::done);
    for (int i = 0; i < 9; i++) {
      queue.schedule("t" + i, 0);
    }
    node.answerAll();
    assertEquals(2, node.handlers.size());
    assertEquals(5, queue.leases.held().size());
    node.handlers.remove().run();
    assertEquals(List.of("t0", "t2", "t3", "t4"), handled, "one thread after the other");
    assertEquals(1, node.handlers.size());
    node.settleDown();
    assertEquals(9, new HashSet<>(handled).size());
  }

  @Test
  void noBacklogMakesTheNodeHoldMoreThanItsCredit() {
    SteppedNode.Queue queue = node.queue(spec().handlers(8).prefetch(8)).handle(this::done);
    for (int i = 0; i < 3_000; i++) {
      world.insert("q", "t" + i, 0);
    }
    Set<String> seen = new HashSet<>();
    while (seen.size() < 3_000) {
      node.answerAll();
      assertTrue(queue.leases.held().size() <= 16);
      assertTrue(node.handlers.size() <= 8);
      node.runHandlers();
      seen.addAll(handled);
    }
    assertEquals(3_000, handled.size());
  }

  @Test
  void aStaleOwnersWordIsRefusedAndReported() {
    SteppedNode.Queue queue = node.queue(spec().lease(SECOND)).handle(this::done);
    queue.schedule("a", 0);
    node.answerAll();
    node.runHandlers();
    // The node stands still: a suspended machine.
    world.pass(Duration.ofSeconds(2));
    SteppedNode other = new SteppedNode(world, "n2");
    other.queue(spec().lease(SECOND)).handle(claim -> Outcome.skip("second"));
    other.settleDown();
    node.settleDown();
    assertEquals("skipped: second", queue.task("a").outcome().orElseThrow());
    assertEquals(SETTLEMENT_REFUSED, node.events.get(node.events.size() - 1).kind());
    assertTrue(queue.leases.isEmpty());
  }

  @Test
  void stoppingGivesBackWhatHasNotStartedAndClaimsNothingMore() {
    SteppedNode.Queue queue = node.queue(spec().handlers(2).prefetch(2));
    queue.handle(claim -> {
      node.post(queue.dispatcher::stop);
      node.answerAll();
      assertFalse(queue.dispatcher.idle(), "this one runs on");
      return done(claim);
    });
    for (int i = 0; i < 6; i++) {
      queue.schedule("t" + i, 0);
    }
    node.settleDown();
    assertTrue(queue.dispatcher.idle());
    assertEquals(List.of("t0"), handled);
    assertEquals(TaskState.COMPLETED, queue.task("t0").state());
    for (int i = 1; i < 6; i++) {
      assertEquals(TaskState.WAITING, queue.task("t" + i).state(), "t" + i);
      assertEquals(0, queue.task("t" + i).attempt(), "t" + i);
    }
    assertTrue(node.kinds("t3").contains(RELEASED));
    world.store.forget();
    node.runFor(Duration.ofSeconds(5));
    assertEquals(0, node.exchanges());
  }

  /** An executor with a queue of its own: nothing in it has started. */
  @Test
  void stoppingGivesBackWhatStillWaitsInTheExecutor() {
    SteppedNode.Queue queue = node.queue(spec()).handle(this::done);
    queue.schedule("a", 0);
    node.answerAll();
    node.post(queue.dispatcher::stop);
    node.answerAll();
    assertEquals(TaskState.WAITING, queue.task("a").state());
    assertEquals(0, queue.task("a").attempt());
    assertTrue(queue.dispatcher.idle());
    node.settleDown();
    assertEquals(List.of(), handled, "it must not start after it was given back");
  }

  @Test
  void whatIsClaimedWhileStoppingIsGivenBack() {
    SteppedNode.Queue queue = node.queue(spec()).handle(this::done);
    queue.schedule("a", 0);
    node.turn();
    arriveAfter(node.exchange(), () -> {
      node.post(queue.dispatcher::stop);
      node.turn();
    });
    assertFalse(queue.dispatcher.idle());
    node.settleDown();
    assertTrue(queue.dispatcher.idle());
    assertEquals(List.of(), handled);
    assertEquals(TaskState.WAITING, queue.task("a").state());
  }
}
