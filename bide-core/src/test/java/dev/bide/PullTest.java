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
import org.junit.jupiter.api.Test;

/** Callers who take tasks by themselves, alone and beside a handler; driven by hand, in virtual time. */
class PullTest {
  private static final StoreException PASSING = StoreException.passing("away for a moment", null);
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final World world = new World();
  private final SteppedNode node = new SteppedNode(world, "n1");
  private final SteppedNode.Queue queue = node.queue(spec());
  private final List<String> handled = new ArrayList<>();

  private static QueueSpec<String> spec() {
    return QueueSpec.of("q", String.class).handlers(2).lease(LEASE);
  }

  private Outcome done(Claim<String> claim) {
    handled.add(claim.payload());
    return Outcome.done();
  }

  private void insert(int from, int to, long delayMillis) {
    for (int i = from; i < to; i++) {
      world.insert("q", "t" + i, delayMillis);
    }
  }

  /** Leaves tasks on which a lease has run out, by a node that is no more. */
  private void suspects(String... ids) {
    for (String id : ids) {
      world.insert("q", id, 0);
    }
    SteppedNode gone = new SteppedNode(world, "gone");
    SteppedNode.Queue its = gone.queue(spec());
    its.pull(ids.length, Duration.ZERO);
    gone.answerAll();
    world.pass(LEASE);
  }

  @Test
  void aPullTakesWhatIsDueUpToItsMost() {
    insert(0, 5, 0);
    Pulling pulling = queue.pull(3, Duration.ofSeconds(10));
    node.answerAll();
    assertEquals(List.of("t0", "t1", "t2"), pulling.ids());
    assertEquals(TaskState.WAITING, queue.task("t3").state());
  }

  @Test
  void aLongPollWaitsForTheFirstTask() {
    Pulling pulling = queue.pull(3, Duration.ofSeconds(10));
    node.answerFor(Duration.ofSeconds(2));
    queue.schedule("a", 500);
    node.answerFor(Duration.ofMillis(499));
    assertFalse(pulling.over());
    node.answerFor(Duration.ofMillis(2));
    assertEquals(List.of("a"), pulling.ids());
  }

  @Test
  void aLongPollEndsWithNothingAtItsDeadline() {
    Pulling pulling = queue.pull(3, Duration.ofMillis(2_500));
    node.answerFor(Duration.ofMillis(2_500).minusNanos(1));
    assertFalse(pulling.over());
    node.answerFor(Duration.ofNanos(1));
    node.answerAll();
    assertTrue(pulling.over());
    assertEquals(List.of(), pulling.ids());
    world.store.forget();
    node.answerFor(Duration.ofSeconds(10));
    assertEquals(0, node.exchanges(), "nobody consumes any more");
  }

  @Test
  void aPullWithoutAWaitLooksOnce() {
    Pulling nothing = queue.pull(3, Duration.ZERO);
    node.answerAll();
    assertTrue(nothing.over());
    assertEquals(1, node.exchanges());
    // The node has just learnt that nothing is due for long, and nobody tells it of this one.
    insert(0, 1, 0);
    Pulling something = queue.pull(3, Duration.ZERO);
    node.answerAll();
    assertEquals(List.of("t0"), something.ids());
    assertEquals(2, node.exchanges());
  }

  @Test
  void aPullThatComesDuringAnExchangeIsAskedForAfterwards() {
    queue.handle(this::done);
    node.turn();
    arriveAfter(node.exchange(), () -> {
      insert(0, 1, 0);
      Pulling pulling = queue.pull(1, Duration.ZERO);
      node.turn();
      assertFalse(pulling.over(), "its question has not been asked");
    });
    node.settleDown();
    assertEquals(TaskState.PROCESSING, queue.task("t0").state());
    assertEquals(List.of(), handled);
  }

  private static <R> void arriveAfter(SteppedNode.Asked<R> asked, Runnable meanwhile) {
    R reply = asked.perform();
    meanwhile.run();
    asked.arrive(reply);
  }

