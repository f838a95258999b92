package dev.bide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.SteppedNode.Pulling;
import dev.bide.SteppedNode.World;
import dev.bide.spi.StoreException;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks that may end their process are kept apart, over all queues of a node; driven by hand, in virtual time. */
class SuspectTest {
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final World world = new World();
  private final SteppedNode node = new SteppedNode(world, "n1");
  private final SteppedNode.Queue a = node.queue(spec("a"));
  private final SteppedNode.Queue b = node.queue(spec("b"));
  private final SteppedNode.Queue c = node.queue(spec("c").prefetch(3));
  private final List<String> handled = new ArrayList<>();

  private void handleAll() {
    List.of(a, b, c).forEach(queue -> queue.handle(this::done));
  }

  private static QueueSpec<String> spec(String queue) {
    return QueueSpec.of(queue, String.class).handlers(4).lease(LEASE);
  }

  private Outcome done(Claim<String> claim) {
    handled.add(claim.id());
    return Outcome.done();
  }

  private static List<HeldClaim> suspects(SteppedNode.Queue... queues) {
    return Stream.of(queues).flatMap(queue -> queue.leases.held().stream()).filter(claim -> claim.task.suspect())
        .toList();
  }

  private static void assertKeptApart(List<HeldClaim> suspects) {
    boolean grave = suspects.stream().anyMatch(claim -> claim.task.grave());
    assertTrue(!grave || suspects.size() == 1, "a grave one has company: " + suspects.size());
  }

  @Test
  void aSuspectIsClaimedForAnIdleHandlerOnlyAndNeverAhead() {
    world.lapsed("c", 1, "s0", "s1", "s2", "s3", "s4");
    handleAll();
    node.answerAll();
    assertEquals(4, suspects(c).size());
    assertEquals(4, node.handlers.size());
    node.settleDown();
    assertEquals(List.of("s0", "s1", "s2", "s3", "s4"), handled);
  }

  @Test
  void neverAreTwoGraveOnesHeldAtOnceOverAllQueues() {
    world.lapsed("a", 2, "ga");
    world.lapsed("b", 2, "gb");
    world.lapsed("c", 2, "gc");
    handleAll();
    for (int round = 0; round < 3; round++) {
      node.answerAll();
      assertEquals(1, suspects(a, b, c).size());
      node.runHandlers();
    }
    node.answerAll();
    assertEquals(3, handled.size(), "each follows the other at once");
  }

  @Test
  void noSuspectJoinsAGraveOneAndOrdinaryTasksGoOn() {
    world.lapsed("a", 2, "grave");
    world.lapsed("b", 1, "s0", "s1");
    a.handle(this::done);
    b.handle(this::done);
    node.answerAll();
    List<HeldClaim> first = suspects(a, b);
    assertEquals(1, first.size());
    assertTrue(first.get(0).task.grave());
    b.schedule("ordinary", 0);
    Pulling pulling = a.pull(5, Duration.ofMinutes(1));
    a.schedule("another", 0);
    node.answerAll();
    assertEquals(1, suspects(a, b).size());
    assertEquals(TaskState.PROCESSING, b.task("ordinary").state());
    assertEquals(List.of("another"), pulling.ids());
    node.settleDown();
    assertEquals(TaskState.COMPLETED, b.task("s1").state());
  }

  @Test
  void aGraveOneIsNotStarvedByAStreamOfOrdinarySuspects() {
    a.handle(this::done);
    b.handle(this::done);
    node.post(() -> a.dispatcher.workers().credit(1));
    node.post(() -> b.dispatcher.workers().credit(1));
    world.lapsed("b", 1, "b0");
    node.answerAll();
    world.lapsed("a", 2, "grave");
    // From here on the node holds a suspect whenever one of its queues asks, and more are due.
    for (int i = 1; i < 100 && !handled.contains("grave"); i++) {
      world.lapsed("a", 1, "a" + i);
      world.lapsed("b", 1, "b" + i);
      node.answerFor(Duration.ofSeconds(1));
      assertKeptApart(suspects(a, b));
      node.handlers.remove().run();
      node.answerAll();
    }
    assertTrue(handled.contains("grave"), handled.toString());
    assertTrue(handled.size() > 10 && handled.size() < 40, handled.toString());
  }

