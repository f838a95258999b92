package dev.bide.tck;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.Claimed;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Host;
import dev.bide.spi.Renewed;
import dev.bide.spi.Settled;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Answer;
import dev.bide.task.OnExisting;
import dev.bide.task.TaskId;
import dev.bide.task.TaskState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Calls made at the same moment by threads of their own: whoever wins, each task has one owner and one end. Short,
 * unless the system property {@code bide.long} is set.
 */
abstract class RacingContract extends StoreTest {
  private static final int ROUNDS = Boolean.getBoolean("bide.long") ? 2_000 : 20;

  @Test
  final void eachTaskIsHandedOutOnceHoweverManyThreadsAsk() throws Exception {
    schedule(10 * ROUNDS);
    List<Callable<List<String>>> takers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Node taker = node("taker-" + i);
      takers.add(() -> takeAll(taker));
    }
    List<String> taken = new ArrayList<>();
    together(takers).forEach(taken::addAll);
    assertEquals(10 * ROUNDS, taken.size());
    assertEquals(10 * ROUNDS, new HashSet<>(taken).size());
  }

  /** Claims and completes until nothing is left. */
  private static List<String> takeAll(Node taker) {
    List<String> taken = new ArrayList<>();
    Settlement[] settlements = {};
    while (true) {
      Exchanged reply = taker.exchange(9, settlements);
      reply.settled().forEach(settled -> assertEquals(Settled.Verdict.APPLIED, settled.verdict()));
      if (reply.claims().isEmpty() && !reply.more()) {
        return taken;
      }
      taken.addAll(ids(reply.claims()));
      settlements = reply.claims().stream().map(Node::completed).toArray(Settlement[]::new);
    }
  }

  @Test
  final void aTaskIsEitherCancelledOrHandedOut() throws Exception {
    List<String> ids = schedule(3 * ROUNDS);
    List<String> backwards = new ArrayList<>(ids);
    Collections.reverse(backwards);
    Node one = node("one");
    Node two = node("two");
    List<Set<String>> results = together(List.of(() -> takeInSteps(node), () -> takeInSteps(other),
        () -> cancelAll(one, ids), () -> cancelAll(two, backwards)));
    List<String> ends = new ArrayList<>();
    results.forEach(ends::addAll);
    assertEquals(ids.size(), ends.size(), "each is cancelled or handed out, and no more");
    assertEquals(Set.copyOf(ids), Set.copyOf(ends));
  }

  private static Set<String> takeInSteps(Node taker) {
    Set<String> taken = new HashSet<>();
    for (List<Claimed> claims = taker.claim(2); !claims.isEmpty(); claims = taker.claim(2)) {
      taken.addAll(ids(claims));
    }
    return taken;
  }

  private static Set<String> cancelAll(Node caller, List<String> ids) {
    Set<String> cancelled = new HashSet<>();
    for (String id : ids) {
      Answer answer = caller.cancel(id).answer();
      if (answer == Answer.CANCELLED) {
        cancelled.add(id);
      } else {
        assertTrue(answer == Answer.ALREADY_CLAIMED || answer == Answer.ALREADY_FINISHED, () -> "got " + answer);
      }
    }
    return cancelled;
  }

  @Test
  final void oneOfTwoSchedulesOfAnIdCreatesIt() throws Exception {
    List<String> ids = IntStream.range(0, ROUNDS).mapToObj(i -> "task-" + i).toList();
    for (Pair<Written, Written> pair : race(ids, id -> node.schedule(id, in(HOUR)),
        id -> other.schedule(id, in(DAY)))) {
      assertEquals(Set.of(Answer.CREATED, Answer.KEPT), Set.of(pair.first.answer(), pair.second.answer()));
      assertEquals(pair.first.seq(), pair.second.seq());
    }
  }

  @Test
  final void anIdIsKeptWhileItsFirstLifeEnds() throws Exception {
    List<Claimed> claims = claim(schedule(ROUNDS));
    for (Pair<Settled, Written> pair : race(claims, node::complete, claim -> other.schedule(claim.id(), in(0)))) {
      assertEquals(Settled.Verdict.APPLIED, pair.first.verdict());
      assertEquals(Answer.KEPT, pair.second.answer());
    }
    for (Claimed claim : claims) {
      assertEquals(TaskState.COMPLETED, state(claim.id()));
      assertEquals(claim.seq(), task(claim.id()).seq(), "there is no second life");
    }
  }

  @Test
  final void aNewLifeBeginsOnlyWhenTheOldOneHasEnded() throws Exception {
    List<Claimed> claims = claim(schedule(ROUNDS));
    List<Pair<Settled, Written>> pairs = race(claims, node::complete,
        claim -> other.schedule(claim.id(), in(HOUR), OnExisting.REUSE));
    for (int i = 0; i < claims.size(); i++) {
      Claimed claim = claims.get(i);
      assertEquals(Settled.Verdict.APPLIED, pairs.get(i).first.verdict());
      if (pairs.get(i).second.answer() == Answer.CREATED) {
        assertEquals(TaskState.WAITING, state(claim.id()));
        assertNotEquals(claim.seq(), task(claim.id()).seq());
      } else {
        assertEquals(Answer.KEPT, pairs.get(i).second.answer());
        assertEquals(TaskState.COMPLETED, state(claim.id()));
      }
    }
  }

  @Test
  final void aClaimIsSettledOnce() throws Exception {
    List<Claimed> claims = claim(schedule(ROUNDS));
    List<Pair<Settled, Settled>> pairs = race(claims, node::complete, other::fail);
    for (int i = 0; i < claims.size(); i++) {
      Settled completed = pairs.get(i).first;
      Settled failed = pairs.get(i).second;
      assertEquals(Set.of(Settled.Verdict.APPLIED, Settled.Verdict.REPEATED),
          Set.of(completed.verdict(), failed.verdict()));
      TaskState end = completed.verdict() == Settled.Verdict.APPLIED ? TaskState.COMPLETED : TaskState.FAILED;
      assertEquals(List.of(end, end, end), List.of(completed.state(), failed.state(), state(claims.get(i).id())));
    }
  }

  @Test
  final void aRunOutLeaseIsEitherRenewedOrTakenByAnother() throws Exception {
    Spread spread = new Spread();
    List<Claimed> claims = spread.claim();
    at(LEASE);
    for (Pair<Renewed, Integer> pair : race(claims, spread.owner::renew, spread::take)) {
      assertTrue(pair.equals(new Pair<>(Renewed.RENEWED, 0)) || pair.equals(new Pair<>(Renewed.LOST, 1)),
          () -> "got " + pair);
    }
  }

  @Test
  final void aRunOutLeaseIsEitherSettledOrTakenByAnother() throws Exception {
    Spread spread = new Spread();
    List<Claimed> claims = spread.claim();
    at(LEASE);
    List<Pair<Settled.Verdict, Integer>> pairs = race(claims, claim -> spread.owner.complete(claim).verdict(),
        spread::take);
    for (Pair<Settled.Verdict, Integer> pair : pairs) {
      assertTrue(pair.equals(new Pair<>(Settled.Verdict.APPLIED, 0))
          || pair.equals(new Pair<>(Settled.Verdict.STALE, 1)), () -> "got " + pair);
    }
  }

  /**
   * One task in each of many shards, so that whoever looks in one shard finds one run-out lease and leaves the others.
   */
  private final class Spread {
    private static final int SHARDS = 32;
    private final Map<Integer, String> ids = new HashMap<>();
    private final Map<Integer, Node> takers = new HashMap<>();
    final Node owner;

    Spread() {
      define("spread", SHARDS, ATTEMPTS);
      for (int i = 0; ids.size() < SHARDS; i++) {
        ids.put(shard("task-" + i), "task-" + i);
      }
      ids.keySet().forEach(shard -> takers.put(shard, node("taker-" + shard, "spread", Set.of(shard))));
      owner = node("owner", "spread", ids.keySet());
      owner.write(ids.values().stream().map(id -> owner.insert(id, in(0))).toList());
    }

    private static int shard(String id) {
      return TaskId.shard(TaskId.slot(id), SHARDS);
    }

    List<Claimed> claim() {
      List<Claimed> claims = owner.claim(SHARDS);
      assertEquals(SHARDS, claims.size());
      return claims;
    }

    /** Takes the task of this claim for another node, if it can; returns how many it got. */
    int take(Claimed claim) {
      return requireNonNull(takers.get(shard(claim.id()))).claim(1).size();
    }
  }

  @Test
  final void noExtensionIsLost() throws Exception {
    node.schedule("a", in(HOUR));
    int threads = 4;
    List<Callable<Long>> callers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Node caller = node("caller-" + i);
      callers
          .add(() -> IntStream.range(0, ROUNDS).filter(round -> caller.extend("a", 1).answer() == Answer.DONE).count());
    }
    assertEquals(Set.of((long) ROUNDS), Set.copyOf(together(callers)));
    assertEquals(instant(HOUR + threads * ROUNDS), task("a").dueAt());
  }

  @Test
  final void twoCopiesOfAWriteAtTheSameMomentHaveOneEffect() throws Exception {
    node.schedule("a", in(HOUR));
    List<Stamp> stamps = IntStream.range(0, ROUNDS).mapToObj(i -> node.nextWrite()).toList();
    Function<Stamp, List<Written>> send = stamp -> store.write(List.of(node.extension("a", 1)), stamp).value();
    race(stamps, send, send).forEach(pair -> assertEquals(pair.first, pair.second));
    assertEquals(instant(HOUR + ROUNDS), task("a").dueAt());
  }

  @Test
  final void twoCopiesOfAClaimAtTheSameMomentTakeTheTasksOnce() throws Exception {
    schedule(ROUNDS + 1);
    List<ClaimRequest> requests = IntStream.range(0, ROUNDS).mapToObj(i -> node.request(1)).toList();
    List<Pair<Exchanged, Exchanged>> pairs = race(requests, node::exchange,
        request -> node.exchange(request.again(Node.FOREVER)));
    for (Pair<Exchanged, Exchanged> pair : pairs) {
      List<Claimed> claims = pair.second.claims();
      assertEquals(1, claims.size(), "the second copy always has the claims");
      assertTrue(pair.first.late() || pair.first.claims().equals(claims), "the first has the same, or none");
    }
    assertEquals(1, other.claim(2).size());
  }

  @Test
  final void batchesThatSpanQueuesDoNotBlockEachOther() throws Exception {
    define("mails", 1, ATTEMPTS);
    List<Callable<Integer>> callers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Node orders = node("caller-" + i);
      Node mails = node("caller-" + i, "mails", Set.of(0));
      String suffix = " of " + i;
      boolean turned = i % 2 == 1;
      callers.add(() -> {
        for (int round = 0; round < ROUNDS / 2; round++) {
          Write order = orders.insert("task-" + round + suffix, in(0));
          Write mail = mails.insert("task-" + round, in(0));
          orders.write(turned ? List.of(mail, order) : List.of(order, mail));
        }
        return 0;
      });
    }
    together(callers);
    assertEquals(4 * (ROUNDS / 2), node.claim(4 * ROUNDS).size());
    Map<String, Integer> times = new HashMap<>();
    node("node", "mails", Set.of(0)).claim(4 * ROUNDS).forEach(claim -> times.merge(claim.id(), 1, Integer::sum));
    assertEquals(ROUNDS / 2, times.size());
    assertEquals(Set.of(1), Set.copyOf(times.values()), "whoever came second found it kept");
  }

  /** Tasks {@code task-0} and on, due now; returns their ids. */
  private List<String> schedule(int count) {
    List<Write.Insert> inserts = IntStream.range(0, count).mapToObj(i -> node.insert("task-" + i, in(0))).toList();
    node.write(inserts);
    return inserts.stream().map(Write.Insert::id).toList();
  }

  private List<Claimed> claim(List<String> ids) {
    List<Claimed> claims = node.claim(ids.size());
    assertEquals(ids, ids(claims));
    return claims;
  }

  private record Pair<A, B>(A first, B second) {}

  /**
   * Makes two calls for each item, by two threads that meet before each, and returns the answers in the order of the
   * items.
   */
  private static <T, A, B> List<Pair<A, B>> race(List<T> items, Function<T, A> first, Function<T, B> second)
      throws Exception {
    CyclicBarrier meeting = new CyclicBarrier(2);
    List<A> firsts = new ArrayList<>();
    List<B> seconds = new ArrayList<>();
    together(List.of(() -> callEach(items, first, firsts, meeting), () -> callEach(items, second, seconds, meeting)));
    return IntStream.range(0, items.size()).mapToObj(i -> new Pair<>(firsts.get(i), seconds.get(i))).toList();
  }

  private static <T, A> int callEach(List<T> items, Function<T, A> call, List<A> answers, CyclicBarrier meeting)
      throws Exception {
    for (T item : items) {
      meeting.await(30, TimeUnit.SECONDS);
      answers.add(call.apply(item));
    }
    return answers.size();
  }

  /** Makes each call on a thread of its own, from the same moment on, and returns the answers in their order. */
  private static <T> List<T> together(List<? extends Callable<? extends T>> calls) throws Exception {
    ExecutorService threads = Host.pool("race");
    try {
      CyclicBarrier start = new CyclicBarrier(calls.size());
      List<Future<T>> futures = new ArrayList<>();
      for (Callable<? extends T> call : calls) {
        futures.add(threads.submit(() -> {
          start.await();
          return call.call();
        }));
      }
      List<T> answers = new ArrayList<>();
      for (Future<T> future : futures) {
        answers.add(future.get(60, TimeUnit.SECONDS));
      }
      return answers;
    } catch (ExecutionException e) {
      throw new AssertionError("a thread failed: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("calls made at the same moment did not end within 60 s", e);
    } finally {
      threads.shutdownNow();
    }
  }
}
