package dev.bide;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Reply;
import dev.bide.spi.Stamp;
import dev.bide.spi.StoreException;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How single calls share batches; the test has each attempt performed, and says what the store makes of it. */
class CoalescerTest {
  private static final long START = 1_000_000;
  private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

  private final AtomicLong clock = new AtomicLong();
  private final Hand driver = new Hand();
  private final Scripted store = new Scripted();
  private final Node node = node(driver);
  private Coalescer coalescer = new Coalescer(store, node, 10_000, 64 << 20);
  /** What was told, in order: the id, and what came of it. */
  private final List<String> told = new ArrayList<>();

  CoalescerTest() {
    for (String queue : List.of("q", "other")) {
      store.queues().define(new QueueSettings(queue, 1, 8, 30_000, 1_000, 1_000));
    }
  }

  /** Pauses are counted, callbacks wait for the test, and who waits has the store go on. */
  private final class Hand extends HandDriver {
    final Deque<Runnable> callbacks = new ArrayDeque<>();
    boolean stepping;
    boolean noThread;
    boolean noAfter;
    boolean hangs;
    Runnable atAwait = () -> {};
    CompletableFuture<?> signal = new CompletableFuture<>();

    Hand() {
      super(clock::get);
    }

    @Override
    public <R> void call(Call<R> call) {
      if (noThread) {
        throw new RejectedExecutionException("for a test");
      }
      super.call(call);
    }

    @Override
    public void after(CompletableFuture<?> signal, long nanos, Runnable action) {
      if (noAfter) {
        throw new RejectedExecutionException("for a test");
      }
      this.signal = signal;
      super.after(signal, nanos, action);
    }

    @Override
    public Executor callbacks() {
      return callbacks::add;
    }

    @Override
    public boolean stepping() {
      return stepping;
    }

    @Override
    public boolean await(Future<?> answer, long nanos) {
      atAwait.run();
      if (!answer.isDone()) {
        if (calls.isEmpty() || hangs) {
          clock.addAndGet(nanos);
        } else {
          performNext(false);
        }
        tell();
      }
      return answer.isDone();
    }

    void tell() {
      for (Runnable task = callbacks.poll(); task != null; task = callbacks.poll()) {
        task.run();
      }
    }
  }

  /** Keeps what it was sent, and may refuse it. */
  private final class Scripted extends TappedStore {
    final List<List<String>> sent = new ArrayList<>();
    final List<Stamp> stamps = new ArrayList<>();
    final List<Thread> threads = new ArrayList<>();
    Predicate<List<String>> lost = ids -> false;
    /** What comes back in place of the answers. */
    @Nullable
    UnaryOperator<List<Written>> answers;

    Scripted() {
      super(MemoryTaskStore.on(() -> START + clock.get() / 1_000_000));
    }

    @Override
    public Reply<List<Written>> write(List<Write> writes, Stamp stamp) {
      List<String> ids = writes.stream().map(Write::id).toList();
      sent.add(ids);
      stamps.add(stamp);
      threads.add(Thread.currentThread());
      Reply<List<Written>> reply = super.write(writes, stamp);
      if (lost.test(ids)) {
        throw passing();
      }
      return answers == null ? reply : Reply.of(reply.now(), answers.apply(reply.value()));
    }

    List<Long> numbers() {
      return stamps.stream().map(Stamp::number).toList();
    }

    Due dueOf(String id) {
      return Due.at(find("q", List.of(id)).value().get(0).orElseThrow().dueAt().toEpochMilli());
    }
  }

  private Node node(HandDriver moved) {
    StoreTime time = new StoreTime(START, 0, 0);
    return new Node("n1", moved, new Callbacks(moved.callbacks()), time, new SuspectGate(),
        new Events("n1", () -> START, List.of()), Runnable::run, Runnable::run, moved.starter(), moved.handlers(),
        true);
  }

  private static StoreException passing() {
    return StoreException.passing("for a test", null);
  }

  private void failing(RuntimeException failure, Predicate<List<String>> which) {
    store.before(call -> {
      if (call.kind() == TappedStore.Kind.WRITE && which.test(store.sent.get(store.sent.size() - 1))) {
        throw failure;
      }
    });
  }

