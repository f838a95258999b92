package dev.bide;

import static dev.bide.TaskEvent.Kind.BREAKER_CLOSED;
import static dev.bide.TaskEvent.Kind.BREAKER_OPENED;
import static dev.bide.TaskEvent.Kind.BREAKER_PROBING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.CircuitBreaker.State;
import dev.bide.SteppedNode.Asked;
import dev.bide.SteppedNode.Pulling;
import dev.bide.SteppedNode.World;
import dev.bide.spi.StoreException;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How a queue stops claiming while all its tasks fail, and goes on afterwards; driven by hand, in virtual time. */
class CircuitBreakerTest {
  private static final Duration PAUSE = Duration.ofSeconds(10);
  private static final Duration NANO = Duration.ofNanos(1);

  private final World world = new World();
  private final SteppedNode node = new SteppedNode(world, "n1");
  private final List<String> started = new ArrayList<>();
  private boolean broken = true;

  private static QueueSpec<String> spec() {
    return QueueSpec.of("q", String.class).handlers(1).circuitBreaker(3, PAUSE)
        .retry(Retry.fixed(Duration.ofHours(1)).attempts(3));
  }

  private Outcome handle(Claim<String> claim) {
    started.add(claim.id());
    if (broken) {
      throw new IllegalStateException("no line");
    }
    return Outcome.done();
  }

  private void insert(int from, int to) {
    IntStream.range(from, to).forEach(i -> world.insert("q", "t" + i, 0));
  }

  private List<TaskEvent.Kind> turns() {
    return node.events.stream().map(TaskEvent::kind).filter(kind -> kind.name().startsWith("BREAKER")).toList();
  }

  /** A queue whose breaker has just been opened by three tasks, of ten. */
  private SteppedNode.Queue opened() {
    SteppedNode.Queue queue = node.queue(spec());
    insert(0, 10);
    queue.handle(this::handle);
    node.settleDown();
    assertEquals(List.of("t0", "t1", "t2"), started);
    assertEquals(List.of(BREAKER_OPENED), turns());
    return queue;
  }

  @Test
  void afterSoManyFailuresInARowNothingIsClaimedForThePause() {
    SteppedNode.Queue queue = opened();
    node.runFor(PAUSE.minus(NANO));
    assertEquals(3, started.size());
    assertEquals(0, queue.task("t3").claims());
    assertEquals(new CircuitBreaker(State.OPEN, 3, 1, Optional.of(Instant.ofEpochMilli(SteppedNode.START + 10_000))),
        queue.dispatcher.breaker());
    node.runFor(NANO);
    assertEquals(List.of("t0", "t1", "t2", "t3"), started, "one probes");
  }

  @Test
  void itSaysWhyItOpens() {
    opened();
    TaskEvent event = node.event(BREAKER_OPENED).orElseThrow();
    assertEquals("q", event.queue());
    assertEquals("", event.task());
    assertEquals("failures in a row: 3, the last of task t2: java.lang.IllegalStateException: no line",
        event.detail());
    assertEquals("no line", event.cause().orElseThrow().getMessage());
  }

  @Test
  void aProbeThatFailsBeginsAnotherPause() {
    SteppedNode.Queue queue = opened();
    node.runFor(PAUSE);
    node.runFor(PAUSE.minus(NANO));
    assertEquals(4, started.size());
    node.runFor(NANO);
    assertEquals(5, started.size());
    assertEquals(List.of(BREAKER_OPENED, BREAKER_PROBING, BREAKER_OPENED, BREAKER_PROBING, BREAKER_OPENED), turns());
    assertEquals(3, queue.dispatcher.breaker().opened());
  }

  @Test
  void aProbeThatSucceedsLetsAllGoOnAtOnce() {
    SteppedNode.Queue queue = opened();
    node.runFor(PAUSE.minus(NANO));
    broken = false;
    node.runFor(NANO);
    assertEquals(10, started.size());
    assertEquals(List.of(BREAKER_OPENED, BREAKER_PROBING, BREAKER_CLOSED), turns());
    assertEquals(new CircuitBreaker(State.CLOSED, 0, 1, Optional.empty()), queue.dispatcher.breaker());
  }

