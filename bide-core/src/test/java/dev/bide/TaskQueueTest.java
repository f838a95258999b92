package dev.bide;

import static dev.bide.SteppedNode.in;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.StoreException;
import dev.bide.task.Answer;
import dev.bide.task.OnExisting;
import dev.bide.task.PauseMode;
import dev.bide.task.Payload;
import dev.bide.task.Task;
import dev.bide.task.TaskQuery;
import dev.bide.task.TaskState;
import dev.bide.task.TaskView;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What callers do with tasks and what they are answered; the store's clock stands still unless a test turns it. */
class TaskQueueTest {
  private static final long START = Instant.parse("2026-03-01T10:00:00Z").toEpochMilli();

  private final AtomicLong clock = new AtomicLong(START);
  private final TappedStore store = new TappedStore(MemoryTaskStore.on(clock::get));
  private final Bide bide = Bide.on(store).start();
  private final TaskQueue<String> queue = bide.queue(QueueSpec.of("orders", String.class));

  private final List<Claim<String>> taken = new ArrayList<>();

  @AfterEach
  void close() {
    taken.forEach(Claim::close);
    bide.close();
  }

  private Task task(String id) {
    return queue.inspect(id).orElseThrow();
  }

  private static Instant after(long millis) {
    return Instant.ofEpochMilli(START + millis);
  }

  private Claim<String> claimed(String id) {
    queue.schedule(id, "to be claimed", When.now());
    List<Claim<String>> claims = queue.take(1, Await.LONG);
    assertEquals(id, claims.get(0).id());
    taken.addAll(claims);
    return claims.get(0);
  }

  private void finished(String id) {
    assertTrue(claimed(id).settle(Outcome.done()));
  }

  @Test
  void aTaskIsScheduledUnderItsOwnId() {
    Scheduled scheduled = queue.schedule("order-42", "hello", in(1_500));
    assertEquals(new Scheduled("order-42", Answer.CREATED, Optional.empty(), Optional.of(after(1_500))), scheduled);
    Task task = task("order-42");
    assertEquals(TaskState.WAITING, task.state());
    assertEquals(Payload.of("hello"), task.payload());
    assertEquals(after(0), task.createdAt());
    assertEquals(after(1_500), task.dueAt());
    assertEquals(Duration.ofMillis(1_500), task.remaining());
    assertEquals(0, task.attempt());
    assertEquals(List.of(), task.attempts());
    assertEquals(Optional.empty(), queue.inspect("order-43"));
  }