  private static Write insert(String id) {
    return new Write.Insert("q", id, Payload.of("x"), Due.fromNow(60_000));
  }

  private static Write extend(String id) {
    return new Write.Move("q", id, new Due(Due.Base.FROM_DUE, 1_000, 0, 1, Due.Past.RUN, 0, false), null);
  }

  private void call(String... ids) {
    call(Stream.of(ids).map(CoalescerTest::insert).toArray(Write[]::new));
  }

  private void call(Write... writes) {
    for (Write write : writes) {
      var unused = accepted(write);
    }
  }

  private CompletableFuture<Answer> accepted(Write write) {
    CompletableFuture<Answer> stage = coalescer.writeAsync(write, written -> {}, Written::answer).toCompletableFuture();
    var unused = stage.whenComplete((answer, failure) -> told.add(write.id() + " " + (failure == null
        ? answer
        : said(failure))));
    return stage;
  }

  private static String said(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return String.valueOf(requireNonNull(cause).getMessage());
  }

  /** Has the store do all that is under way, and what follows. */
  private void performAll() {
    do {
      while (!driver.calls.isEmpty()) {
        clock.addAndGet(driver.calls.element().delayNanos());
        driver.performNext(false);
      }
      driver.tell();
    } while (!driver.calls.isEmpty());
  }

  // Sharing.

  @Test
  void whoComesWhileABatchIsUnderWayIsInTheNextOne() {
    call("a");
    call("b", "c");
    call(new Write.Insert("other", "b", Payload.of("x"), Due.fromNow(0)), new Write.Cancel("q", "d", "me"));
    assertEquals(List.of(), store.sent);
    driver.performNext(false);
    call("e");
    performAll();
    assertEquals(List.of(List.of("a"), List.of("b", "c", "b", "d"), List.of("e")), store.sent);
    assertEquals(List.of("a CREATED", "b CREATED", "c CREATED", "b CREATED", "d NOT_FOUND", "e CREATED"), told);
  }

  @Test
  void nobodyWaitsForABatchToFill() {
    for (String id : List.of("a", "b", "c")) {
      call(id);
      assertEquals(1, driver.calls.size());
      performAll();
    }
    assertEquals(List.of(List.of("a"), List.of("b"), List.of("c")), store.sent);
  }

  @Test
  void oneBatchAtMostIsUnderWay() {
    call("a", "b", "c");
    assertEquals(1, driver.calls.size());
    driver.performNext(false);
    call("d");
    assertEquals(1, driver.calls.size());
  }

  @Test
  void aBatchEndsBeforeTheFirstTaskThatItHolds() {
    call("a", "b", "c");
    call(new Write.Cancel("q", "b", "me"));
    call("d");
    call(extend("d"));
    call(extend("a"));
    performAll();
    assertEquals(List.of(List.of("a"), List.of("b", "c"), List.of("b", "d"), List.of("d", "a")), store.sent);
    assertEquals("b CANCELLED", told.get(3));
  }

  @Test
  void aBatchHoldsAThousandCalls() {
    call("first");
    IntStream.range(0, 1_001).forEach(i -> call("t" + i));
    performAll();
    assertEquals(List.of(1, 1_000, 1), store.sent.stream().map(List::size).toList());
    assertEquals(1_002, told.size());
  }

  @Test
  void aBatchHoldsSixteenMegabytes() {
    Payload large = Payload.of("x".repeat(TaskQueue.MAX_PAYLOAD));
    call("first");
    IntStream.range(0, 65).forEach(i -> call(new Write.Insert("q", "t" + i, large, Due.fromNow(0))));
    performAll();
    assertEquals(List.of(1, 64, 1), store.sent.stream().map(List::size).toList());
  }

  @Test
  void whoComesWhenNothingIsUnderWayWritesOnHisOwnThread() {
    assertEquals(Answer.CREATED, coalescer.write(insert("a")).answer());
    assertEquals(List.of(Thread.currentThread()), store.threads);
    assertTrue(driver.calls.isEmpty());
  }

  @Test
  void aCallThatWaitsFollowsTheCallsBeforeIt() {
    call("a", "b");
    assertEquals(Answer.CANCELLED, coalescer.write(new Write.Cancel("q", "b", "me")).answer());
    assertEquals(List.of(List.of("a"), List.of("b"), List.of("b")), store.sent);
  }