  @Test
  void heldBackSuspectsCauseNoBusyLoopAndComeAtOnceWhenTheGateOpens() {
    world.lapsed("a", 2, "grave");
    world.lapsed("b", 1, "b0", "b1");
    world.lapsed("c", 2, "c0", "c1");
    a.handle(this::done);
    node.answerAll();
    assertEquals(1, suspects(a, b, c).size());
    b.handle(this::done);
    c.handle(this::done);
    world.store.forget();
    Pulling pulling = b.pull(1, Duration.ofMinutes(2));
    node.answerFor(Duration.ofSeconds(60));
    assertFalse(pulling.over());
    assertTrue(node.exchanges() <= 3 * 62, "exchanges in a minute: " + node.exchanges());
    long before = world.nanos;
    node.settleDown();
    for (HeldClaim claim : pulling.claims()) {
      b.settle(claim, Outcome.done());
    }
    node.settleDown();
    assertEquals(before, world.nanos);
    assertTrue(pulling.over());
    assertEquals(5, handled.size() + pulling.ids().size(), handled + " and " + pulling.ids());
  }

  @Test
  void aGraveOneThatWaitsForAnotherSuspectToEndCausesNoBusyLoopAndComesAtOnce() {
    a.handle(this::done);
    world.lapsed("a", 1, "s0");
    node.answerAll();
    world.lapsed("a", 2, "grave");
    world.store.forget();
    node.answerFor(Duration.ofSeconds(10));
    assertTrue(node.exchanges() <= 12, "exchanges: " + node.exchanges());
    assertEquals(1, suspects(a).size());
    node.settleDown();
    assertEquals(List.of("s0", "grave"), handled);
  }

  @Test
  void noBusyLoopWhileOnlyPrefetchRoomIsLeftForSuspects() {
    c.handle(this::done);
    for (int i = 0; i < 4; i++) {
      c.schedule("t" + i, 0);
    }
    node.answerAll();
    world.lapsed("c", 1, "s0");
    world.store.forget();
    node.answerFor(Duration.ofSeconds(30));
    assertTrue(node.exchanges() <= 32, "exchanges: " + node.exchanges());
    assertEquals(TaskState.WAITING, c.task("s0").state());
    node.settleDown();
    assertTrue(handled.contains("s0"));
  }

  @Test
  void theLossOfAReplyKeepsTheGateRight() {
    world.lapsed("a", 2, "ga");
    world.lapsed("b", 2, "gb");
    handleAll();
    for (int round = 0; round < 40; round++) {
      node.turn();
      for (SteppedNode.Asked<?> asked : List.copyOf(node.asked)) {
        switch (round % 3) {
          case 0 -> asked.loseReply(StoreException.passing("lost", null));
          case 1 -> asked.fail(new IllegalStateException("refused"));
          default -> asked.reply();
        }
      }
      assertKeptApart(suspects(a, b));
      world.pass(Duration.ofSeconds(1));
      if (round % 3 == 2) {
        node.runHandlers();
      }
    }
    node.runFor(Duration.ofSeconds(1));
    assertEquals(2, handled.size());
    assertTrue(node.node.gate().open());
  }

  @Test
  void aPassIsGivenBackWhateverBecomesOfItsClaim() {
    world.lapsed("a", 2, "grave");
    a.handle(this::done);
    node.answerAll();
    // The node stands still, another takes the task over, and the start here comes too late.
    world.pass(LEASE);
    SteppedNode other = new SteppedNode(world, "n2");
    other.queue(spec("a")).handle(claim -> Outcome.retryIn(Duration.ofSeconds(1)));
    other.settleDown();
    node.settleDown();
    assertTrue(a.leases.isEmpty());
    node.runFor(Duration.ofSeconds(3));
    assertEquals(List.of("grave"), handled);
    assertTrue(node.node.gate().open());
  }

