package dev.bide.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.Claimed;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Settlement;
import dev.bide.task.Due;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Tasks on which a lease ran out: they may have ended their process, so they are handed out apart and drag no other
 * task down.
 */
abstract class SuspectsContract extends StoreTest {

  @Test
  final void aTaskThatLostALeaseIsASuspect() {
    suspects("a");
    Exchanged reply = node.exchange(node.request(1, 1, false));
    Claimed claim = reply.claims().get(0);
    assertTrue(claim.suspect());
    assertEquals(1, claim.lapses());
    assertFalse(claim.grave());
    assertFalse(reply.suspectsLeft());
  }

  @Test
  final void aRunOutLeaseIsFoundAndItsTaskHandedOutInOneCall() {
    node.schedule("a", in(0));
    node.claim();
    at(LEASE);
    assertEquals(List.of("a"), ids(other.exchange(other.request(1, 1, false)).claims()));
  }

  @Test
  final void aSuspectIsHandedOutOnlyIfTheRequestAllowsIt() {
    suspects("a");
    node.schedule("later", in(HOUR));
    Exchanged reply = node.exchange(node.request(10, 0, true));
    assertEquals(List.of(), reply.claims());
    assertTrue(reply.suspectsLeft());
    assertFalse(reply.more());
    assertEquals(moment(LEASE + HOUR), reply.next(), "a skipped suspect is no reason to look again");
  }

  @Test
  final void skippedSuspectsDoNotBlockOrdinaryTasks() {
    suspects(IntStream.range(0, 150).mapToObj(i -> "suspect-" + i).toArray(String[]::new));
    node.schedule("ordinary", in(0));
    assertEquals(List.of("ordinary"), ids(node.exchange(node.request(1, 0, false)).claims()));
  }

  @Test
  final void suspectsComeFirstAndCountAsOthersDo() {
    node.schedule("early", in(0));
    node.claim();
    node.schedule("waiting", in(1));
    at(LEASE);
    node.schedule("last", in(0));
    Exchanged reply = node.exchange(node.request(2, 1, false));
    assertEquals(List.of("early", "waiting"), ids(reply.claims()));
    assertTrue(reply.more());
    assertEquals(List.of("last"), ids(node.exchange(node.request(2, 1, false)).claims()));
  }

  @Test
  final void asManySuspectsComeAsTheRequestAllows() {
    suspects("a", "b", "c");
    node.schedule("ordinary", in(0));
    Exchanged reply = node.exchange(node.request(10, 2, false));
    assertEquals(List.of("a", "b", "ordinary"), ids(reply.claims()));
    assertTrue(reply.suspectsLeft());
    reply = node.exchange(node.request(10, 2, false));
    assertEquals(List.of("c"), ids(reply.claims()));
    assertFalse(reply.suspectsLeft());
  }

  @Test
  final void theLimitHoldsForSuspectsToo() {
    suspects("a", "b");
    Exchanged reply = node.exchange(node.request(1, 5, false));
    assertEquals(List.of("a"), ids(reply.claims()));
    assertTrue(reply.more());
  }

  @Test
  final void aSuspectThatWaitsForARetryIsStillASuspect() {
    suspects("a");
    node.retry(node.claim(), HOUR);
    at(DAY);
    assertTrue(node.exchange(node.request(1, 0, false)).suspectsLeft());
    assertTrue(node.claim().suspect());
  }

  @Test
  final void aReleasedSuspectIsStillASuspect() {
    suspects("a");
    node.release(node.claim());
    assertEquals(List.of(), node.exchange(node.request(1, 0, false)).claims());
    Claimed claim = node.exchange(node.request(1, 1, false)).claims().get(0);
    assertTrue(claim.suspect());
    assertFalse(claim.grave(), "it has attempts left as before");
  }

  @Test
  final void aSuspectThatIsMovedIsStillASuspect() {
    suspects("a");
    node.move("a", in(HOUR));
    at(DAY);
    assertEquals(List.of(), node.exchange(node.request(1, 0, false)).claims());
    assertTrue(node.claim().suspect());
  }

  // Grave ones.

