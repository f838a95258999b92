package dev.bide;

import static dev.bide.TaskEvent.Kind.CANCELLED;
import static dev.bide.TaskEvent.Kind.LEASE_LOST;
import static dev.bide.TaskEvent.Kind.SETTLEMENT_REFUSED;
import static dev.bide.TaskEvent.Kind.STORE_FAILED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.SteppedNode.World;
import dev.bide.TappedStore.Kind;
import dev.bide.spi.Renewed;
import dev.bide.spi.Reply;
import dev.bide.spi.StoreException;
import dev.bide.spi.Write;
import dev.bide.task.Answer;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a node keeps the leases of what it holds; driven by hand, in virtual time. */
class LeasesTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  /** The store's clock may be a millisecond further than it shows, and run faster by a 5,000th. */
  private static final long SURE = LEASE.minusMillis(1).toNanos() / 5_000 * 4_999;
  private static final StoreException PASSING = StoreException.passing("away for a moment", null);

  private final World world = new World();
  private final SteppedNode node = new SteppedNode(world, "n1");
  private final SteppedNode.Queue queue = node.queue(spec());

  private static QueueSpec<String> spec() {
    return QueueSpec.of("q", String.class).lease(LEASE);
  }

  private HeldClaim held(String id) {
    world.insert("q", id, 0);
    SteppedNode.Pulling pulling = queue.pull(1, Duration.ZERO);
    node.answerAll();
    return pulling.claims().get(0);
  }

  private int renewals() {
    return world.store.calls(Kind.RENEW).size();
  }

  private void at(Duration moment) {
    node.answerFor(moment.minusNanos(world.nanos));
  }

  @Test
  void aLeaseIsRenewedAfterAThirdOfItsTimeAgainAndAgain() {
    HeldClaim claim = held("a");
    at(LEASE.dividedBy(3).minusNanos(1));
    assertEquals(0, renewals());
    at(LEASE.dividedBy(3));
    node.answerAll();
    assertEquals(1, renewals());
    at(LEASE.multipliedBy(10));
    assertEquals(30, renewals());
    assertEquals(TaskState.PROCESSING, queue.task("a").state());
    assertFalse(queue.task("a").lapsed());
    assertFalse(claim.lost(world.nanos));
  }

  @Test
  void leasesThatAreDueTogetherAreRenewedTogether() {
    for (int i = 0; i < 50; i++) {
      held("t" + i);
      world.pass(Duration.ofMillis(10));
    }
    at(LEASE.dividedBy(3).plusSeconds(1));
    assertEquals(1, renewals());
    assertEquals(50, world.store.calls(Kind.RENEW).get(0).held().size());
  }

  @Test
  void aBatchOfRenewalsIsBounded() {
    for (int i = 0; i < 2_500; i++) {
      world.insert("q", "t" + i, 0);
    }
    for (int i = 0; i < 3; i++) {
      queue.pull(1_000, Duration.ZERO);
    }
    node.answerAll();
    assertEquals(2_500, queue.leases.held().size());
    at(LEASE.dividedBy(3).plusSeconds(1));
    assertEquals(List.of(1_000, 1_000, 500),
        world.store.calls(Kind.RENEW).stream().map(call -> call.held().size()).toList());
  }

  /** The claim was on its way for long: its lease runs from when it was asked for. */
  @Test
  void aLeaseIsCountedFromBeforeTheClaimWasSent() {
    world.insert("q", "a", 0);
    SteppedNode.Pulling pulling = queue.pull(1, Duration.ofMinutes(1));
    node.turn();
    late(node.exchange(), Duration.ofSeconds(9));
    HeldClaim claim = pulling.claims().get(0);
    assertEquals(SURE, claim.leaseEnd());
    assertEquals(LEASE.dividedBy(3).toNanos(), node.turn());
  }

  @Test
  void aRenewedLeaseIsCountedFromBeforeTheRenewalWasSent() {
    HeldClaim claim = held("a");
    world.pass(Duration.ofSeconds(10));
    node.turn();
    late(node.renewal(), Duration.ofSeconds(6));
    assertEquals(Duration.ofSeconds(10).toNanos() + SURE, claim.leaseEnd());
    assertEquals(Duration.ofSeconds(20).toNanos(), node.turn());
  }

  private <R> void late(SteppedNode.Asked<R> asked, Duration way) {
    R reply = asked.perform();
    world.pass(way);
    asked.arrive(reply);
  }

  @Test
  void aFailedRenewalIsRepeatedSoon() {
    HeldClaim claim = held("a");
    world.pass(Duration.ofSeconds(10));
    node.turn();
    node.renewal().fail(PASSING);
    assertEquals(Duration.ofMillis(10_100).toNanos(), node.turn());
    assertTrue(node.event(STORE_FAILED).isPresent());
    at(Duration.ofMinutes(1));
    assertFalse(claim.lost(world.nanos));
  }

  /** A transaction of the user's holds the task: it is neither lost nor prolonged, and asked for again soon. */
  @Test
  @SuppressWarnings("unchecked") // a renewal is answered so
  void aBusyTaskIsAskedForAgainSoon() {
    HeldClaim claim = held("a");
    world.pass(Duration.ofSeconds(10));
    node.turn();
    ((SteppedNode.Asked<Reply<List<Renewed>>>) node.renewal())
        .arrive(Reply.of(world.store.now(), List.of(Renewed.BUSY)));
    assertTrue(node.event(LEASE_LOST).isEmpty());
    assertEquals(SURE, claim.leaseEnd());
    assertEquals(Duration.ofSeconds(13).toNanos(), node.turn());
    at(Duration.ofMinutes(2));
    assertFalse(claim.lost(world.nanos));
  }

  /** The store's clock was stepped forward: what it says counts, though the lease has time left here. */
  @Test
  @SuppressWarnings("unchecked") // a renewal is answered so
  void aClaimThatTheStoreCallsLostIsNotStarted() {
    List<String> handled = new ArrayList<>();
    queue.handle(claim -> {
      handled.add(claim.id());
      return Outcome.done();
    });
    queue.schedule("a", 0);
    node.answerAll();
    world.pass(Duration.ofSeconds(10));
    node.turn();
    ((SteppedNode.Asked<Reply<List<Renewed>>>) node.renewal())
        .arrive(Reply.of(world.store.now(), List.of(Renewed.LOST)));
    node.runHandlers();
    assertEquals(List.of(), handled);
  }

  @Test
  void aLeaseThatCannotBeRenewedIsLostByThisNodesClock() {
    HeldClaim claim = held("a");
    world.store.before(call -> {
      throw PASSING;
    });
    at(Duration.ofNanos(SURE - 1));
    assertFalse(claim.lost(world.nanos));
    at(Duration.ofNanos(SURE));
    assertTrue(claim.lost(world.nanos));
  }

  @Test
  void aLostLeaseIsToldToTheHandlerAndItsSettlementIsRefusedAndReported() {
    HeldClaim claim = held("a");
    world.pass(LEASE);
    SteppedNode other = new SteppedNode(world, "n2");
    other.queue(spec()).handle(any -> Outcome.done());
    other.settleDown();
    node.answerAll();
    assertTrue(claim.lost(world.nanos));
    assertEquals(1, node.events.stream().filter(event -> event.kind() == LEASE_LOST).count());
    at(LEASE.multipliedBy(4));
    assertEquals(1, renewals(), "a lost lease is not renewed");
    queue.settle(claim, Outcome.done());
    node.answerAll();
    assertEquals(SETTLEMENT_REFUSED, node.events.get(node.events.size() - 1).kind());
    assertTrue(queue.leases.isEmpty());
    assertTrue(queue.dispatcher.idle());
  }

  @Test
  void aLapsedLeaseThatNobodyHasFoundIsStillRenewedAndSettled() {
    HeldClaim claim = held("a");
    world.pass(LEASE.multipliedBy(2));
    assertTrue(claim.lost(world.nanos));
    node.answerAll();
    assertFalse(claim.lost(world.nanos), "the store has prolonged it");
    queue.settle(claim, Outcome.done());
    node.answerAll();
    assertEquals(TaskState.COMPLETED, queue.task("a").state());
  }

  @Test
  void aCancelRequestReachesARunningHandlerWithTheNextRenewal() {
    HeldClaim claim = held("a");
    assertEquals(Answer.ALREADY_CLAIMED, world.write(new Write.Cancel("q", "a", "me")).answer());
    at(Duration.ofSeconds(10).minusNanos(1));
    assertFalse(claim.cancelRequested());
    at(Duration.ofSeconds(10));
    node.answerAll();
    assertTrue(claim.cancelRequested());
    queue.settle(claim, Outcome.retryIn(Duration.ZERO));
    node.answerAll();
    assertEquals(TaskState.CANCELLED, queue.task("a").state());
    assertTrue(node.kinds("a").contains(CANCELLED));
  }

  @Test
  void whatIsClaimedAheadOrWaitsInTheExecutorIsRenewedToo() {
    for (int i = 0; i < 20; i++) {
      queue.schedule("t" + i, 0);
    }
    SteppedNode.Queue prefetching = node.queue(spec().handlers(2).prefetch(3)).handle(claim -> Outcome.done());
    at(LEASE.multipliedBy(4));
    assertEquals(5, prefetching.leases.held().size());
    assertEquals(5, prefetching.leases.held().stream().filter(claim -> !claim.lost(world.nanos)).count());
    node.settleDown();
    assertEquals(TaskState.COMPLETED, queue.task("t19").state());
    assertEquals(0, queue.task("t0").lapses());
  }

  @Test
  void renewalGoesOnWhileTheExchangeIsStuck() {
    HeldClaim claim = held("a");
    queue.pull(1, Duration.ofHours(1));
    node.turn();
    assertTrue(node.exchangeUnderWay());
    for (int i = 1; i <= 12; i++) {
      world.nanos = Duration.ofSeconds(10L * i).toNanos();
      node.turn();
      node.renewal().reply();
    }
    assertFalse(claim.lost(world.nanos));
  }

  @Test
  void whatIsSettledWhileItsRenewalIsUnderWayIsNotReportedAsLost() {
    HeldClaim claim = held("a");
    world.pass(Duration.ofSeconds(10));
    node.turn();
    SteppedNode.Asked<?> renewal = node.renewal();
    queue.settle(claim, Outcome.done());
    node.turn();
    node.exchange().reply();
    renewal.reply();
    assertTrue(node.event(LEASE_LOST).isEmpty());
    assertTrue(queue.leases.isEmpty());
  }

  @Test
  void whatIsRenewedWhileItsSettlementIsUnderWayIsNotReportedAsLost() {
    HeldClaim claim = held("a");
    world.pass(Duration.ofSeconds(10));
    queue.settle(claim, Outcome.done());
    node.turn();
    SteppedNode.Asked<?> exchange = node.exchange();
    exchange.perform();
    node.renewal().reply();
    exchange.reply();
    assertTrue(node.event(LEASE_LOST).isEmpty());
    assertTrue(node.event(SETTLEMENT_REFUSED).isEmpty());
    assertEquals(TaskState.COMPLETED, queue.task("a").state());
  }
}