  @Test
  void generatedIdsAreUniqueAndSortByTime() {
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      ids.add(queue.schedule("hello", in(1_000)).id());
    }
    assertEquals(100, ids.size());
    clock.addAndGet(60_000);
    queue.cancel("any call tells this node the store's clock");
    String later = queue.schedule("hello", in(1_000)).id();
    assertTrue(ids.stream().allMatch(id -> id.length() == 26 && id.compareTo(later) < 0), later);
    assertEquals(TaskState.WAITING, task(later).state());
  }

  @Test
  void anAbsoluteTimeIsKeptThoughItIsPast() {
    Scheduled scheduled = queue.schedule("a", "x", When.at(after(-5_000)));
    assertEquals(Optional.of(after(-5_000)), scheduled.dueAt());
    assertTrue(task("a").ready());
    assertEquals(Answer.PAST, queue.schedule("b", "x", When.at(after(-1)).orRefuse()).answer());
    assertEquals(Optional.empty(), queue.inspect("b"));
    assertEquals(Answer.EXPIRED, queue.schedule("c", "x", When.at(after(-5_001)).orExpire(Duration.ofSeconds(5)))
        .answer());
    assertEquals(TaskState.CANCELLED, task("c").state());
    assertEquals(Optional.of("expired"), task("c").outcome());
  }

  @Test
  void aDisplayZoneIsShownAndChangesNothing() {
    queue.schedule(Entry.of("a", "x", in(10)).shownIn(ZoneId.of("Asia/Shanghai")));
    assertEquals(Optional.of(ZoneId.of("Asia/Shanghai")), task("a").zone());
    assertEquals(after(10), task("a").dueAt());
  }

  @Test
  void manyTasksAreWrittenInBatchesAndAnsweredInTheirPlaces() {
    queue.schedule("t1500", "before", in(7_000));
    store.forget();
    List<Scheduled> answers = queue
        .scheduleAll(IntStream.range(0, 2_500).mapToObj(i -> Entry.of("t" + i, "x" + i, in(5_000))).toList());
    assertEquals(2_500, answers.size());
    for (int i = 0; i < 2_500; i++) {
      assertEquals("t" + i, answers.get(i).id());
      assertEquals(i == 1_500 ? Answer.KEPT : Answer.CREATED, answers.get(i).answer());
      assertEquals(Optional.of(after(i == 1_500 ? 7_000 : 5_000)), answers.get(i).dueAt());
    }
    assertEquals(3, store.calls(TappedStore.Kind.WRITE).size());
    assertEquals(Payload.of("x2499"), task("t2499").payload());
    assertEquals(List.of(), queue.scheduleAll(List.of()));
  }

  @Test
  void largePayloadsMakeSmallerBatches() {
    String large = "x".repeat(TaskQueue.MAX_PAYLOAD);
    queue.scheduleAll(IntStream.range(0, 150).mapToObj(i -> Entry.of("t" + i, large, in(5_000))).toList());
    assertEquals(3, store.calls(TappedStore.Kind.WRITE).size());
  }

  @Test
  void aBulkCallIsCheckedAsAWholeBeforeAnythingIsWritten() {
    List<Entry<String>> entries = new ArrayList<>(
        IntStream.range(0, 2_000).mapToObj(i -> Entry.of("t" + i, "x", in(5_000))).toList());
    for (Entry<String> bad : List.of(Entry.of("t7", "x", in(1)),
        Entry.of("large", "x".repeat(TaskQueue.MAX_PAYLOAD + 1), in(1)),
        Entry.of("far", "x", When.in(Duration.ofDays(4_000))))) {
      entries.add(bad);
      store.forget();
      assertThrows(IllegalArgumentException.class, () -> queue.scheduleAll(entries));
      assertEquals(0, store.calls(TappedStore.Kind.WRITE).size());
      entries.remove(entries.size() - 1);
    }
    assertEquals(Optional.empty(), queue.inspect("t0"));
  }

  @Test
  void badValuesAreRefusedBeforeAnythingIsWritten() {
    store.forget();
    String deep = "x".repeat(201);
    for (String id : List.of("", deep, "a\u0000b", "tab\t", "\ud800")) {
      assertThrows(IllegalArgumentException.class, () -> queue.schedule(id, "x", in(1)), id);
      assertThrows(IllegalArgumentException.class, () -> queue.cancel(id), id);
      assertThrows(IllegalArgumentException.class, () -> queue.move(id, in(1)), id);
      assertThrows(IllegalArgumentException.class, () -> queue.extend(id, Duration.ofMillis(1)), id);
      assertThrows(IllegalArgumentException.class, () -> queue.inspect(id), id);
    }
    assertThrows(IllegalArgumentException.class, () -> When.in(Duration.ofMillis(-1)));
    assertThrows(IllegalArgumentException.class, () -> queue.extend("a", Duration.ofMillis(-1)));
    assertThrows(IllegalArgumentException.class, () -> queue.extend("a", Duration.ofDays(4_000)));
    assertThrows(IllegalArgumentException.class, () -> queue.move("a", When.in(Duration.ofDays(4_000))));
    assertThrows(IllegalArgumentException.class, () -> queue.schedule("a", "x", When.at(after(4_000L * 86_400_000))));
    assertThrows(IllegalArgumentException.class,
        () -> queue.schedule("a", "x".repeat(TaskQueue.MAX_PAYLOAD + 1), in(1)));
    assertThrows(IllegalArgumentException.class, () -> queue.take(0, Duration.ZERO));
    assertThrows(IllegalArgumentException.class, () -> queue.take(1_001, Duration.ZERO));
    assertThrows(IllegalArgumentException.class, () -> queue.take(1, Duration.ofMillis(-1)));
    assertThrows(IllegalArgumentException.class, () -> queue.credit(-1));
    assertEquals(0, store.calls(TappedStore.Kind.WRITE).size());
  }

  @Test
  void theBordersAreAllowed() {
    String id = "x".repeat(199) + "\ud83c\udf75";
    assertEquals(Answer.CREATED, queue.schedule(id, "x".repeat(TaskQueue.MAX_PAYLOAD), When.in(Duration.ofDays(3_653)))
        .answer());
    assertEquals(TaskQueue.MAX_PAYLOAD, task(id).payload().size());
    assertEquals(Answer.CREATED, queue.schedule("empty", "", When.now()).answer());
  }

  @Test
  void keepKeepsWhateverIsFound() {
    Entry<String> entry = Entry.of("a", "new", in(9_000));
    queue.schedule("a", "old", in(1_000));
    assertEquals(new Scheduled("a", Answer.KEPT, Optional.of(TaskState.WAITING), Optional.of(after(1_000))),
        queue.schedule(entry));
    claimed("b");
    assertEquals(Answer.KEPT, queue.schedule("b", "new", in(1)).answer());
    finished("c");
    Scheduled kept = queue.schedule("c", "new", in(1));
    assertEquals(Answer.KEPT, kept.answer());
    assertEquals(Optional.of(TaskState.COMPLETED), kept.found());
    assertEquals(Optional.empty(), kept.dueAt());
    assertEquals(Payload.of("old"), task("a").payload());
  }

  @Test
  void replaceReplacesWhatWaitsAndRevivesWhatHasEnded() {
    queue.schedule("a", "old", in(1_000));
    long seq = task("a").seq();
    assertEquals(new Scheduled("a", Answer.REPLACED, Optional.of(TaskState.WAITING), Optional.of(after(9_000))),
        queue.schedule(Entry.of("a", "new", in(9_000)).onExisting(OnExisting.REPLACE)));
    assertEquals(Payload.of("new"), task("a").payload());
    assertTrue(task("a").seq() > seq);
    claimed("b");
    assertEquals(Answer.REFUSED, queue.schedule(Entry.of("b", "new", in(1)).onExisting(OnExisting.REPLACE)).answer());
    finished("c");
    assertEquals(Answer.CREATED, queue.schedule(Entry.of("c", "new", in(1)).onExisting(OnExisting.REPLACE)).answer());
    assertEquals(TaskState.WAITING, task("c").state());
  }

  @Test
  void failTellsWhatIsFound() {
    queue.schedule("a", "old", in(1_000));
    assertEquals(new Scheduled("a", Answer.EXISTS, Optional.of(TaskState.WAITING), Optional.of(after(1_000))),
        queue.schedule(Entry.of("a", "new", in(9_000)).onExisting(OnExisting.FAIL)));
    finished("c");
    assertEquals(Optional.of(TaskState.COMPLETED),
        queue.schedule(Entry.of("c", "new", in(1)).onExisting(OnExisting.FAIL)).found());
    assertEquals(Answer.CREATED, queue.schedule(Entry.of("d", "new", in(1)).onExisting(OnExisting.FAIL)).answer());
  }

  @Test
  void reuseRevivesWhatHasEndedAndKeepsWhatLives() {
    queue.schedule("a", "old", in(1_000));
    assertEquals(Answer.KEPT, queue.schedule(Entry.of("a", "new", in(1)).onExisting(OnExisting.REUSE)).answer());
    finished("c");
    assertEquals(Answer.CREATED, queue.schedule(Entry.of("c", "new", in(1)).onExisting(OnExisting.REUSE)).answer());
    assertEquals(Payload.of("new"), task("c").payload());
  }

  @Test
  void cancelAnswersTheStateItFound() {
    queue.schedule("a", "x", in(1_000));
    assertEquals(new Changed(Answer.CANCELLED, Optional.of(TaskState.WAITING), Optional.of(after(1_000))),
        queue.cancel("a", "the shop"));
    assertEquals(Optional.of("cancelled by the shop"), task("a").outcome());
    assertEquals(Answer.ALREADY_FINISHED, queue.cancel("a").answer());
    assertEquals(Optional.of(TaskState.CANCELLED), queue.cancel("a").found());
    Claim<String> claim = claimed("b");
    assertEquals(Answer.ALREADY_CLAIMED, queue.cancel("b").answer());
    assertEquals(Optional.of(TaskState.PROCESSING), queue.cancel("b").found());
    assertTrue(task("b").cancelRequested());
    assertTrue(claim.settle(Outcome.retryIn(Duration.ZERO)));
    assertEquals(TaskState.CANCELLED, task("b").state());
    assertEquals(new Changed(Answer.NOT_FOUND, Optional.empty(), Optional.empty()), queue.cancel("nobody"));
  }

  @Test
  void moveCountsFromNowAndMayBringATaskForward() {
    queue.schedule("a", "x", in(5_000));
    clock.addAndGet(1_000);
    assertEquals(new Changed(Answer.DONE, Optional.of(TaskState.WAITING), Optional.of(after(1_500))),
        queue.move("a", in(500)));
    assertEquals(after(1_500), task("a").readyAt());
    assertEquals(Answer.DONE, queue.move("a", in(100).onlyLater()).answer());
    assertEquals(after(1_500), task("a").dueAt());
    assertEquals(Answer.DONE, queue.move("a", in(9_000).onlyLater()).answer());
    assertEquals(after(10_000), task("a").dueAt());
    assertEquals(Answer.PAST, queue.move("a", When.at(after(0)).orRefuse()).answer());
    claimed("b");
    assertEquals(Answer.ALREADY_CLAIMED, queue.move("b", in(1)).answer());
    finished("c");
    assertEquals(Answer.ALREADY_FINISHED, queue.move("c", in(1)).answer());
    assertEquals(Answer.NOT_FOUND, queue.move("nobody", in(1)).answer());
  }

  @Test
  void extendAddsToTheDueTime() {
    queue.schedule("a", "x", in(5_000));
    clock.addAndGet(1_000);
    assertEquals(Optional.of(after(5_700)), queue.extend("a", Duration.ofMillis(700)).dueAt());
    assertEquals(Optional.of(after(5_800)), queue.extend("a", Duration.ofMillis(100)).dueAt());
    assertEquals(Answer.NOT_FOUND, queue.extend("nobody", Duration.ofMillis(1)).answer());
  }

  @Test
  void inspectShowsEachAttempt() {
    queue.schedule("a", "x", When.now());
    Claim<String> first = queue.take(1, Await.LONG).get(0);
    Task running = task("a");
    assertEquals(TaskState.PROCESSING, running.state());
    assertEquals(Optional.of(bide.node()), running.node());
    assertEquals(1, running.attempt());
    clock.addAndGet(40);
    assertTrue(first.settle(Outcome.retryIn(Duration.ofMillis(100), "the shop is shut")));
    Task waiting = task("a");
    assertTrue(waiting.retry());
    assertEquals(Duration.ofMillis(100), waiting.remaining());
    clock.addAndGet(100);
    Claim<String> second = queue.take(1, Await.LONG).get(0);
    assertEquals(2, second.attempt());
    assertTrue(second.token() > first.token());
    assertEquals(after(0), second.dueAt());
    assertEquals(after(140), second.claimedAt());
    assertTrue(second.settle(Outcome.skip("paid")));

    Task ended = task("a");
    assertEquals(Optional.of("skipped: paid"), ended.outcome());
    assertEquals(2, ended.attempts().size());
    assertEquals("retry", ended.attempts().get(0).outcome());
    assertEquals(Optional.of("the shop is shut"), ended.attempts().get(0).error());
    assertEquals(after(0), ended.attempts().get(0).start());
    assertEquals(after(40), ended.attempts().get(0).end());
    assertEquals(bide.node(), ended.attempts().get(0).node());
    assertEquals(after(140), ended.attempts().get(1).start());
  }

  @Test
  void aPassingMishapIsRepeatedAndHasItsEffectOnce() {
    AtomicInteger mishaps = new AtomicInteger();
    store.after(call -> {
      if (call.kind() == TappedStore.Kind.WRITE && mishaps.getAndIncrement() < 2) {
        throw StoreException.passing("the reply is lost", null);
      }
    });
    assertEquals(Answer.CREATED, queue.schedule("a", "x", in(1_000)).answer());
    mishaps.set(0);
    queue.extend("a", Duration.ofMillis(500));
    assertEquals(after(1_500), task("a").dueAt());
    AtomicInteger looks = new AtomicInteger();
    store.before(call -> {
      boolean callers = call.kind() == TappedStore.Kind.FIND || call.kind() == TappedStore.Kind.QUEUES;
      if (callers && looks.getAndIncrement() < 2) {
        throw StoreException.passing("away", null);
      }
    });
    assertEquals(TaskState.WAITING, task("a").state());
    assertEquals(3, looks.get());
    for (Runnable call : List.<Runnable>of(queue::pause, queue::resume, queue::paused,
        () -> bide.queue(QueueSpec.of("another", String.class)))) {
      looks.set(0);
      call.run();
      assertEquals(3, looks.get());
    }
  }

  @Test
  void aLastingMishapIsThrownAtOnce() {
    store.before(call -> {
      throw StoreException.lasting("full", null);
    });
    store.forget();
    StoreException refusal = assertThrows(StoreException.class, () -> queue.schedule("a", "x", in(1_000)));
    assertFalse(refusal.isTransient());
    assertEquals(1, store.calls(TappedStore.Kind.WRITE).size());
    store.before(call -> {});
    assertEquals(Optional.empty(), queue.inspect("a"));
  }

  @Test
  void anInterruptedCallerGivesUpAfterItsFirstTry() {
    store.before(call -> {
      if (call.kind() == TappedStore.Kind.WRITE) {
        throw StoreException.passing("away", null);
      }
    });
    Thread.currentThread().interrupt();
    assertThrows(StoreException.class, () -> queue.schedule("a", "x", in(1_000)));
    assertTrue(Thread.interrupted());
    store.before(call -> {});
    Thread.currentThread().interrupt();
    assertEquals(Answer.CREATED, queue.schedule("a", "x", in(1_000)).answer());
    assertTrue(Thread.interrupted(), "the interrupt stays");
  }

  @Test
  void aTaskIsScheduledWithoutWaitingAndTheStageSaysWhenTheStoreHasIt() {
    CountDownLatch stuck = new CountDownLatch(1);
    store.before(call -> Await.latch(stuck));
    CompletableFuture<Scheduled> first = queue.scheduleAsync("a", "x", in(1_500)).toCompletableFuture();
    CompletableFuture<Scheduled> second = queue.scheduleAsync("y", in(1_000)).toCompletableFuture();
    CompletableFuture<Scheduled> third = queue
        .scheduleAsync(Entry.of("a", "z", in(9_000)).onExisting(OnExisting.REPLACE)).toCompletableFuture();
    assertFalse(first.isDone());
    stuck.countDown();
    assertEquals(new Scheduled("a", Answer.CREATED, Optional.empty(), Optional.of(after(1_500))), first.join());
    assertEquals(new Scheduled("a", Answer.REPLACED, Optional.of(TaskState.WAITING), Optional.of(after(9_000))),
        third.join());
    assertEquals(TaskState.WAITING, task(second.join().id()).state());
  }

  @Test
  void aTaskIsCancelledWithoutWaitingInTheOrderOfTheCalls() {
    CompletableFuture<Scheduled> scheduled = queue.scheduleAsync("a", "x", in(1_500)).toCompletableFuture();
    CompletableFuture<Changed> cancelled = queue.cancelAsync("a", "me").toCompletableFuture();
    CompletableFuture<Changed> again = queue.cancelAsync("a", "me").toCompletableFuture();
    assertEquals(Answer.ALREADY_FINISHED, again.join().answer());
    assertEquals(Answer.CREATED, scheduled.join().answer());
    assertEquals(Answer.CANCELLED, cancelled.join().answer());
    assertEquals(Optional.of("cancelled by me"), task("a").outcome());
  }

  @Test
  void aBadEntryIsRefusedBeforeAnythingIsAccepted() {
    store.forget();
    for (Executable call : List.<Executable>of(() -> queue.scheduleAsync("a\nb", "x", in(1)),
        () -> queue.cancelAsync("a\nb", "me"),
        () -> queue.scheduleAsync("a", "x".repeat(TaskQueue.MAX_PAYLOAD + 1), in(1)),
        () -> queue.scheduleAsync("x", When.in(Duration.ofDays(4_000))))) {
      assertThrows(IllegalArgumentException.class, call);
    }
    assertEquals(0, store.calls(TappedStore.Kind.WRITE).size());
  }

  @Test
  void whatIsScheduledWithoutWaitingComesBeforeWhatTheSameThreadDoesNext() {
    for (int i = 0; i < 200; i++) {
      String id = "t" + i;
      var unused = queue.scheduleAsync(id, "first", in(1_000));
      assertEquals(Answer.KEPT, (i % 2 == 0
          ? queue.schedule(id, "second", in(1))
          : queue.scheduleAll(List.of(Entry.of(id, "second", in(1)))).get(0)).answer(), id);
    }
  }

  @Test
  void aStageFailsWithWhatTheStoreSays() {
    store.before(call -> {
      throw StoreException.lasting("read-only", null);
    });
    CompletableFuture<Scheduled> stage = queue.scheduleAsync("a", "x", in(1)).toCompletableFuture();
    Throwable failure = assertThrows(CompletionException.class, stage::join).getCause();
    assertEquals("read-only", assertInstanceOf(StoreException.class, failure).getMessage());
  }

  @Test
  void callersOfManyThreadsShareWritesAndAreAllWoken() {
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    store.before(call -> {
      begun.countDown();
      Await.latch(stuck);
    });
    store.forget();
    List<Thread> callers = new ArrayList<>(List.of(Await.thread(() -> queue.schedule("t0", "x", in(1_000)))));
    Await.latch(begun);
    for (int i = 1; i <= 40; i++) {
      String id = "t" + i;
      callers.add(Await.thread(() -> queue.schedule(id, "x", in(1_000))));
    }
    for (Thread caller : callers.subList(1, 41)) {
      Await.until("it waits",
          () -> Set.of(Thread.State.TIMED_WAITING, Thread.State.WAITING).contains(caller.getState()));
    }
    stuck.countDown();
    callers.forEach(Await::join);
    assertEquals(2, store.calls(TappedStore.Kind.WRITE).size());
    for (int i = 0; i <= 40; i++) {
      assertEquals(TaskState.WAITING, task("t" + i).state());
    }
  }

  @Test
  void aQueueIsTheSameHoweverOftenItIsAskedFor() {
    assertSame(queue, bide.queue(QueueSpec.of("orders", String.class)));
    assertThrows(IllegalArgumentException.class, () -> bide.queue(QueueSpec.of("orders", byte[].class)));
    assertThrows(IllegalStateException.class, () -> {
      queue.handle(claim -> Outcome.done());
      queue.handle(claim -> Outcome.done());
    });
  }

  @Test
  void everyMethodOfAClosedBideIsRefusedUnlessItOnlyNamesThings() throws Exception {
    Claim<String> claim = claimed("b");
    assertTrue(claim.settle(Outcome.done()));
    bide.close();
    Set<String> harmless = Set.of("Bide.node", "Bide.close", "TaskQueue.name");
    Handler<String> handler = any -> Outcome.done();
    AsyncHandler<String> asyncHandler = any -> CompletableFuture.completedStage(Outcome.done());
    List<Object> values = List.of("a", in(1), Entry.of("a", "x", in(1)), List.of(Entry.of("a", "x", in(1))),
        Duration.ofMinutes(1), 1, PauseMode.KEEP_DUE, handler, asyncHandler, QueueSpec.of("another", String.class),
        Instant.EPOCH, TaskQuery.of(TaskView.LIVE));
    for (Object object : List.of(bide, queue)) {
      for (Method method : object.getClass().getDeclaredMethods()) {
        if (Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())) {
          String name = object.getClass().getSimpleName() + '.' + method.getName();
          Object[] arguments = Stream.of(method.getParameterTypes()).map(type -> ofType(type, values)).toArray();
          if (harmless.contains(name)) {
            method.invoke(object, arguments);
          } else {
            Throwable thrown = assertThrows(InvocationTargetException.class, () -> method.invoke(object, arguments),
                name).getCause();
            assertInstanceOf(IllegalStateException.class, thrown, name);
            assertEquals("this Bide is closed: " + bide.node(), thrown.getMessage(), name);
          }
        }
      }
    }
    assertEquals("b", claim.id());
    assertTrue(claim.toString().contains("task=b"));
  }

  private static Object ofType(Class<?> type, List<Object> values) {
    return values.stream().filter(value -> MethodType.methodType(type).wrap().returnType().isInstance(value))
        .findFirst().orElseThrow(() -> new AssertionError("no value to try a closed Bide with: " + type));
  }

  @Test
  void delaysBeyondAllMeasureAreRefusedWithWhatIsAllowed() {
    Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
    store.forget();
    for (Executable call : List.<Executable>of(() -> queue.schedule("a", "x", When.in(forEver)),
        () -> queue.move("a", When.in(forEver)), () -> queue.extend("a", forEver))) {
      String refusal = assertThrows(IllegalArgumentException.class, call).getMessage();
      assertEquals("a task may be due at most PT87672H ahead, got in " + Duration.ofMillis(Long.MAX_VALUE), refusal);
    }
    assertThrows(IllegalArgumentException.class, () -> When.at(Instant.MAX));
    assertThrows(IllegalArgumentException.class, () -> When.at(Instant.MIN));
    assertThrows(IllegalArgumentException.class, () -> When.in(Duration.ofSeconds(Long.MIN_VALUE)));
    assertThrows(IllegalArgumentException.class, () -> Outcome.retryIn(Duration.ofNanos(-1)));
    assertEquals(0, store.calls(TappedStore.Kind.WRITE).size());
  }

  @Test
  void aRetryBeyondAllMeasureIsDueAtTheEndOfTime() {
    assertTrue(claimed("a").settle(Outcome.retryIn(Duration.ofSeconds(Long.MAX_VALUE))));
    assertEquals(TaskState.WAITING, task("a").state());
    assertEquals(Instant.parse("9999-12-31T23:59:59.999Z"), task("a").readyAt());
    assertEquals(Answer.CANCELLED, queue.cancel("a").answer());
  }

  @Test
  void aNameThatNamesNoQueueIsRefusedWithWhatIsAllowed() {
    for (String name : List.of("", "~own", "with space", "a\nb", "é", "-a", "x".repeat(129))) {
      String refusal = assertThrows(IllegalArgumentException.class, () -> QueueSpec.of(name, String.class), name)
          .toString();
      assertTrue(refusal.contains("a queue name is a letter or digit and up to 127 of "), refusal);
      assertFalse(refusal.contains("\n"), refusal);
    }
    assertEquals("x".repeat(128), QueueSpec.of("x".repeat(128), String.class).name());
  }
}