  @Test
  final void aTaskThatLostTwoLeasesIsGrave() {
    store.queues().update(settings(QUEUE, 1, 8));
    suspects("a");
    node.claim();
    at(2 * LEASE);
    Exchanged reply = node.exchange(node.request(10, 10, false));
    assertEquals(List.of(), reply.claims());
    assertTrue(reply.suspectsLeft());
    Claimed claim = node.exchange(node.request(10, 1, true)).claims().get(0);
    assertTrue(claim.grave());
    assertEquals(2, claim.lapses());
  }

  @Test
  final void aSuspectBeforeItsLastAttemptIsGrave() {
    store.queues().update(settings(QUEUE, 1, 2));
    suspects("a");
    assertEquals(List.of(), node.exchange(node.request(10, 10, false)).claims());
    Claimed claim = node.exchange(node.request(10, 1, true)).claims().get(0);
    assertTrue(claim.grave());
    assertEquals(1, claim.lapses());
  }

  @Test
  final void aSuspectIsGraveWhenALoweredMaximumMakesItsNextAttemptTheLast() {
    store.queues().update(settings(QUEUE, 1, 8));
    suspects("a", "b");
    store.queues().update(settings(QUEUE, 1, 2));
    Exchanged reply = node.exchange(node.request(10, 10, true));
    assertEquals(List.of("a"), ids(reply.claims()));
    assertTrue(reply.claims().get(0).grave());
    assertTrue(reply.suspectsLeft());
    assertEquals(List.of(), node.exchange(node.request(10, 10, false)).claims());
  }

  @Test
  final void anOrdinaryTaskBeforeItsLastAttemptIsNotGrave() {
    store.queues().update(settings(QUEUE, 1, 2));
    node.schedule("a", in(0));
    node.retry(node.claim(), 0);
    assertEquals(List.of("a"), ids(node.exchange(node.request(1, 0, false)).claims()));
  }

  @Test
  final void aGraveSuspectIsTheOnlySuspectOfItsReply() {
    store.queues().update(settings(QUEUE, 1, 2));
    suspects("grave-1", "grave-2");
    node.schedule("ordinary", in(0));
    Exchanged reply = node.exchange(node.request(10, 10, true));
    assertEquals(List.of("grave-1", "ordinary"), ids(reply.claims()));
    assertTrue(reply.suspectsLeft());
    assertEquals(List.of("grave-2"), ids(node.exchange(node.request(10, 10, true)).claims()));
  }