  @Test
  void whoWaitsForWhatWasPromisedWaitsForNothingThatCameLater() {
    coalescer.awaitPromised();
    call("a", "b");
    driver.performNext(false);
    coalescer.awaitPromised();
    assertEquals(List.of(List.of("a"), List.of("b")), store.sent);
    assertEquals(List.of("a CREATED", "b CREATED"), told);
  }

  // Waiting for those who may be back.

  /** Two callers share a batch, which takes some time; it is answered when this returns. */
  private void shareABatch(String one, String other, Duration takes) {
    store.before(call -> clock.addAndGet(takes.toNanos()));
    call(one + " before");
    driver.atAwait = () -> {
      driver.atAwait = () -> {};
      assertEquals(Answer.CREATED, coalescer.write(insert(other)).answer());
    };
    assertEquals(Answer.CREATED, coalescer.write(insert(one)).answer());
  }

  @Test
  void theNextBatchIsHeldBackForCallersWhoWereAnsweredTogether() {
    shareABatch("a", "b", Duration.ofMillis(2));
    assertEquals(500_000, driver.calls.element().delayNanos(), "a quarter of what the last one took");
    call("c");
    assertFalse(driver.signal.isDone());
    call("d");
    assertTrue(driver.signal.isDone(), "as many are there as were answered");
    performAll();
    assertEquals(List.of(List.of("a before"), List.of("a", "b"), List.of("c", "d")), store.sent);
  }

  @Test
  void aBatchIsHeldBackForAMillisecondAtMost() {
    shareABatch("a", "b", TEN_SECONDS.dividedBy(2));
    assertEquals(1_000_000, driver.calls.element().delayNanos());
  }

  @Test
  void nobodyIsWaitedForAfterABatchThatTookNoTime() {
    shareABatch("a", "b", Duration.ofNanos(79_000));
    assertTrue(driver.calls.isEmpty());
  }

  @Test
  void nobodyIsWaitedForAWhileWhenNobodyCame() {
    shareABatch("a", "b", Duration.ofMillis(2));
    performAll();
    assertTrue(driver.calls.isEmpty());
    for (int i = 0; i < 16; i++) {
      shareABatch("a" + i, "b" + i, Duration.ofMillis(2));
      assertTrue(driver.calls.isEmpty(), "once more " + i);
    }
    shareABatch("c", "d", Duration.ofMillis(2));
    assertEquals(1, driver.calls.size());
  }

  @Test
  void whileABatchIsHeldBackACloseWaitsForWhatStandsInLine() {
    shareABatch("a", "b", Duration.ofMillis(2));
    call("c");
    coalescer.close();
    assertFalse(coalescer.over().isDone());
    performAll();
    assertTrue(coalescer.over().isDone());
    assertTrue(told.contains("c CREATED"));
  }

  @Test
  void withoutAThreadNothingIsHeldBack() {
    driver.noAfter = true;
    shareABatch("a", "b", Duration.ofMillis(2));
    assertTrue(driver.calls.isEmpty());
    call("c");
    performAll();
    assertTrue(told.contains("c CREATED"));
  }

  // Refusals.

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRefusedBatchIsHalvedUntilTheBadCallStandsAloneAndFails(boolean argument) {
    failing(argument ? new IllegalArgumentException("bad") : StoreException.lasting("bad", null),
        ids -> ids.contains("t5"));
    call("first");
    IntStream.range(0, 9).forEach(i -> call("t" + i));
    performAll();
    assertEquals(List.of("first CREATED", "t0 CREATED", "t1 CREATED", "t2 CREATED", "t3 CREATED", "t4 CREATED",
        "t5 bad", "t6 CREATED", "t7 CREATED", "t8 CREATED"), told);
    assertEquals(store.sent.size(), store.stamps.stream().distinct().count(), "each part has a stamp of its own");
    assertEquals(store.numbers().stream().sorted().toList(), store.numbers());
    call("t9");
    performAll();
    assertEquals("t9 CREATED", told.get(10));
  }