  @Test
  void whileOneProbesNothingElseIsClaimed() {
    List<CompletableFuture<Outcome>> stages = new ArrayList<>();
    SteppedNode.Queue queue = node.queue(spec().handlers(3).prefetch(5)).handleAsync(claim -> {
      started.add(claim.id());
      CompletableFuture<Outcome> stage = new CompletableFuture<>();
      stages.add(stage);
      return stage;
    });
    insert(0, 3);
    node.settleDown();
    stages.forEach(stage -> stage.complete(Outcome.retryIn(Duration.ofHours(1))));
    node.settleDown();
    insert(3, 10);
    node.runFor(PAUSE);
    assertEquals(4, started.size());
    Pulling pulling = queue.pull(5, Duration.ofSeconds(30));
    node.runFor(Duration.ofSeconds(30).minus(NANO));
    assertFalse(pulling.over());
    node.runFor(NANO);
    assertTrue(pulling.over());
    assertEquals(List.of(), pulling.ids());
    assertEquals(4, started.size());
    assertEquals(1, queue.leases.held().size());
    stages.get(3).complete(Outcome.done());
    node.settleDown();
    assertEquals(7, started.size());
  }

  @Test
  void withoutADueTaskItLooksForAProbeAsUsual() {
    SteppedNode.Queue queue = node.queue(spec());
    insert(0, 3);
    queue.handle(this::handle);
    node.runFor(PAUSE);
    world.store.forget();
    node.runFor(Duration.ofSeconds(20));
    assertEquals(20, node.exchanges());
    assertTrue(world.store.calls(TappedStore.Kind.EXCHANGE).stream().allMatch(call -> call.limit() == 1));
    assertEquals(State.PROBING, queue.dispatcher.breaker().state());
    assertEquals(List.of(BREAKER_OPENED, BREAKER_PROBING), turns());
    broken = false;
    queue.schedule("probe", 0);
    node.settleDown();
    assertEquals(State.CLOSED, queue.dispatcher.breaker().state());
  }

  @Test
  void nothingIsAskedOfTheStoreWhileItIsOpen() {
    opened();
    world.store.forget();
    node.runFor(PAUSE.minus(NANO));
    assertEquals(0, node.exchanges());
  }

  @Test
  void whatWasClaimedAheadIsGivenBackAndNoAttemptIsSpent() {
    SteppedNode.Queue queue = node.queue(spec().handlers(2).prefetch(8));
    insert(0, 20);
    queue.handle(this::handle);
    node.settleDown();
    // A second one had been given to the executor, and began before the third failed.
    assertTrue(started.size() <= 4, started.toString());
    for (int i = started.size(); i < 20; i++) {
      assertEquals(TaskState.WAITING, queue.task("t" + i).state(), "t" + i);
      assertEquals(0, queue.task("t" + i).attempt(), "t" + i);
    }
    assertTrue(queue.leases.isEmpty());
    broken = false;
    node.runFor(PAUSE);
    assertEquals(20, started.size());
  }

  @Test
  void whatAnExchangeUnderWayBringsIsGivenBack() {
    CompletableFuture<Outcome> stage = new CompletableFuture<>();
    SteppedNode.Queue queue = node.queue(spec().handlers(3).circuitBreaker(1, PAUSE)).handleAsync(claim -> stage);
    queue.schedule("a", 0);
    node.settleDown();
    insert(0, 5);
    queue.dispatcher.signal(0);
    node.turn();
    Asked<?> underWay = node.exchange();
    stage.complete(Outcome.retryIn(Duration.ofHours(1)));
    node.turn();
    assertEquals(List.of(BREAKER_OPENED), turns());
    underWay.reply();
    node.settleDown();
    for (int i = 0; i < 5; i++) {
      assertEquals(TaskState.WAITING, queue.task("t" + i).state());
      assertEquals(0, queue.task("t" + i).attempt());
    }
  }