  @Test
  final void aGraveSuspectAndOtherSuspectsTakeTurns() {
    store.queues().update(settings(QUEUE, 1, 8));
    suspects("grave");
    node.claim();
    node.schedule("mate-1", in(0));
    node.schedule("mate-2", in(0));
    assertEquals(2, node.exchange(node.request(2, 0, false)).claims().size());
    at(2 * LEASE);
    List<List<String>> replies = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Exchanged reply = node.exchange(node.request(10, 10, true));
      assertEquals(i == 0, reply.suspectsLeft());
      replies.add(ids(reply.claims()));
    }
    assertTrue(replies.contains(List.of("grave")), () -> "got " + replies);
    assertTrue(replies.contains(List.of("mate-1", "mate-2")), () -> "got " + replies);
  }

  @Test
  final void aGraveSuspectIsNotPutOffForEverByOthersThatComeAfterIt() {
    store.queues().update(settings(QUEUE, 1, 8));
    suspects("grave");
    node.claim();
    at(2 * LEASE);
    node.exchange(node.request(10, 0, false));
    node.schedule("mate", in(0));
    node.exchange(node.request(1, 0, false));
    at(3 * LEASE);
    assertEquals(List.of("grave"), ids(node.exchange(node.request(10, 10, true)).claims()));
  }

  @Test
  final void aGraveSuspectComesFirstIfItWasDueFirstThoughOthersAreOlder() {
    store.queues().update(settings(QUEUE, 1, 8));
    suspects("mate", "grave");
    node.retry(node.claim(2).get(0), LEASE + SECOND);
    at(2 * LEASE);
    node.exchange(node.request(10, 0, false));
    at(3 * LEASE);
    assertEquals(List.of("grave"), ids(node.exchange(node.request(10, 10, true)).claims()));
  }

  @Test
  final void ofTwoThatAreDueAtOneMomentTheOlderComesFirstGraveOrNot() {
    store.queues().update(settings(QUEUE, 1, 8));
    suspects("grave", "mate");
    node.retry(node.claim(2).get(1), LEASE);
    at(2 * LEASE);
    assertEquals(List.of("grave"), ids(node.exchange(node.request(10, 10, true)).claims()));
  }

  // A task that ends each process that starts it.

  @Test
  final void aKillerWithTwoAttemptsTakesNoOtherTaskWithIt() {
    assertOnlyTheKillerFails(2, 2, 6);
  }

  @Test
  final void aKillerWithThreeAttemptsTakesNoOtherTaskWithIt() {
    assertOnlyTheKillerFails(3, 4, 4);
  }

  @Test
  final void aKillerWithEightAttemptsTakesNoOtherTaskWithIt() {
    assertOnlyTheKillerFails(8, 3, 20);
  }

  private void assertOnlyTheKillerFails(int attempts, int handlers, int credit) {
    store.queues().update(settings(QUEUE, 1, attempts));
    List<String> all = IntStream.range(0, 24).mapToObj(i -> i == 5 ? Fleet.KILLER : "mate-" + i).toList();
    node.write(all.stream().map(id -> node.insert(id, in(0))).toList());
    new Fleet(handlers, credit).run();
    for (String id : all) {
      assertEquals(id.equals(Fleet.KILLER) ? TaskState.FAILED : TaskState.COMPLETED, state(id), id);
    }
    Task killer = task(Fleet.KILLER);
    assertEquals(attempts, killer.claims());
    assertEquals(attempts, killer.lapses());
    assertOutcome(TaskState.FAILED, "failed: attempts used up (" + attempts + "), claimed " + attempts
        + " times, lease lost " + attempts + " times", Fleet.KILLER);
  }

  /**
   * One process after the other, each as a node behaves: it takes up to {@code credit} tasks ahead, suspects only for
   * idle handlers, a grave one only while it holds no other. Starting the killer ends the process with all that it
   * holds.
   */
  private final class Fleet {
    static final String KILLER = "killer";
    private final int handlers;
    private final int credit;
    private int processes;
    private Node process;
    private final Deque<Claimed> held = new ArrayDeque<>();
    private final List<Settlement> done = new ArrayList<>();

    Fleet(int handlers, int credit) {
      this.handlers = handlers;
      this.credit = credit;
      process = node("process-0");
    }

    void run() {
      for (int turn = 0; turn < 1_000; turn++) {
        Exchanged reply = turn();
        boolean idle = held.isEmpty() && done.isEmpty();
        if (idle && reply.next() == Due.NEVER && !reply.suspectsLeft() && !reply.more()) {
          return;
        }
        if (idle && reply.next() != Due.NEVER && !reply.more()) {
          fixture.setNow(reply.next());
        }
        work();
      }
      throw new AssertionError("the tasks are not done after 1,000 turns");
    }

    /**
     * Every held task waits for a handler, so all handlers are idle; none of them is a suspect, since those start at
     * once.
     */
    private Exchanged turn() {
      Settlement[] settlements = done.toArray(Settlement[]::new);
      done.clear();
      Exchanged reply = process.exchange(process.request(credit - held.size(), handlers, true), settlements);
      List<Claimed> suspects = reply.claims().stream().filter(Claimed::suspect).toList();
      assertTrue(suspects.size() <= handlers);
      assertTrue(suspects.size() < 2 || suspects.stream().noneMatch(Claimed::grave), "a grave suspect comes alone");
      for (int i = suspects.size() - 1; i >= 0; i--) {
        held.addFirst(suspects.get(i));
      }
      reply.claims().stream().filter(claim -> !claim.suspect()).forEach(held::addLast);
      return reply;
    }

    private void work() {
      List<Claimed> started = new ArrayList<>();
      while (started.size() < handlers && !held.isEmpty()) {
        started.add(held.removeFirst());
      }
      if (started.stream().anyMatch(claim -> claim.id().equals(KILLER))) {
        held.clear();
        process = node("process-" + ++processes);
        fixture.setNow(store.now() + LEASE);
      } else {
        started.forEach(claim -> done.add(Node.completed(claim)));
      }
    }
  }

  /** Tasks that lost one lease, at the moment when their leases ended. */
  private void suspects(String... ids) {
    node.write(List.of(ids).stream().map(id -> node.insert(id, in(0))).toList());
    assertEquals(ids.length, other.claim(ids.length).size());
    at(LEASE);
    Exchanged reply;
    do {
      reply = other.exchange(other.request(1, 0, false));
    } while (reply.more());
  }
}
