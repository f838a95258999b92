package dev.bide.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.Claimed;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Renewed;
import dev.bide.spi.Settled;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Answer;
import dev.bide.task.OnExisting;
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
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Calls made at the same moment by threads of their own: whoever wins, each task has one owner and one end. */
abstract class RacingContract extends StoreTest {
  private static final int ROUNDS = 40;

  @Test
  final void eachTaskIsHandedOutOnceHoweverManyThreadsAsk() throws Exception {
    int count = 400;
    schedule(count);
    List<Callable<List<String>>> takers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Node taker = node("taker-" + i);
      takers.add(() -> takeAll(taker));
    }
    List<String> taken = new ArrayList<>();
    together(takers).forEach(taken::addAll);
    assertEquals(count, taken.size());
    assertEquals(count, new HashSet<>(taken).size());
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
    int count = 120;
    schedule(count);
    Set<String> cancelled = Collections.synchronizedSet(new HashSet<>());
    Set<String> claimed = Collections.synchronizedSet(new HashSet<>());
    Node forwards = node("forwards");
    Node backwards = node("backwards");
    together(List.of(() -> takeInSteps(node, claimed), () -> takeInSteps(other, claimed),
        () -> cancelAll(forwards, IntStream.range(0, count), cancelled),
        () -> cancelAll(backwards, IntStream.range(0, count).map(i -> count - 1 - i), cancelled)));
    Set<String> both = new HashSet<>(cancelled);
    both.retainAll(claimed);
    assertEquals(Set.of(), both, "cancelled and handed out");
    assertEquals(count, cancelled.size() + claimed.size());
    for (String id : cancelled) {
      assertEquals(TaskState.CANCELLED, state(id));
    }
  }

  private static int takeInSteps(Node taker, Set<String> claimed) {
    for (List<Claimed> claims = taker.claim(3); !claims.isEmpty(); claims = taker.claim(3)) {
      claimed.addAll(ids(claims));
    }
    return claimed.size();
  }

  private static int cancelAll(Node caller, IntStream tasks, Set<String> cancelled) {
    tasks.mapToObj(i -> "task-" + i).forEach(id -> {
      Answer answer = caller.cancel(id).answer();
      if (answer == Answer.CANCELLED) {
        assertTrue(cancelled.add(id), "cancelled once");
      } else {
        assertTrue(answer == Answer.ALREADY_CLAIMED || answer == Answer.ALREADY_FINISHED, () -> "got " + answer);
      }
    });
    return cancelled.size();
  }

  @Test
  final void oneOfTwoSchedulesOfAnIdCreatesIt() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      String id = "task-" + round;
      List<Written> answers = together(List.of(() -> node.schedule(id, in(HOUR)), () -> other.schedule(id, in(DAY))));
      assertEquals(Set.of(Answer.CREATED, Answer.KEPT), Set.of(answers.get(0).answer(), answers.get(1).answer()));
      assertEquals(answers.get(0).seq(), answers.get(1).seq());
    }
  }

  @Test
  final void anIdIsKeptWhileItsFirstLifeEnds() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      String id = "task-" + round;
      long seq = node.schedule(id, in(0)).seq();
      Claimed claim = node.claim();
      List<Object> answers = together(
          List.of(() -> node.settle(round(claim)).verdict(), () -> other.schedule(id, in(0)).answer()));
      assertEquals(List.of(Settled.Verdict.APPLIED, Answer.KEPT), answers);
      assertEquals(seq, task(id).seq(), "there is no second life");
      assertTrue(state(id).finished());
    }
    assertEquals(List.of(), node.claim(1));
  }

  private static Settlement round(Claimed claim) {
    return claim.seq() % 2 == 0 ? Node.completed(claim) : Node.failed(claim);
  }

  @Test
  final void aNewLifeBeginsOnlyWhenTheOldOneHasEnded() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      String id = "task-" + round;
      long seq = node.schedule(id, in(0)).seq();
      Claimed claim = node.claim();
      List<Object> answers = together(
          List.of(() -> node.complete(claim).verdict(), () -> other.schedule(id, in(HOUR), OnExisting.REUSE).answer()));
      assertEquals(Settled.Verdict.APPLIED, answers.get(0));
      if (answers.get(1) == Answer.CREATED) {
        assertEquals(TaskState.WAITING, state(id));
        assertNotEquals(seq, task(id).seq());
      } else {
        assertEquals(Answer.KEPT, answers.get(1));
        assertEquals(TaskState.COMPLETED, state(id));
      }
    }
  }

  @Test
  final void aClaimIsSettledOnce() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      node.schedule("task-" + round, in(0));
      Claimed claim = node.claim();
      List<Settled> answers = together(List.of(() -> node.complete(claim), () -> other.fail(claim)));
      assertEquals(Set.of(Settled.Verdict.APPLIED, Settled.Verdict.REPEATED),
          Set.of(answers.get(0).verdict(), answers.get(1).verdict()));
      TaskState winner = answers.get(0).verdict() == Settled.Verdict.APPLIED ? TaskState.COMPLETED : TaskState.FAILED;
      assertEquals(winner, state("task-" + round));
      assertEquals(winner, answers.get(0).state());
      assertEquals(winner, answers.get(1).state());
    }
  }

  @Test
  final void aRunOutLeaseIsEitherRenewedOrClaimedByAnother() throws Exception {
    for (int round = 1; round <= ROUNDS; round++) {
      at(2 * round * DAY);
      node.schedule("task-" + round, in(0));
      Claimed claim = node.claim();
      at(2 * round * DAY + LEASE);
      List<Object> answers = together(List.of(() -> node.renew(claim), () -> other.claim(1).size()));
      assertTrue(answers.equals(List.of(Renewed.RENEWED, 0)) || answers.equals(List.of(Renewed.LOST, 1)),
          () -> "got " + answers);
      assertEquals(answers.get(1).equals(1) ? "other" : "node", task("task-" + round).node().orElseThrow());
      other.cancel("task-" + round);
      at(2 * round * DAY + DAY);
      node.claim(1);
      assertEquals(TaskState.CANCELLED, state("task-" + round));
    }
  }

  @Test
  final void aRunOutLeaseIsEitherSettledOrClaimedByAnother() throws Exception {
    for (int round = 1; round <= ROUNDS; round++) {
      at(2 * round * DAY);
      String id = "task-" + round;
      node.schedule(id, in(0));
      Claimed claim = node.claim();
      at(2 * round * DAY + LEASE);
      List<Object> answers = together(List.of(() -> node.complete(claim).verdict(), () -> other.claim(1).size()));
      assertTrue(
          answers.equals(List.of(Settled.Verdict.APPLIED, 0)) || answers.equals(List.of(Settled.Verdict.STALE, 1)),
          () -> "got " + answers);
      assertEquals(answers.get(1).equals(0) ? TaskState.COMPLETED : TaskState.PROCESSING, state(id));
      node.claim(1);
      other.cancel(id);
      at(2 * round * DAY + DAY);
      node.claim(1);
    }
  }

  @Test
  final void noExtensionIsLost() throws Exception {
    node.schedule("a", in(HOUR));
    int threads = 4;
    List<Callable<Integer>> callers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Node caller = node("caller-" + i);
      callers.add(() -> {
        for (int round = 0; round < ROUNDS; round++) {
          assertEquals(Answer.DONE, caller.extend("a", 1).answer());
        }
        return ROUNDS;
      });
    }
    together(callers);
    assertEquals(instant(HOUR + threads * ROUNDS), task("a").dueAt());
  }

  @Test
  final void twoCopiesOfAWriteAtTheSameMomentHaveOneEffect() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      List<Write> batch = List.of(node.insert("task-" + round, in(HOUR), OnExisting.REPLACE));
      Stamp stamp = node.nextWrite();
      Callable<Object> send = () -> store.write(batch, stamp).value();
      List<Object> answers = together(List.of(send, send));
      assertEquals(answers.get(0), answers.get(1));
      assertTrue(answers.get(0).toString().contains("CREATED"), () -> "got " + answers);
    }
  }

  @Test
  final void twoCopiesOfAClaimAtTheSameMomentTakeTheTasksOnce() throws Exception {
    schedule(2 * ROUNDS);
    for (int round = 0; round < ROUNDS; round++) {
      ClaimRequest first = node.request(1);
      ClaimRequest again = first.again(Node.FOREVER);
      List<Exchanged> replies = together(List.of(() -> node.exchange(first), () -> node.exchange(again)));
      List<Claimed> claims = replies.get(1).claims();
      assertEquals(1, claims.size(), "the second copy always has the claims");
      assertTrue(replies.get(0).late() || replies.get(0).claims().equals(claims), "the first has the same, or none");
      node.complete(claims.get(0));
    }
    assertEquals(ROUNDS, node.claim(2 * ROUNDS).size());
  }

  @Test
  final void tasksOfOneQueueAndOfManyAreWrittenAtTheSameTime() throws Exception {
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
          (turned ? mails : orders).write(turned ? List.of(mail, order) : List.of(order, mail));
        }
        return 0;
      });
    }
    together(callers);
    assertEquals(4 * ROUNDS / 2, node.claim(1_000).size());
    Map<String, Integer> times = new HashMap<>();
    node("node", "mails", Set.of(0)).claim(1_000).forEach(claim -> times.merge(claim.id(), 1, Integer::sum));
    assertEquals(ROUNDS / 2, times.size());
    assertEquals(Set.of(1), Set.copyOf(times.values()), "whoever came second found it kept");
  }

  /** Tasks {@code task-0} and on, due now. */
  private void schedule(int count) {
    node.write(IntStream.range(0, count).mapToObj(i -> node.insert("task-" + i, in(0))).toList());
  }

  /** Runs each on a thread of its own, from the same moment on, and returns their results in order. */
  private static <T> List<T> together(List<? extends Callable<? extends T>> calls) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(calls.size());
    try {
      CyclicBarrier start = new CyclicBarrier(calls.size());
      List<Future<T>> futures = new ArrayList<>();
      for (Callable<? extends T> call : calls) {
        futures.add(threads.submit(() -> {
          start.await();
          return call.call();
        }));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(future.get(30, TimeUnit.SECONDS));
      }
      return results;
    } catch (ExecutionException e) {
      throw new AssertionError("a thread failed: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("calls made at the same moment did not end within 30 s", e);
    } finally {
      threads.shutdownNow();
    }
  }
}
