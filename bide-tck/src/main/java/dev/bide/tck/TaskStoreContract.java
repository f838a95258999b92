package dev.bide.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.Claimed;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Renewed;
import dev.bide.spi.Settled;
import dev.bide.spi.Stamp;
import dev.bide.spi.TaskStore;
import dev.bide.spi.Write;
import dev.bide.task.Answer;
import dev.bide.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * What every {@link TaskStore} must do: {@code Promises} says it on one page, the other groups hold each promise at its
 * borders.
 *
 * <p>A store proves itself by one small class:
 *
 * <pre>{@code
 * class MyTaskStoreTest extends TaskStoreContract {
 *   protected StoreFixture newFixture() {
 *     return new MyFixture();
 *   }
 * }
 * }</pre>
 *
 * <p>Every test has a store of its own. All but a few run on a clock that stands still until the test turns it, so they
 * never wait.
 */
public abstract class TaskStoreContract {

  /** For subclasses. */
  protected TaskStoreContract() {}

  /** Returns a new fixture that shares nothing with those returned before. */
  protected abstract StoreFixture newFixture();

  /** The contract on one page. A node is one process; moments are milliseconds after the start of the test. */
  @Nested
  final class Promises extends StoreTest {

    @Test
    void anAcknowledgedScheduleIsNeverLost() {
      assertEquals(Answer.CREATED, node.schedule("a", in(HOUR)).answer());
      restart();
      at(HOUR);
      assertEquals("a", node.claim().id());
    }

    @Test
    void noTaskIsHandedOutEarly() {
      node.schedule("a", in(HOUR));
      at(HOUR - 1);
      assertEquals(List.of(), node.claim(1));
      at(HOUR);
      assertEquals("a", node.claim().id());
    }

    @Test
    void aTaskHasOneOwnerAtATimeAndTheOldOnesWordIsRefused() {
      node.schedule("a", in(0));
      Claimed old = node.claim();
      assertEquals(List.of(), other.claim(1));
      at(LEASE);
      Claimed current = other.claim();
      assertEquals("a", current.id());
      assertEquals(Renewed.LOST, node.renew(old));
      assertEquals(Settled.Verdict.STALE, node.complete(old).verdict());
      assertEquals(Settled.Verdict.APPLIED, other.complete(current).verdict());
    }

    @Test
    void aCancelledTaskIsNeverHandedOut() {
      node.schedule("a", in(0));
      assertEquals(Answer.CANCELLED, node.cancel("a").answer());
      assertEquals(List.of(), node.claim(1));
    }

    @Test
    void aTaskInProcessIsNotCancelledButItsOwnerIsTold() {
      node.schedule("a", in(0));
      Claimed claim = node.claim();
      assertEquals(Answer.ALREADY_CLAIMED, other.cancel("a").answer());
      assertEquals(Renewed.CANCEL_REQUESTED, node.renew(claim));
      assertEquals(TaskState.CANCELLED, node.release(claim).state());
    }

    @Test
    void aLifeEndsOnceAndItsIdIsKept() {
      long seq = node.schedule("a", in(0)).seq();
      Claimed claim = node.claim();
      assertEquals(TaskState.COMPLETED, node.complete(claim).state());
      assertEquals(TaskState.COMPLETED, node.fail(claim).state());
      assertEquals(Answer.ALREADY_FINISHED, node.cancel("a").answer());
      assertEquals(Answer.KEPT, node.schedule("a", in(0)).answer());
      assertEquals(seq, task("a").seq());
      assertEquals(List.of(), node.claim(1));
    }

    @Test
    void attemptsAreLimitedAndALostLeaseIsOne() {
      node.schedule("a", in(0));
      node.retry(node.claim(), 0);
      node.claim();
      at(LEASE);
      assertEquals(3, node.claim().attempt());
      at(2 * LEASE);
      Exchanged reply = node.exchange(1);
      assertEquals(List.of(), reply.claims());
      assertEquals(TaskState.FAILED, ended(reply).state());
    }

    @Test
    void whatWasGivenBackCostsNoAttempt() {
      node.schedule("a", in(0));
      node.release(node.claim());
      assertEquals(1, node.claim().attempt());
    }

    @Test
    void tasksLeaveInTheOrderOfTheirTimesAndEqualOnesAsTheyCame() {
      node.schedule("second", in(2));
      node.schedule("third", in(2));
      node.schedule("first", in(1));
      at(2);
      assertEquals(List.of("first", "second", "third"), ids(node.claim(3)));
    }