  /**
   * A process dies whenever it has claimed the killer, with all it has claimed in its hands, and another is started.
   * Only the killer may become a dead letter, whatever the queues, the attempts and the moments are.
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void aTaskThatKillsItsProcessTakesNoneOfItsMatesToTheDeadLetters(int attempts) {
    for (int seed = 0; seed < (Boolean.getBoolean("bide.long") ? 1_000 : 6); seed++) {
      new Massacre(attempts, seed).happen();
    }
  }

  private static final class Massacre {
    static final List<String> QUEUES = List.of("a", "b", "c");
    final World world = new World();
    final Random random;
    final int attempts;
    final String about;
    int deaths;

    Massacre(int attempts, int seed) {
      this.attempts = attempts;
      random = new Random(seed);
      about = "attempts " + attempts + ", seed " + seed + ": ";
    }

    QueueSpec<String> spec(String queue) {
      return QueueSpec.of(queue, String.class).handlers(3).prefetch(2).lease(LEASE)
          .retry(Retry.fixed(Duration.ZERO).attempts(attempts));
    }

    void happen() {
      boolean once = false;
      for (int processes = 0; processes < 100 && !over(once); processes++) {
        SteppedNode node = new SteppedNode(world, "process-" + processes);
        List<SteppedNode.Queue> queues = QUEUES.stream().map(queue -> node.queue(spec(queue))).toList();
        if (!once) {
          for (String queue : QUEUES) {
            for (int i = 0; i < 8; i++) {
              world.insert(queue, queue.equals("b") && i == 4 ? "killer" : "mate-" + queue + i, random.nextInt(20));
            }
          }
          once = true;
        }
        queues.forEach(queue -> queue.handle(claim -> Outcome.done()));
        live(node, queues);
      }
      assertTrue(over(true), about + "not over after " + deaths + " deaths");
      assertEquals(TaskState.FAILED, world.task("b", "killer").state(), about);
      assertEquals(attempts, deaths, about);
      for (String queue : QUEUES) {
        for (int i = 0; i < 8; i++) {
          if (!(queue.equals("b") && i == 4)) {
            assertEquals(TaskState.COMPLETED, world.task(queue, "mate-" + queue + i).state(), about + queue + i);
          }
        }
      }
    }

    /** Works until the killer is claimed, or for a minute. */
    void live(SteppedNode node, List<SteppedNode.Queue> queues) {
      List<Pulling> pullings = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        SteppedNode.Queue puller = queues.get(random.nextInt(3));
        pullings.add(puller.pull(4, Duration.ofMillis(500)));
        node.answerAll();
        assertKeptApart(suspects(queues.toArray(SteppedNode.Queue[]::new)));
        if (queues.get(1).leases.held().stream().anyMatch(claim -> claim.task.id().equals("killer"))) {
          deaths++;
          world.pass(LEASE.plusMillis(random.nextInt(2_000)).minusMillis(1_000));
          return;
        }
        for (Pulling pulling : pullings) {
          pulling.claims().stream().filter(claim -> claim.stage() == HeldClaim.Stage.STARTED)
              .forEach(claim -> puller(queues, claim).settle(claim, Outcome.done()));
        }
        node.runHandlers();
        node.answerFor(Duration.ofMillis(random.nextInt(1_500)));
      }
    }

    SteppedNode.Queue puller(List<SteppedNode.Queue> queues, HeldClaim claim) {
      return queues.stream().filter(queue -> queue.spec.name().equals(claim.queue)).findFirst().orElseThrow();
    }

    boolean over(boolean once) {
      if (!once) {
        return false;
      }
      for (String queue : QUEUES) {
        for (int i = 0; i < 8; i++) {
          String id = queue.equals("b") && i == 4 ? "killer" : "mate-" + queue + i;
          if (!world.task(queue, id).state().finished()) {
            return false;
          }
        }
      }
      return true;
    }
  }
}