  /** It was asked for more than one; none of them is the probe. */
  @Test
  void whatAnExchangeBringsThatOutlastsThePauseIsGivenBackToo() {
    List<CompletableFuture<Outcome>> stages = new ArrayList<>();
    SteppedNode.Queue queue = node.queue(spec().handlers(3).circuitBreaker(1, Duration.ofMillis(10)))
        .handleAsync(claim -> {
          stages.add(new CompletableFuture<>());
          return stages.get(stages.size() - 1);
        });
    queue.schedule("a", 0);
    node.settleDown();
    insert(0, 5);
    queue.dispatcher.signal(0);
    node.turn();
    Asked<?> underWay = node.exchange();
    stages.get(0).complete(Outcome.retryIn(Duration.ofHours(1)));
    node.turn();
    world.pass(Duration.ofMillis(10));
    node.turn();
    underWay.reply();
    node.settleDown();
    assertEquals(2, stages.size(), "one probes");
    assertEquals(1, queue.leases.held().size());
    stages.get(1).complete(Outcome.done());
    node.settleDown();
    assertEquals(5, stages.size(), "all handlers are busy again");
  }

  @Test
  void aWaitingTakeWaitsOnAndEndsAtItsOwnTime() {
    SteppedNode.Queue queue = opened();
    Pulling pulling = queue.pull(5, Duration.ofSeconds(4));
    Pulling looks = queue.pull(5, Duration.ZERO);
    node.turn();
    assertTrue(looks.over());
    node.runFor(Duration.ofSeconds(4).minus(NANO));
    assertFalse(pulling.over());
    node.runFor(NANO);
    assertTrue(pulling.over());
    assertEquals(List.of(), pulling.ids());
    assertEquals(0, queue.task("t3").claims());
  }

  @Test
  void takersCountAndProbeToo() {
    SteppedNode.Queue queue = node.queue(spec());
    insert(0, 10);
    Pulling three = queue.pull(3, Duration.ZERO);
    node.answerAll();
    three.claims().forEach(claim -> queue.settle(claim, Outcome.retryIn(Duration.ofHours(1))));
    node.answerAll();
    assertEquals(List.of(BREAKER_OPENED), turns());
    Pulling waits = queue.pull(5, Duration.ofMinutes(1));
    node.answerFor(PAUSE.minus(NANO));
    assertFalse(waits.over());
    node.answerFor(NANO);
    assertEquals(List.of("t3"), waits.ids());
    Pulling next = queue.pull(5, Duration.ofMinutes(1));
    node.answerFor(Duration.ofSeconds(30));
    assertFalse(next.over());
    queue.settle(waits.claims().get(0), Outcome.done());
    node.answerAll();
    assertEquals(5, next.claims().size());
    assertEquals(List.of(BREAKER_OPENED, BREAKER_PROBING, BREAKER_CLOSED), turns());
  }

  @Test
  void aProbeThatIsGivenBackLetsAnotherFollow() {
    SteppedNode.Queue queue = node.queue(spec());
    insert(0, 10);
    Pulling three = queue.pull(3, Duration.ZERO);
    node.answerAll();
    three.claims().forEach(claim -> queue.settle(claim, Outcome.retryIn(Duration.ofHours(1))));
    node.answerFor(PAUSE);
    Pulling first = queue.pull(5, Duration.ofMinutes(1));
    Pulling second = queue.pull(5, Duration.ofMinutes(1));
    node.answerAll();
    assertEquals(1, first.claims().size());
    assertFalse(second.over());
    queue.settle(first.claims().get(0), Outcome.release());
    node.answerAll();
    assertEquals(1, second.claims().size());
    assertEquals(List.of(BREAKER_OPENED, BREAKER_PROBING), turns());
  }