  @Test
  void pullsWithoutAWaitThatComeTogetherAllLook() {
    insert(0, 3, 0);
    List<Pulling> pullings = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      pullings.add(queue.pull(2, Duration.ZERO));
    }
    node.answerAll();
    assertEquals(List.of(List.of("t0", "t1"), List.of("t2"), List.of(), List.of(), List.of()),
        pullings.stream().map(Pulling::ids).toList());
    assertTrue(pullings.stream().allMatch(Pulling::over));
    assertTrue(node.exchanges() <= 3, "one empty look counts for all: " + node.exchanges());
  }

  @Test
  void aShortPullBehindALongOneEndsInTime() {
    Pulling longest = queue.pull(1, Duration.ofMinutes(1));
    Pulling shortest = queue.pull(1, Duration.ofMillis(100));
    node.answerFor(Duration.ofMillis(99));
    assertFalse(shortest.over());
    node.answerFor(Duration.ofMillis(2));
    assertTrue(shortest.over());
    assertFalse(longest.over());
  }

  @Test
  void aPullEndsInTimeThoughTheStoreIsAway() {
    Pulling pulling = queue.pull(1, Duration.ofMillis(300));
    node.turn();
    node.exchange().fail(PASSING);
    world.store.before(call -> {
      throw PASSING;
    });
    node.answerFor(Duration.ofMillis(301));
    assertTrue(pulling.over());
    Pulling another = queue.pull(1, Duration.ZERO);
    node.answerAll();
    assertTrue(another.over());
  }

  @Test
  void whatIsClaimedForAPullThatHasEndedIsGivenBack() {
    insert(0, 2, 0);
    Pulling pulling = queue.pull(2, Duration.ofMillis(300));
    node.turn();
    node.exchange().loseReply(PASSING);
    node.post(() -> queue.dispatcher.end(pulling.pull));
    node.turn();
    assertTrue(pulling.over());
    node.answerFor(Duration.ofSeconds(1));
    assertEquals(List.of(), pulling.ids());
    assertEquals(TaskState.WAITING, queue.task("t0").state());
    assertEquals(0, queue.task("t0").attempt());
    assertTrue(queue.dispatcher.idle());
  }

  @Test
  void aClaimThatComesTooLateToStartIsGivenBackAndThePullWaitsOn() {
    insert(0, 1, 0);
    Pulling pulling = queue.pull(1, Duration.ofMinutes(5));
    node.turn();
    SteppedNode.Asked<?> exchange = node.exchange();
    arriveAfter(exchange, () -> world.pass(LEASE));
    assertFalse(pulling.over());
    node.answerAll();
    assertEquals(List.of("t0"), pulling.ids());
    assertEquals(1, queue.task("t0").attempt());
  }

  @Test
  void stoppingEndsThePullsThatWait() {
    Pulling pulling = queue.pull(1, Duration.ofMinutes(5));
    node.answerAll();
    node.post(queue.dispatcher::stop);
    node.turn();
    assertTrue(pulling.over());
    Pulling late = queue.pull(1, Duration.ofMinutes(5));
    node.turn();
    assertTrue(late.over());
  }

  @Test
  void aSuspectComesAloneToAPull() {
    suspects("s0", "s1");
    insert(0, 3, 0);
    List<List<String>> taken = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Pulling pulling = queue.pull(10, Duration.ZERO);
      node.answerAll();
      taken.add(pulling.ids());
    }
    assertTrue(taken.contains(List.of("s0")), taken.toString());
    assertTrue(taken.contains(List.of("s1")), taken.toString());
    assertTrue(taken.contains(List.of("t0", "t1", "t2")), taken.toString());
  }

  @Test
  void aSuspectIsTakenAtOnceWhenNothingElseIsDue() {
    suspects("s0");
    Pulling pulling = queue.pull(10, Duration.ZERO);
    node.answerAll();
    assertEquals(List.of("s0"), pulling.ids());
  }

  @Test
  void pullsAreStarvedNeitherOfSuspectsNorOfTheRest() {
    suspects("s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7");
    insert(0, 8, 0);
    List<String> taken = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      insert(100 + i, 101 + i, 0);
      Pulling pulling = queue.pull(1, Duration.ZERO);
      node.answerAll();
      taken.addAll(pulling.ids());
    }
    assertEquals(3, taken.stream().filter(id -> id.startsWith("s")).count(), taken.toString());
    assertEquals(3, taken.stream().filter(id -> id.startsWith("t")).count(), taken.toString());
  }

  @Test
  void aPullWithoutAWaitEndsThoughASuspectIsHeldBack() {
    suspects("s0", "s1");
    // The first hand of this node is full: a grave one would be let in alone, and holds the gate shut.
    world.pass(Duration.ofSeconds(1));
    node.post(() -> node.node.gate().ask(1));
    Pulling pulling = queue.pull(1, Duration.ZERO);
    node.answerAll();
    assertTrue(pulling.over());
    assertEquals(List.of(), pulling.ids());
  }

  @Test
  void aHandlerAndPullsShareWhatIsDue() {
    queue.handle(this::done);
    insert(0, 20, 0);
    List<String> taken = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Pulling pulling = queue.pull(2, Duration.ofSeconds(1));
      node.settleDown();
      taken.addAll(pulling.ids());
    }
    assertFalse(taken.isEmpty());
    assertFalse(handled.isEmpty());
    assertEquals(20, taken.size() + handled.size());
  }

  @Test
  void aPullIsServedThoughTheHandlerCouldTakeEverything() {
    queue.handle(this::done);
    node.settleDown();
    Pulling pulling = queue.pull(1, Duration.ofSeconds(10));
    node.settleDown();
    List<Integer> moments = new ArrayList<>();
    for (int i = 0; i < 10 && !pulling.over(); i++) {
      queue.schedule("x" + i, 0);
      queue.schedule("y" + i, 0);
      node.settleDown();
      moments.add(i);
    }
    assertTrue(pulling.over());
    assertTrue(moments.size() <= 2, moments.toString());
  }

  @Test
  void withoutCreditEverythingIsLeftToPulls() {
    queue.handle(this::done);
    node.post(() -> queue.dispatcher.workers().credit(0));
    insert(0, 3, 0);
    node.runFor(Duration.ofSeconds(5));
    assertEquals(List.of(), handled);
    Pulling pulling = queue.pull(10, Duration.ofSeconds(1));
    node.settleDown();
    assertEquals(3, pulling.ids().size());
  }
}