  /** The first sending may have been done, and the parts would be done again. */
  @Test
  void aBatchThatIsRefusedWhenItIsSentAgainIsNotHalved() {
    call("a", "b", "c");
    driver.performNext(false);
    store.lost = ids -> true;
    driver.performNext(false);
    store.lost = ids -> false;
    failing(StoreException.lasting("read-only", null), ids -> true);
    performAll();
    assertEquals(List.of("a CREATED", "b read-only", "c read-only"), told);
    assertEquals(List.of(1L, 2L, 2L), store.numbers());
  }

  @Test
  void whatIsNoRefusalFailsTheBatchAndNothingElse() {
    call("a", "b", "c");
    driver.performNext(false);
    failing(new IllegalStateException("a bug"), ids -> ids.contains("b"));
    driver.performNext(false);
    call("d");
    performAll();
    assertEquals(List.of("a CREATED", "b a bug", "c a bug", "d CREATED"), told);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void aStoreThatAnswersTooFewOrTooManyIsNamedAndTheLineGoesOn(int answers) {
    call("a", "b", "c");
    driver.performNext(false);
    store.answers = all -> Collections.nCopies(answers, all.get(0));
    driver.performNext(false);
    store.answers = null;
    call("d");
    performAll();
    String fault = " a fault of the store: it gave " + answers
        + " answers to 2 writes, so whether they were done is unknown";
    assertEquals(List.of("a CREATED", "b" + fault, "c" + fault, "d CREATED"), told);
  }

  @Test
  void whateverIsThrownWhileCallersAreToldTheLineGoesOn() {
    call("a", "b");
    store.answers = all -> new AbstractList<>() {
      @Override
      public Written get(int index) {
        throw new AssertionError("for a test");
      }

      @Override
      public int size() {
        return all.size();
      }
    };
    driver.performNext(false);
    store.answers = null;
    performAll();
    assertEquals(List.of("a for a test", "b CREATED"), told);
  }

  @Test
  void anErrorReachesItsCaller() {
    store.before(call -> {
      throw new AssertionError("broken");
    });
    assertThrows(AssertionError.class, () -> coalescer.write(insert("a")));
    store.before(call -> {});
    assertEquals(Answer.CREATED, coalescer.write(insert("a")).answer());
  }

  @Test
  void aCallerIsToldWithAStackOfHisOwn() {
    StoreException refusal = StoreException.lasting("read-only", null);
    failing(refusal, ids -> true);
    StoreException thrown = assertThrows(StoreException.class, () -> coalescer.write(insert("a")));
    assertFalse(thrown.isTransient());
    assertEquals("read-only", thrown.getMessage());
    assertEquals(refusal, thrown.getCause());
  }

  @Test
  void aPartWhoseTimeIsOverIsNotSentAndSaysSoInItsOrder() {
    call("first");
    call("a", "b", "c", "d");
    driver.performNext(false);
    call("e");
    failing(StoreException.lasting("bad", null), ids -> ids.contains("a"));
    driver.performNext(false);
    clock.addAndGet(TEN_SECONDS.toNanos() - 1);
    driver.performNext(false);
    clock.addAndGet(1);
    performAll();
    String unsent = " it waited 10 s behind others and was not sent, so nothing was done";
    assertEquals(List.of("first CREATED", "a bad", "b" + unsent, "c" + unsent, "d" + unsent, "e" + unsent), told);
    assertEquals(List.of(List.of("first"), List.of("a", "b", "c", "d"), List.of("a", "b"), List.of("a")), store.sent);
  }

  @Test
  void whoHasWaitedTooLongBehindPartsIsToldAfterThem() {
    call("first", "a", "b", "c");
    call(extend("b"));
    clock.addAndGet(TEN_SECONDS.toNanos() / 2);
    driver.performNext(false);
    clock.addAndGet(TEN_SECONDS.toNanos() / 2);
    failing(StoreException.lasting("bad", null), ids -> ids.contains("a"));
    performAll();
    assertEquals(List.of("first CREATED", "a bad", "b CREATED", "c CREATED",
        "b it waited 10 s behind others and was not sent, so nothing was done"), told);
  }

  // Mishaps.

  @Test
  void aPassingMishapRepeatsTheBatchUnderItsStampAndItHasItsEffectOnce() {
    call("a");
    performAll();
    long due = store.dueOf("a").millis();
    call("first");
    call(extend("a"));
    call("b");
    driver.performNext(false);
    store.lost = ids -> true;
    for (int i = 0; i < 5; i++) {
      driver.performNext(false);
    }
    store.lost = ids -> false;
    performAll();
    assertEquals(List.of("a CREATED", "first CREATED", "a DONE", "b CREATED"), told);
    assertEquals(List.of(1L, 2L, 3L, 3L, 3L, 3L, 3L, 3L), store.numbers());
    assertEquals(due + 1_000, store.dueOf("a").millis());
  }

  @Test
  void aBatchIsRepeatedForTenSecondsInGrowingPauses() {
    failing(passing(), ids -> true);
    call("a");
    performAll();
    assertEquals(List.of("a gave up after 10 s or an interrupt; whether the call was done is unknown, and calling again"
        + " with the same id is safe: for a test"), told);
    assertTrue(clock.get() <= TEN_SECONDS.toNanos() && clock.get() > Duration.ofSeconds(9).toNanos());
    int attempts = store.sent.size();
    assertTrue(attempts > 10 && attempts < 50, () -> "attempts: " + attempts);
    store.before(call -> {});
    call("b");
    performAll();
    assertEquals("b CREATED", told.get(1));
    assertEquals(2, store.stamps.get(attempts).number());
  }

  @Test
  void aLateReplyIsAMishap() {
    call("a");
    // The store's clock runs ahead while the call is on its way.
    clock.addAndGet(TEN_SECONDS.toNanos() + 2_000_000);
    driver.performNext(false);
    assertTrue(told.isEmpty());
    performAll();
    assertTrue(told.get(0).contains("the store's clock is ahead"), told.toString());
  }

  @Test
  void whoWaitsTenSecondsInLineIsToldThatNothingWasDone() {
    call("a", "b");
    clock.addAndGet(TEN_SECONDS.toNanos() - 1);
    turn();
    driver.tell();
    assertEquals(List.of(), told);
    clock.addAndGet(1);
    failing(passing(), ids -> true);
    driver.performNext(false);
    driver.tell();
    assertEquals(2, told.size());
    assertTrue(told.get(0).startsWith("a gave up"), told.get(0));
    assertEquals("b it waited 10 s behind others and was not sent, so nothing was done: for a test", told.get(1));
    assertEquals(List.of(List.of("a")), store.sent);
  }

  @Test
  void whoWaitsInLineWaitsNoLongerForABatchThatBeganLate() {
    driver.hangs = true;
    call("a", "b");
    driver.atAwait = () -> {
      if (clock.get() == TEN_SECONDS.toNanos() / 2) {
        driver.performNext(false);
      }
    };
    StoreException undone = assertThrows(StoreException.class,
        () -> coalescer.write(new Write.Cancel("q", "b", "me")));
    assertEquals("it waited 10 s behind others and was not sent, so nothing was done", undone.getMessage());
    assertEquals(TEN_SECONDS.toNanos(), clock.get());
    assertEquals(List.of("a CREATED"), told);
    performAll();
    assertEquals(List.of("a CREATED", "b CREATED"), told);
  }

  @Test
  void theEngineIsCalledForWhatMayHangAndForNothingElse() {
    assertEquals(Duty.NEVER, turn());
    call("a");
    assertEquals(TEN_SECONDS.toNanos(), turn());
    clock.addAndGet(1);
    call("b", "c");
    driver.performNext(false);
    assertEquals(TEN_SECONDS.toNanos() + 1, turn());
    call(insert("d"), new Write.Cancel("q", "d", "me"));
    clock.addAndGet(TEN_SECONDS.toNanos() / 2);
    driver.performNext(false);
    clock.addAndGet(TEN_SECONDS.toNanos() / 2);
    assertTrue(turn() > clock.get(), "though one stands in line for too long");
    performAll();
    assertEquals(Duty.NEVER, turn());
  }

  @Test
  void aBatchThatIsBeingToldWaitsForNothing() {
    AtomicLong next = new AtomicLong();
    var unused = coalescer.writeAsync(insert("a"), written -> {
      clock.addAndGet(TEN_SECONDS.toNanos());
      next.set(turn());
    }, Written::answer);
    performAll();
    assertEquals(Duty.NEVER, next.get(), "a slow listener does not make the engine turn without end");
  }

  private long turn() {
    return coalescer.turn(clock.get(), request -> {
      throw new AssertionError("asks the store by itself");
    });
  }

  @Test
  void anAttemptThatHangsIsGivenUpAndOutrun() {
    call("a");
    clock.addAndGet(TEN_SECONDS.toNanos() - 1);
    call("b");
    turn();
    assertEquals(1, driver.calls.size());
    clock.addAndGet(1);
    turn();
    driver.tell();
    assertEquals(List.of("a gave up after 10 s or an interrupt; whether the call was done is unknown, and calling again"
        + " with the same id is safe: no answer from the store"), told);
    driver.performLast();
    driver.tell();
    assertEquals("b CREATED", told.get(1));
    driver.performNext(false);
    driver.tell();
    assertEquals(List.of(2L, 1L), store.numbers());
    assertEquals(2, told.size());
    assertTrue(store.find("q", List.of("a")).value().get(0).isEmpty(), "it came late");
  }

  @Test
  void whileEightAttemptsHangNoMoreAreAccepted() {
    for (int i = 0; i < 8; i++) {
      call("t" + i);
      clock.addAndGet(TEN_SECONDS.toNanos());
      turn();
    }
    assertThrows(StoreException.class, () -> coalescer.write(insert("a")));
    driver.tell();
    call("a");
    assertEquals("a 8 calls to the store hang, so nothing was done", told.get(8), "it is told at once");
    assertEquals(8, driver.calls.size());
    driver.performNext(false);
    call("a");
    driver.performLast();
    driver.tell();
    assertEquals("a CREATED", told.get(9));
    coalescer.close();
    performAll();
    assertTrue(coalescer.over().isDone(), "no room is lost");
  }

  @Test
  void withoutAThreadNothingIsDoneAndTheCallsAreTold() {
    call("a", "b", "c");
    driver.noThread = true;
    driver.performNext(false);
    driver.tell();
    assertEquals(List.of("a CREATED", "b it was not sent, so nothing was done: no thread to call the store",
        "c it was not sent, so nothing was done: no thread to call the store"), told);
    call("d");
    driver.tell();
    assertEquals(4, told.size());
    driver.noThread = false;
    call("e");
    performAll();
    assertEquals("e CREATED", told.get(4));
  }

  @Test
  void whatNeverBeganDoesNotHang() {
    driver.noThread = true;
    for (int i = 0; i < 9; i++) {
      call("t" + i);
    }
    driver.tell();
    assertEquals(9, told.size());
    driver.noThread = false;
    call("a");
    performAll();
    assertEquals("a CREATED", told.get(9));
  }

  // Interrupts.

  @Test
  void anInterruptDoesNotKeepACallFromBeingDone() {
    call("a");
    Thread.currentThread().interrupt();
    assertEquals(Answer.CREATED, coalescer.write(insert("b")).answer());
    assertTrue(Thread.interrupted(), "the interrupt stays");
  }

  @Test
  void anInterruptFromBeforeDoesNotReachTheStore() {
    store.before(call -> {
      if (Thread.currentThread().isInterrupted()) {
        throw StoreException.passing("interrupted while waiting for another process", null);
      }
    });
    Thread.currentThread().interrupt();
    assertEquals(Answer.CREATED, coalescer.write(insert("a")).answer());
    assertTrue(Thread.interrupted(), "the interrupt stays");
  }

  @Test
  void anInterruptedCallerIsDoneWithAStoreThatFails() {
    failing(passing(), ids -> true);
    Thread.currentThread().interrupt();
    StoreException unknown = assertThrows(StoreException.class, () -> coalescer.write(insert("a")));
    assertTrue(Thread.interrupted(), "the interrupt stays");
    assertTrue(said(unknown).contains("whether the call was done is unknown"), said(unknown));
    store.before(call -> {});
    call("b");
    driver.performLast();
    driver.tell();
    assertEquals(List.of("b CREATED"), told, "nobody stands behind what nobody waits for");
  }

  @Test
  void anInterruptedCallerInLineLeavesItAndNothingWasDone() {
    failing(passing(), ids -> true);
    call("a");
    driver.performNext(false);
    Thread.currentThread().interrupt();
    StoreException undone = assertThrows(StoreException.class, () -> coalescer.write(insert("b")));
    assertTrue(Thread.interrupted(), "the interrupt stays");
    assertEquals("interrupted before it was sent, so nothing was done: for a test", undone.getMessage());
    store.before(call -> {});
    performAll();
    assertEquals(List.of("a CREATED"), told);
    assertTrue(store.sent.stream().noneMatch(ids -> ids.contains("b")));
  }

  // Bounds.

  @Test
  void whatIsUnansweredIsBounded() {
    coalescer = new Coalescer(store, node, 3, 64 << 20);
    call("a", "b", "c");
    call("d");
    assertEquals(List.of("a CREATED"), told.subList(0, 1), "it had to wait for room");
    performAll();
    assertEquals(4, told.size());
  }

  @Test
  void whoHasWaitedForRoomHasHisTenSecondsBeforeHim() {
    coalescer = new Coalescer(store, node, 2, 100);
    call("a", "b");
    driver.atAwait = () -> {
      driver.atAwait = () -> {};
      clock.addAndGet(TEN_SECONDS.toNanos() - 1);
      driver.performNext(false);
      driver.tell();
    };
    call("c");
    clock.addAndGet(1);
    driver.performNext(false);
    performAll();
    assertEquals(List.of("a CREATED", "b CREATED", "c CREATED"), told);
  }

  @Test
  void theBytesThatAreUnansweredAreBounded() {
    coalescer = new Coalescer(store, node, 100, 9);
    Payload five = Payload.of("12345");
    call(new Write.Insert("q", "a", five, Due.fromNow(0)));
    assertEquals(List.of(), store.sent);
    call(new Write.Insert("q", "b", five, Due.fromNow(0)));
    assertEquals(List.of(List.of("a")), store.sent);
  }

  @Test
  void whoMustNotWaitIsRefusedWhenThereIsNoRoom() {
    coalescer = new Coalescer(store, node, 1, 100);
    driver.stepping = true;
    call("a");
    assertThrows(IllegalStateException.class, () -> call("b"));
    performAll();
    call("b");
    performAll();
    assertEquals(List.of("a CREATED", "b CREATED"), told);
  }

  @Test
  void whatFollowsAnAnswerNeedsNoRoom() {
    coalescer = new Coalescer(store, node, 2, 100);
    var unused = accepted(insert("a")).thenAccept(answer -> call("c", "d"));
    call("b");
    performAll();
    assertEquals(List.of("a CREATED", "b CREATED", "c CREATED", "d CREATED"), told);
  }

  @Test
  void whatFollowsAnAnswerIsBoundedTooAndFails() {
    coalescer = new Coalescer(store, node, 2, 4);
    var unused = accepted(insert("a")).thenAccept(answer -> call("c", "d", "e"));
    call("b");
    performAll();
    assertEquals(List.of("a CREATED", "b CREATED", "c CREATED", "d CREATED",
        "e no room, and a step that follows a stage cannot wait for it, so nothing was done"),
        told.stream().sorted().toList());
    var unusedToo = accepted(insert("f"))
        .thenAccept(answer -> call(new Write.Insert("q", "g", Payload.of("1234567"), Due.fromNow(0)),
            new Write.Insert("q", "h", Payload.of("1"), Due.fromNow(0))));
    performAll();
    assertEquals(List.of("f CREATED", "g CREATED"), told.stream().filter(each -> each.endsWith("CREATED")).skip(4)
        .toList());
    assertTrue(told.stream().anyMatch(each -> each.startsWith("h no room")), told.toString());
    coalescer.close();
    assertTrue(coalescer.over().isDone(), "no room is lost");
  }

  @Test
  void anInterruptEndsTheWaitForRoomInAStoreThatFails() {
    coalescer = new Coalescer(store, node, 1, 100);
    failing(passing(), ids -> true);
    call("a");
    driver.performNext(false);
    Thread.currentThread().interrupt();
    call("b");
    assertTrue(Thread.interrupted());
    assertEquals(List.of("b interrupted while waiting for room, so nothing was done: for a test"), told);
  }

  @Test
  void aStepThatFollowsNeverRunsOnTheThreadThatWrites() {
    var unused = accepted(insert("a"));
    driver.performNext(false);
    assertEquals(List.of(), told);
    assertEquals(1, driver.callbacks.size());
  }

  @Test
  void aCancelledStageChangesNothing() {
    CompletableFuture<Answer> stage = accepted(insert("a"));
    assertTrue(stage.cancel(true));
    performAll();
    assertTrue(store.find("q", List.of("a")).value().get(0).isPresent());
  }

  @Test
  void aStageThatItsHolderEndsIsToldAllTheSameAndGivesItsRoomBack() {
    List<Answer> heard = new ArrayList<>();
    CompletableFuture<Boolean> stage = coalescer
        .writeAsync(insert("a"), written -> {}, written -> heard.add(written.answer())).toCompletableFuture();
    assertTrue(stage.complete(false));
    performAll();
    assertEquals(List.of(Answer.CREATED), heard);
    coalescer.close();
    assertTrue(coalescer.over().isDone());
  }

  // The end.

  @Test
  void whatWasAcceptedIsWrittenAfterTheEndAndNothingElse() {
    call("a", "b");
    coalescer.close();
    assertFalse(coalescer.over().isDone());
    assertEquals("this Bide is closed: n1", assertThrows(IllegalStateException.class, () -> call("c")).getMessage());
    assertThrows(IllegalStateException.class, () -> coalescer.write(insert("c")));
    driver.performNext(false);
    driver.performNext(false);
    assertFalse(coalescer.over().isDone(), "nobody has been told");
    driver.tell();
    assertEquals(List.of("a CREATED", "b CREATED"), told);
    assertTrue(coalescer.over().isDone());
  }

  @Test
  void theEndWaitsForTheLastStep() {
    List<Boolean> over = new ArrayList<>();
    CompletableFuture<Void> end = new CompletableFuture<>();
    var unused = accepted(insert("a")).thenAccept(answer -> over.add(end.isDone()));
    coalescer.close();
    var unusedToo = coalescer.over().thenAccept(end::complete);
    performAll();
    assertEquals(List.of(false), over);
    assertTrue(end.isDone());
  }

  @Test
  void anIdleOneIsOverAtOnce() {
    call("a");
    performAll();
    coalescer.close();
    assertTrue(coalescer.over().isDone());
  }

  @Test
  void whoWaitsForRoomAtTheEndIsRefused() {
    coalescer = new Coalescer(store, node, 1, 100);
    call("a");
    driver.atAwait = () -> {
      driver.atAwait = () -> {};
      coalescer.close();
    };
    assertThrows(IllegalStateException.class, () -> call("b"));
    performAll();
    assertEquals(List.of(List.of("a")), store.sent);
  }

  @Test
  void whatTheStoreHasNotAnsweredAtTheVeryEndFailsAndSaysWhatIsKnown() {
    call("a", "b");
    coalescer.close();
    coalescer.abandon();
    driver.tell();
    assertTrue(coalescer.over().isDone());
    assertTrue(told.get(0).startsWith("a gave up after 10 s or an interrupt; whether the call was done is unknown"));
    assertEquals("b the Bide was closed before it was sent, so nothing was done", told.get(1));
    performAll();
    assertEquals(2, told.size());
    assertEquals(List.of(List.of("a")), store.sent);
  }

  @Test
  void whatIsLeftAtTheVeryEndIsToldInItsOrder() {
    call("first");
    call("a", "b", "c");
    driver.performNext(false);
    call("d");
    failing(StoreException.lasting("bad", null), ids -> ids.contains("a"));
    driver.performNext(false);
    coalescer.close();
    coalescer.abandon();
    driver.tell();
    assertEquals(List.of("first", "a", "b", "c", "d"), told.stream().map(each -> each.split(" ", 2)[0]).toList());
  }

  @Test
  void aStepThatEndsEverythingDoesNotWaitForItself() {
    CompletableFuture<Boolean> over = accepted(insert("a")).thenApply(answer -> {
      coalescer.close();
      return coalescer.over().isDone();
    });
    call("b");
    driver.performNext(false);
    driver.performNext(false);
    driver.tell();
    assertTrue(over.getNow(false));
  }
}