  @Test
  void aProbeThatIsLostLetsAnotherFollowAndItsLateOutcomeChangesNothing() {
    List<CompletableFuture<Outcome>> stages = new ArrayList<>();
    SteppedNode.Queue queue = node.queue(spec().handlers(2).lease(Duration.ofSeconds(3)).circuitBreaker(1, PAUSE))
        .handleAsync(claim -> {
          started.add(claim.id());
          stages.add(new CompletableFuture<>());
          return stages.get(stages.size() - 1);
        });
    queue.schedule("a", 0);
    node.settleDown();
    stages.get(0).complete(Outcome.retryIn(Duration.ofHours(1)));
    node.settleDown();
    insert(0, 5);
    node.runFor(PAUSE);
    assertEquals(List.of("a", "t0"), started);
    // The node stands still, and another takes the probe over.
    world.pass(Duration.ofSeconds(3));
    SteppedNode other = new SteppedNode(world, "n2");
    SteppedNode.Queue its = other.queue(spec());
    Pulling others = its.pull(10, Duration.ZERO);
    other.answerAll();
    Pulling suspect = its.pull(10, Duration.ZERO);
    other.answerAll();
    assertEquals(List.of("t1", "t2", "t3", "t4"), others.ids());
    assertEquals(List.of("t0"), suspect.ids());
    queue.schedule("next", 0);
    node.settleDown();
    assertEquals(List.of("a", "t0", "next"), started);
    stages.get(1).complete(Outcome.done());
    node.settleDown();
    assertEquals(State.PROBING, queue.dispatcher.breaker().state());
    stages.get(2).complete(Outcome.done());
    node.settleDown();
    assertEquals(State.CLOSED, queue.dispatcher.breaker().state());
  }

  @Test
  void aLostReplyDoesNotLoseTheProbe() {
    SteppedNode.Queue queue = opened();
    broken = false;
    node.runFor(PAUSE.minus(NANO));
    world.pass(NANO);
    node.turn();
    node.exchange().loseReply(StoreException.passing("away", null));
    node.runFor(Duration.ofSeconds(1));
    assertEquals(State.CLOSED, queue.dispatcher.breaker().state());
    assertEquals(10, started.size());
    assertEquals(1, queue.task("t3").claims());
  }

  private SteppedNode.Queue threeOfSixFail(Map<String, CompletableFuture<Outcome>> stages) {
    SteppedNode.Queue queue = node.queue(spec().handlers(6)).handleAsync(claim -> stage(stages, claim));
    insert(0, 20);
    node.settleDown();
    for (int i = 0; i < 3; i++) {
      stage(stages, i).complete(Outcome.retryIn(Duration.ofHours(1)));
    }
    return queue;
  }

  @Test
  void whatRunsWhenItOpensRunsOnAndChangesNothing() {
    Map<String, CompletableFuture<Outcome>> stages = new HashMap<>();
    SteppedNode.Queue queue = threeOfSixFail(stages);
    node.settleDown();
    stage(stages, 3).complete(Outcome.done());
    node.settleDown();
    assertEquals(TaskState.COMPLETED, queue.task("t3").state());
    assertEquals(State.OPEN, queue.dispatcher.breaker().state());
    node.runFor(PAUSE);
    stage(stages, 4).complete(Outcome.done());
    stage(stages, 5).complete(Outcome.retryIn(Duration.ofHours(1)));
    node.settleDown();
    assertEquals(new CircuitBreaker(State.PROBING, 3, 1, Optional.empty()), queue.dispatcher.breaker());
    assertEquals(7, stages.size());
  }

  @Test
  void whatRanWhenItOpenedChangesNothingAfterItHasClosedEither() {
    Map<String, CompletableFuture<Outcome>> stages = new HashMap<>();
    SteppedNode.Queue queue = threeOfSixFail(stages);
    node.runFor(PAUSE);
    stage(stages, 6).complete(Outcome.done());
    node.settleDown();
    assertEquals(State.CLOSED, queue.dispatcher.breaker().state());
    for (int i = 3; i < 6; i++) {
      stage(stages, i).complete(Outcome.retryIn(Duration.ofHours(1)));
    }
    node.settleDown();
    assertEquals(new CircuitBreaker(State.CLOSED, 0, 1, Optional.empty()), queue.dispatcher.breaker());
    for (int i = 7; i < 10; i++) {
      stage(stages, i).complete(Outcome.retryIn(Duration.ofHours(1)));
    }
    node.settleDown();
    assertEquals(State.OPEN, queue.dispatcher.breaker().state(), "what began afterwards counts");
  }