    @Test
    void aReplySaysWhenToLookAgain() {
      node.schedule("a", in(HOUR));
      node.schedule("b", in(MINUTE));
      assertEquals(moment(MINUTE), node.exchange(1).next());
      at(MINUTE);
      assertEquals(moment(MINUTE + LEASE), node.exchange(2).next(), "when the lease ends");
    }

    @Test
    void aWriteWhoseReplyWasLostIsSentAgainAndHasItsEffectOnce() {
      node.schedule("a", in(HOUR));
      Stamp stamp = node.nextWrite();
      List<Write> cancel = List.of(new Write.Cancel(QUEUE, "a", "caller"));
      assertEquals(Answer.CANCELLED, store.write(cancel, stamp).value().get(0).answer());
      assertEquals(Answer.CANCELLED, store.write(cancel, stamp).value().get(0).answer());
    }

    @Test
    void anExchangeWhoseReplyWasLostIsSentAgainAndHasItsEffectOnce() {
      node.schedule("a", in(0));
      node.schedule("b", in(0));
      Claimed a = node.claim(1).get(0);
      ClaimRequest request = node.request(1);
      Exchanged lost = node.exchange(request, Node.completed(a));
      Exchanged again = node.exchange(request.again(Node.FOREVER), Node.completed(a));
      assertEquals(Settled.Verdict.REPEATED, again.settled().get(0).verdict());
      assertEquals(lost.claims(), again.claims());
      assertEquals(1, task("b").attempt());
    }

    @Test
    void aReplyIsNoLargerThanAskedForHoweverMuchIsDue() {
      node.write(IntStream.range(0, 100).mapToObj(i -> node.insert("task-" + i, in(0))).toList());
      List<String> taken = new ArrayList<>();
      Exchanged reply;
      do {
        reply = node.exchange(30);
        assertTrue(reply.claims().size() <= 30);
        taken.addAll(ids(reply.claims()));
      } while (reply.more());
      assertEquals(100, taken.size());
    }

    @Override
    StoreFixture newFixture() {
      return TaskStoreContract.this.newFixture();
    }
  }

  /** When a new task is due, and what becomes of one whose id is known. */
  @Nested
  final class Scheduling extends SchedulingContract {
    @Override
    StoreFixture newFixture() {
      return TaskStoreContract.this.newFixture();
    }
  }

  /** Cancel, move and extend in every state. */
  @Nested
  final class Changing extends ChangingContract {
    @Override
    StoreFixture newFixture() {
      return TaskStoreContract.this.newFixture();
    }
  }

  /** What is handed out, in which order, and when to look again. */
  @Nested
  final class Claiming extends ClaimingContract {
    @Override
    StoreFixture newFixture() {
      return TaskStoreContract.this.newFixture();
    }
  }

  /** How claims end, by whose word, and by whose not. */
  @Nested
  final class Settling extends SettlingContract {
    @Override
    StoreFixture newFixture() {
      return TaskStoreContract.this.newFixture();
    }
  }

  /** Tasks that lost a lease drag no other task down. */
  @Nested
  final class Suspects extends SuspectsContract {
    @Override
    StoreFixture newFixture() {
      return TaskStoreContract.this.newFixture();
    }
  }

  /** Calls sent twice, and calls that come late. */
  @Nested
  final class Repeating extends RepeatingContract {
    @Override
    StoreFixture newFixture() {
      return TaskStoreContract.this.newFixture();
    }
  }

  /** Calls at the same moment, by threads of their own. */
  @Nested
  final class Racing extends RacingContract {
    @Override
    StoreFixture newFixture() {
      return TaskStoreContract.this.newFixture();
    }
  }

  /** Pause and resume of a task and of a queue, and the revival of dead letters. */
  @Nested
  final class Pausing extends PausingContract {
    @Override
    StoreFixture newFixture() {
      return TaskStoreContract.this.newFixture();
    }
  }

  /** What is kept, for how long, how it is found, and the clock. */
  @Nested
  final class Keeping extends KeepingContract {
    @Override
    StoreFixture newFixture() {
      return TaskStoreContract.this.newFixture();
    }
  }

  /** Lists, counts and forecasts. */
  @Nested
  final class Looking extends SightContract {
    @Override
    StoreFixture newFixture() {
      return TaskStoreContract.this.newFixture();
    }
  }

  /** On the clock that the store really reads. */
  @Nested
  final class RealTime extends RealTimeContract {
    @Override
    StoreFixture newFixture() {
      return TaskStoreContract.this.newFixture();
    }
  }

  /** Whatever the steps, the answers are those of the store in memory. */
  @Nested
  final class Walking extends WalkingContract {
    @Override
    StoreFixture newFixture() {
      return TaskStoreContract.this.newFixture();
    }
  }
}