  private static CompletionStage<Outcome> stage(Map<String, CompletableFuture<Outcome>> stages, Claim<String> claim) {
    return stages.computeIfAbsent(claim.id(), id -> new CompletableFuture<>());
  }

  private static CompletableFuture<Outcome> stage(Map<String, CompletableFuture<Outcome>> stages, int task) {
    return stages.computeIfAbsent("t" + task, id -> new CompletableFuture<>());
  }

  /** What a handler does with each of many tasks; whether the breaker opens. */
  private boolean opens(QueueSpec<String> spec, Handler<String> handler) {
    SteppedNode.Queue queue = node.queue(spec.retry(Retry.never()));
    insert(0, 10);
    queue.handle(handler);
    node.settleDown();
    return queue.dispatcher.breaker().opened() > 0;
  }

  @Test
  void retryInIsAFailure() {
    assertTrue(opens(spec(), claim -> Outcome.retryIn(Duration.ZERO)));
  }

  @Test
  @SuppressWarnings("NullAway") // a careless handler
  void nullIsAFailure() {
    assertTrue(opens(spec(), claim -> null));
  }

  @Test
  void aBackoffThatFailsAfterAFailureIsAFailure() {
    SteppedNode.Queue queue = node.queue(spec().retry(Retry.by(attempt -> {
      throw new IllegalArgumentException("no idea");
    })));
    insert(0, 10);
    queue.handle(this::handle);
    node.settleDown();
    assertEquals(TaskState.FAILED, queue.task("t0").state());
    assertEquals(State.OPEN, queue.dispatcher.breaker().state());
  }

  @Test
  void aTimeoutIsAFailure() {
    SteppedNode.Queue queue = node.queue(spec().handlers(3).handlerTimeout(Duration.ofMillis(5)))
        .handleAsync(claim -> new CompletableFuture<>());
    insert(0, 10);
    node.runFor(Duration.ofMillis(5));
    assertEquals(State.OPEN, queue.dispatcher.breaker().state());
  }

  @Test
  void decisionsAboutTheTaskAreSuccesses() {
    assertFalse(opens(spec(), claim -> switch (claim.id().charAt(1) % 3) {
      case 0 -> Outcome.fail("no such order");
      case 1 -> Outcome.skip("paid");
      default -> throw new IllegalStateException("no line");
    }));
  }

  @Test
  void aPayloadThatCannotBeReadIsNeither() {
    assertTrue(opens(spec().codec(new TextCodec(text -> text.charAt(1) % 2 == 0)), this::handle));
    assertEquals(List.of("t0", "t2", "t4"), started);
  }

  @Test
  void withoutABreakerNothingStopsTheClaims() {
    SteppedNode.Queue queue = node.queue(QueueSpec.of("q", String.class));
    insert(0, 50);
    queue.handle(this::handle);
    node.settleDown();
    assertEquals(50, started.size());
    assertEquals(State.CLOSED, queue.dispatcher.breaker().state());
    assertEquals(List.of(), turns());
  }

  @Test
  void aNodeThatStopsWhileItIsOpenEnds() {
    SteppedNode.Queue queue = opened();
    node.post(queue.dispatcher::stop);
    node.settleDown();
    assertTrue(queue.dispatcher.idle());
  }

  @Test
  void badSettingsAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> spec().circuitBreaker(0, PAUSE));
    assertThrows(IllegalArgumentException.class, () -> spec().circuitBreaker(10_001, PAUSE));
    assertThrows(IllegalArgumentException.class, () -> spec().circuitBreaker(1, Duration.ofMillis(1).minus(NANO)));
    assertEquals("q", spec().circuitBreaker(10_000, Duration.ofSeconds(Long.MAX_VALUE)).name());
  }
}
