package dev.bide.tck;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.Bide;
import dev.bide.Claim;
import dev.bide.Handler;
import dev.bide.Outcome;
import dev.bide.QueueSpec;
import dev.bide.Retry;
import dev.bide.TaskEvent;
import dev.bide.TaskQueue;
import dev.bide.delay.When;
import dev.bide.task.Answer;
import dev.bide.task.PauseMode;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VirtualTimeTest {
  private static final QueueSpec<String> SPEC = QueueSpec.of("q", String.class)
      .retry(Retry.fixed(ofMinutes(1)).attempts(3));

  private final VirtualTime time = VirtualTime.begin();
  private final TaskQueue<String> queue = time.bide().queue(SPEC);

  @AfterEach
  void close() {
    time.close();
  }

  private void schedule(String id, Duration delay) {
    queue.schedule(id, "x", When.in(delay));
  }

  private static Handler<String> doing(Consumer<Claim<String>> work) {
    return claim -> {
      work.accept(claim);
      return Outcome.done();
    };
  }

  private TaskState state(String id) {
    return queue.inspect(id).map(Task::state).orElseThrow();
  }

  private List<Duration> moments(TaskEvent.Kind kind) {
    return time.events().stream().filter(event -> event.kind() == kind)
        .map(event -> Duration.between(VirtualTime.START, event.at())).toList();
  }

  private static Thread elsewhere(Runnable work) throws InterruptedException {
    Thread thread = new Thread(work, "elsewhere");
    thread.start();
    thread.join();
    return thread;
  }

  @Test
  void aTaskRunsAtItsMomentAndNotAMillisecondBefore() {
    queue.handle(doing(claim -> assertEquals(VirtualTime.START.plus(ofMinutes(30)), time.now())));
    schedule("a", ofMinutes(30));
    time.advance(ofMinutes(30).minusMillis(1));
    assertEquals(List.of(), time.ran());
    assertEquals(TaskState.WAITING, state("a"));
    time.advance(ofMillis(1));
    assertEquals(List.of("a"), time.ran());
    assertEquals(TaskState.COMPLETED, state("a"));
  }

  @Test
  void nothingRunsUntilTimeIsLetPassIfOnlyForNoTime() {
    queue.handle(doing(claim -> {}));
    schedule("a", ZERO);
    assertEquals(List.of(), time.ran());
    time.advance(ZERO);
    assertEquals(List.of("a"), time.ran());
    assertEquals(VirtualTime.START, time.now());
  }

  @Test
  void tasksOfAllQueuesRunInTheOrderOfTheirTimesAndEqualOnesAsTheyCame() {
    TaskQueue<String> other = time.bide().queue(QueueSpec.of("other", String.class));
    List<Instant> moments = new ArrayList<>();
    queue.handle(doing(claim -> moments.add(time.now())));
    other.handle(doing(claim -> moments.add(time.now())));
    schedule("c", ofHours(3));
    schedule("d", ofHours(3));
    other.schedule("b", "x", When.in(ofHours(2)));
    other.schedule("e", "x", When.at(VirtualTime.START.plus(ofDays(9))));
    schedule("a", ofHours(1));
    time.advance(ofDays(9));
    assertEquals(List.of("a", "b", "c", "d", "e"), time.ran());
    assertEquals(List.of(ofHours(1), ofHours(2), ofHours(3), ofHours(3), ofDays(9)),
        moments.stream().map(moment -> Duration.between(VirtualTime.START, moment)).toList());
  }

  @Test
  void partsOfAMillisecondAreRoundedUp() {
    queue.handle(doing(claim -> {}));
    schedule("a", ofMillis(1));
    time.advance(ofNanos(1));
    assertEquals(List.of("a"), time.ran());
    assertEquals(VirtualTime.START.plusMillis(1), time.now());
    try (VirtualTime later = VirtualTime.begin(VirtualTime.START.plusNanos(1))) {
      assertEquals(VirtualTime.START.plusMillis(1), later.now());
    }
  }

  @Test
  void aTaskIsOnTimeWhateverHappensBetween() {
    // A third of this lease is no whole millisecond.
    TaskQueue<String> odd = time.bide().queue(QueueSpec.of("odd", String.class).lease(ofSeconds(10)));
    odd.handle(doing(claim -> time.advance(ofMinutes(10))));
    odd.schedule("long", "x", When.now());
    queue.handle(doing(claim -> assertEquals(claim.dueAt(), time.now())));
    for (int i = 0; i < 100; i++) {
      schedule("t" + i, ofMillis(1 + 5_003L * i));
    }
    time.advance(ofMinutes(20));
    assertEquals(101, time.ran().size());
  }

  @Test
  void aFailureIsRetriedAfterItsBackoffAndEndsAsADeadLetter() {
    queue.handle(claim -> {
      throw new IllegalStateException("the partner answers 503");
    });
    schedule("a", ofHours(1));
    time.advance(ofHours(1));
    assertEquals(TaskState.WAITING, state("a"));
    time.advance(ofMinutes(1).minusMillis(1));
    assertEquals(1, time.ran().size());
    time.advance(ofMillis(1));
    assertEquals(2, time.ran().size());
    time.advance(ofDays(1));
    assertEquals(List.of("a", "a", "a"), time.ran());
    assertEquals(TaskState.FAILED, state("a"));
    assertEquals(List.of(ofMinutes(60), ofMinutes(61), ofMinutes(62)), moments(TaskEvent.Kind.STARTED));
    assertEquals(List.of(ofMinutes(62)), moments(TaskEvent.Kind.FAILED));
  }

  @Test
  void idsNodesJitterAndOrderAreTheSameEachTime() {
    assertEquals(story(), story());
  }

  private static String story() {
    try (VirtualTime time = VirtualTime.begin()) {
      TaskQueue<String> queue = time.bide().queue(QueueSpec.of("q", String.class));
      queue.handle(claim -> claim.attempt() < 4 ? Outcome.retryIn(ofMillis(7)) : Outcome.done());
      TaskQueue<String> failing = time.start(node -> node.name("b")).queue(QueueSpec.of("f", String.class));
      failing.handle(claim -> {
        throw new IllegalStateException(claim.id());
      });
      for (int i = 0; i < 5; i++) {
        queue.schedule("x", When.in(ofSeconds(i)));
        failing.schedule("x", When.in(ofSeconds(i)));
      }
      time.advance(ofDays(1));
      return time.ran().size() + " ran: "
          + time.events().stream().map(event -> event.toString().replaceAll("@[0-9a-f]+", "")).toList();
    }
  }

  @Test
  void whatIsScheduledWithoutWaitingIsWrittenWhenTimePassesOrTheNextCallWaits() {
    List<String> told = new ArrayList<>();
    queue.handle(doing(claim -> {}));
    queue.scheduleAsync("a", "x", When.in(ofMinutes(1))).thenAccept(scheduled -> told.add(scheduled.id()));
    assertEquals(Optional.empty(), queue.inspect("a"));
    time.advance(ZERO);
    assertEquals(List.of("a"), told);
    queue.scheduleAsync("b", "x", When.in(ofMinutes(1))).thenAccept(scheduled -> told.add(scheduled.id()));
    assertEquals(Answer.CANCELLED, queue.cancel("b").answer());
    queue.scheduleAsync("c", "x", When.in(ofDays(1))).thenAccept(scheduled -> told.add(scheduled.id()));
    time.advance(ofMinutes(1));
    assertEquals(List.of("a", "b", "c"), told);
    assertEquals(List.of("a"), time.ran());
    queue.scheduleAsync("d", "x", When.in(ofDays(1))).thenAccept(scheduled -> told.add(scheduled.id()));
    time.close();
    assertEquals(List.of("a", "b", "c", "d"), told);
  }

  @Test
  void aTakeWaitsInVirtualTime() {
    schedule("a", ofMinutes(30));
    try (Claim<String> claim = queue.take(1, ofHours(1)).get(0)) {
      assertEquals(VirtualTime.START.plus(ofMinutes(30)), time.now());
      time.advance(ofHours(5));
      assertFalse(claim.lost());
      assertTrue(claim.settle(Outcome.done()));
    }
    assertEquals(List.of("a"), time.ran());
    Instant before = time.now();
    assertEquals(List.of(), queue.take(1, ofHours(1)));
    assertEquals(before.plus(ofHours(1)), time.now());
  }

  @Test
  void whatDependsOnASettlementRunsWhenTimePasses() {
    schedule("a", ZERO);
    Claim<String> claim = queue.take(1, ZERO).get(0);
    var valid = claim.settleAsync(Outcome.done()).toCompletableFuture();
    assertFalse(valid.isDone());
    time.advance(ZERO);
    assertTrue(valid.join());
  }

  @Test
  void aTakenClaimThatIsClosedGoesBack() {
    schedule("a", ZERO);
    queue.take(1, ZERO).forEach(Claim::close);
    time.advance(ofSeconds(1));
    assertEquals(1, queue.take(1, ZERO).get(0).attempt());
  }

  @Test
  void aHandlerMayTakeItsTimeWhileItsLeaseIsRenewedAndOthersRun() {
    queue.handle(doing(claim -> {
      if (claim.id().equals("long")) {
        time.advance(ofHours(1));
        assertFalse(claim.lost());
        assertTrue(time.ran().contains("short"));
      }
    }));
    schedule("long", ZERO);
    schedule("short", ofMinutes(30));
    schedule("after", ofMinutes(90));
    time.advance(ofMinutes(1));
    assertEquals(VirtualTime.START.plus(ofHours(1)), time.now(), "the handler brought it further");
    assertEquals(List.of("long", "short"), time.ran());
    time.advance(ofMinutes(30));
    assertEquals(List.of("long", "short", "after"), time.ran());
    assertEquals(TaskState.COMPLETED, state("long"));
  }

  @Test
  void aHandlerWithinAnotherGoesFirst() {
    List<String> ends = new ArrayList<>();
    queue.handle(doing(claim -> {
      time.advance(claim.id().equals("outer") ? ofSeconds(10) : ofSeconds(20));
      ends.add(claim.id() + " at " + Duration.between(VirtualTime.START, time.now()).toSeconds());
    }));
    schedule("outer", ZERO);
    schedule("inner", ofSeconds(5));
    time.advance(ZERO);
    assertEquals(List.of("inner at 25", "outer at 25"), ends);
    assertEquals(TaskState.COMPLETED, state("outer"));
  }

  @Test
  void aHandlerMayWaitForAnotherTask() {
    TaskQueue<String> other = time.bide().queue(QueueSpec.of("other", String.class));
    queue.handle(claim -> {
      other.schedule("b", "x", When.in(ofMinutes(2)));
      try (Claim<String> taken = other.take(1, ofHours(1)).get(0)) {
        return taken.settle(Outcome.done()) ? Outcome.done() : Outcome.fail("lost");
      }
    });
    schedule("a", ZERO);
    time.advance(ZERO);
    assertEquals(TaskState.COMPLETED, state("a"));
    assertEquals(List.of("a", "b"), time.ran());
  }

  @Test
  void aHandlerCannotCloseItsNodeEvenAfterAnotherRanWithinIt() {
    List<String> refused = new ArrayList<>();
    queue.handle(doing(claim -> {
      if (claim.id().equals("outer")) {
        time.advance(ofMinutes(1));
        refused.add(assertThrows(IllegalStateException.class, time.bide()::close).getMessage());
        refused.add(assertThrows(IllegalStateException.class, time::close).getMessage());
      }
    }));
    schedule("outer", ZERO);
    schedule("inner", ofSeconds(5));
    time.advance(ZERO);
    assertEquals(List.of("a handler cannot close the Bide it runs in: it would wait for itself",
        "a handler or a listener cannot close the virtual time it runs in"), refused);
    assertEquals(TaskState.COMPLETED, state("outer"));
  }

  @Test
  void anAsyncHandlerEndsWhenTheTestSaysSo() {
    CompletableFuture<Outcome> answer = new CompletableFuture<>();
    queue.handleAsync(claim -> answer);
    schedule("a", ZERO);
    time.advance(ofDays(1));
    assertEquals(TaskState.PROCESSING, state("a"));
    answer.complete(Outcome.done());
    time.advance(ZERO);
    assertEquals(TaskState.COMPLETED, state("a"));
  }

  @Test
  void anAssertionThatFailsInAHandlerStopsTheAdvanceAtThatMoment() {
    AssertionError wrong = new AssertionError("wrong amount");
    queue.handle(doing(claim -> {
      if (claim.attempt() == 1) {
        throw wrong;
      }
    }));
    schedule("a", ofMinutes(5));
    assertSame(wrong, assertThrows(AssertionError.class, () -> time.advance(ofDays(1))));
    assertEquals(VirtualTime.START.plus(ofMinutes(5)), time.now());
    assertEquals(TaskState.WAITING, state("a"));
    time.advance(ofMinutes(1));
    assertEquals(TaskState.COMPLETED, state("a"), "it is retried as any failure");
  }

  @Test
  void anAssertionThatFailsBehindAnotherExceptionIsNotLost() {
    AssertionError wrong = new AssertionError("wrong amount");
    queue.handle(claim -> {
      throw new IllegalStateException(new CompletionException(wrong));
    });
    schedule("a", ZERO);
    assertSame(wrong, assertThrows(AssertionError.class, () -> time.advance(ZERO)));
  }

  @Test
  void assertionsThatFailAtOneMomentAreThrownTogether() {
    queue.handle(doing(claim -> {
      throw new AssertionError(claim.id());
    }));
    schedule("a", ofMinutes(5));
    schedule("b", ofMinutes(5));
    AssertionError thrown = assertThrows(AssertionError.class, () -> time.advance(ofMinutes(5)));
    assertEquals("a", thrown.getMessage());
    assertEquals(List.of("b"), List.of(thrown.getSuppressed()).stream().map(Throwable::getMessage).toList());
  }

  @Test
  void anAssertionThatFailsWhileSomethingElseWaitsIsThrownByTheNextAdvance() {
    queue.handle(doing(claim -> {
      throw new AssertionError("wrong amount");
    }));
    schedule("a", ofMinutes(5));
    TaskQueue<String> other = time.bide().queue(QueueSpec.of("other", String.class));
    assertEquals(List.of(), other.take(1, ofMinutes(5)));
    Instant before = time.now();
    assertThrows(AssertionError.class, () -> time.advance(ofMinutes(1)));
    assertEquals(before, time.now());
  }

  @Test
  void anAssertionThatFailsWithinAnotherHandlerIsThrownByTheOutermostAdvance() {
    queue.handle(doing(claim -> {
      if (claim.id().equals("inner")) {
        throw new AssertionError("inner");
      }
      time.advance(ofSeconds(10));
    }));
    schedule("outer", ZERO);
    schedule("inner", ofSeconds(5));
    assertEquals("inner", assertThrows(AssertionError.class, () -> time.advance(ofHours(1))).getMessage());
    time.advance(ZERO);
    assertEquals(TaskState.COMPLETED, state("outer"));
  }

  @Test
  void anAssertionNobodyHasSeenIsThrownByTheClose() {
    VirtualTime brief = VirtualTime.begin();
    TaskQueue<String> its = brief.bide().queue(SPEC);
    its.handle(doing(claim -> {
      throw new AssertionError("wrong amount");
    }));
    its.schedule("a", "x", When.now());
    assertEquals(List.of(), brief.bide().queue(QueueSpec.of("other", String.class)).take(1, ofSeconds(1)));
    assertEquals("wrong amount", assertThrows(AssertionError.class, brief::close).getMessage());
    brief.close();
  }

  @Test
  void anErrorOfTheVirtualMachineGoesOnUp() {
    queue.handle(doing(claim -> {
      if (claim.attempt() == 1) {
        throw new StackOverflowError();
      }
    }));
    schedule("a", ZERO);
    assertThrows(StackOverflowError.class, () -> time.advance(ZERO));
    time.advance(ofMinutes(1));
    assertEquals(TaskState.COMPLETED, state("a"));
  }

  @Test
  void whatIsCancelledMovedOrPausedInTimeDoesNotRunBefore() {
    queue.handle(doing(claim -> {}));
    for (String id : List.of("cancelled", "moved", "extended", "paused", "held")) {
      schedule(id, ofHours(1));
    }
    time.advance(ofHours(1).minusMillis(1));
    queue.cancel("cancelled");
    queue.move("moved", When.in(ofMinutes(1)));
    queue.extend("extended", ofMinutes(2));
    queue.pause("paused");
    queue.pause("held", PauseMode.KEEP_REMAINING);
    time.advance(ofMinutes(1).minusMillis(1));
    assertEquals(List.of(), time.ran());
    time.advance(ofMillis(1));
    assertEquals(List.of("moved"), time.ran());
    time.advance(ofMinutes(1));
    assertEquals(List.of("moved"), time.ran());
    time.advance(ofMillis(1));
    assertEquals(List.of("moved", "extended"), time.ran());
    queue.resume("held");
    queue.resume("paused");
    time.advance(ZERO);
    assertEquals(List.of("moved", "extended", "paused"), time.ran());
    time.advance(ofMillis(1));
    assertEquals(List.of("moved", "extended", "paused", "held"), time.ran());
  }

  @Test
  void aPausedQueueRunsNothingUntilItIsResumed() {
    queue.handle(doing(claim -> {}));
    schedule("a", ofHours(1));
    queue.pause();
    time.advance(ofDays(2));
    assertEquals(List.of(), time.ran());
    queue.resume();
    time.advance(ZERO);
    assertEquals(List.of("a"), time.ran());
  }

  @Test
  void aDeadLetterIsRevived() {
    queue.handle(claim -> time.now().isAfter(VirtualTime.START) ? Outcome.done() : Outcome.fail("not yet"));
    schedule("a", ZERO);
    time.advance(ZERO);
    assertEquals(TaskState.FAILED, state("a"));
    time.advance(ofDays(1));
    queue.revive("a");
    time.advance(ZERO);
    assertEquals(TaskState.COMPLETED, state("a"));
  }

  @Test
  void whatIsFinishedIsForgottenAfterItsRetention() {
    TaskQueue<String> brief = time.bide().queue(QueueSpec.of("brief", String.class).retention(ofDays(7)));
    brief.handle(doing(claim -> {}));
    brief.schedule("a", "x", When.in(ofHours(1)));
    time.advance(ofHours(1).plusDays(7).minusMillis(1));
    assertTrue(brief.inspect("a").isPresent());
    time.advance(ofMinutes(1));
    assertTrue(brief.inspect("a").isEmpty(), "it is looked for once a minute");
  }

  @Test
  void daysPassOneByOne() {
    List<LocalDate> days = new ArrayList<>();
    Clock clock = time.clock();
    queue.handle(doing(claim -> {
      days.add(LocalDate.now(clock));
      schedule("report-" + days.size(), ofDays(1));
    }));
    schedule("report-0", ofHours(6));
    for (int day = 0; day < 31; day++) {
      time.advance(ofDays(1));
      assertEquals(day + 1, days.size());
    }
    assertEquals(LocalDate.of(2000, 1, 31), days.get(30));
  }

  @Test
  void nodesShareTheStoreAndFindEachOthersTasksWithinASecond() {
    Bide second = time.start(node -> node.name("second"));
    List<String> by = new ArrayList<>();
    second.queue(SPEC).handle(doing(claim -> by.add(claim.id())));
    time.advance(ofDays(1));
    schedule("now", ZERO);
    time.advance(ofSeconds(1));
    schedule("later", ofDays(1));
    time.advance(ofDays(1).minusMillis(1));
    assertEquals(List.of("now"), by);
    time.advance(ofMillis(1));
    assertEquals(List.of("now", "later"), by);
    assertTrue(second.node().startsWith("second-"));
    queue.pause();
    schedule("held", ofDays(1));
    time.advance(ofDays(2));
    queue.resume();
    time.advance(ofSeconds(1));
    assertEquals(List.of("now", "later", "held"), by);
  }

  @Test
  void aNodeTakesOverWhatOneThatIsClosedHasLeft() {
    TaskQueue<String> other = time.start(node -> node.name("other").shutdownLimit(ofSeconds(5))).queue(SPEC);
    schedule("a", ofMinutes(1));
    Bide first = time.start(node -> node.shutdownLimit(ofMinutes(2)));
    Claim<String> taken = first.queue(SPEC).take(1, ofHours(1)).get(0);
    other.handle(doing(claim -> assertEquals(2, claim.attempt())));
    Instant before = time.now();
    first.close();
    assertFalse(time.now().isBefore(before.plus(ofMinutes(2))), "its taker was waited for");
    assertEquals(List.of("a"), time.ran());
    time.advance(ofSeconds(30));
    assertEquals(List.of("a", "a"), time.ran());
    assertThrows(IllegalStateException.class, () -> taken.settle(Outcome.done()));
  }

  @Test
  void aNodeHasListenersAndAnExecutorOfItsOwn() {
    List<TaskEvent.Kind> heard = new ArrayList<>();
    List<String> around = new ArrayList<>();
    Executor executor = task -> {
      around.add("before");
      task.run();
      around.add("after");
    };
    TaskQueue<String> its = time.start(node -> node.listener(event -> heard.add(event.kind())).executor(executor))
        .queue(SPEC);
    its.handle(doing(claim -> {
      time.advance(ofHours(1));
      around.add(claim.lost() ? "lost" : "held");
    }));
    its.schedule("a", "x", When.now());
    time.advance(ZERO);
    assertEquals(List.of("before", "held", "after"), around);
    assertEquals(List.of(TaskEvent.Kind.SCHEDULED, TaskEvent.Kind.CLAIMED, TaskEvent.Kind.STARTED,
        TaskEvent.Kind.COMPLETED), heard);
  }

  @Test
  void aListenerThatLetsTimePassHoldsUpItsNodeOnly() {
    TaskQueue<String> slow = time.start(node -> node.listener(event -> {
      if (event.kind() == TaskEvent.Kind.CLAIMED) {
        time.advance(ofSeconds(1));
      }
    })).queue(SPEC);
    slow.handle(doing(claim -> {}));
    slow.schedule("a", "x", When.now());
    TaskQueue<String> other = time.bide().queue(QueueSpec.of("other", String.class));
    other.handle(doing(claim -> {}));
    other.schedule("b", "x", When.in(ofMillis(500)));
    time.advance(ZERO);
    assertEquals(List.of("b", "a"), time.ran());
  }

  @Test
  void theClockShowsVirtualTimeInAnyZone() {
    Clock clock = time.clock();
    assertEquals(VirtualTime.START, clock.instant());
    time.advance(ofHours(20));
    assertEquals(LocalDate.of(2000, 1, 1), LocalDate.now(clock));
    assertEquals(LocalDate.of(2000, 1, 2), LocalDate.now(clock.withZone(ZoneId.of("Asia/Shanghai"))));
    assertEquals(VirtualTime.START.plus(ofHours(20)).toEpochMilli(), clock.millis());
  }

  @Test
  void timeStopsWhereAConditionHolds() {
    queue.handle(doing(claim -> {}));
    schedule("a", ofMinutes(30));
    schedule("b", ofMinutes(31));
    assertTrue(time.advanceUntil(() -> !time.ran().isEmpty(), ofHours(1)));
    assertEquals(VirtualTime.START.plus(ofMinutes(30)), time.now());
    assertFalse(time.advanceUntil(() -> time.ran().size() == 3, ofHours(1)));
    assertEquals(VirtualTime.START.plus(ofMinutes(90)), time.now());
  }

  @Test
  void timeBeginsAndGoesWhereItIsTold() {
    Instant eve = Instant.parse("2031-12-24T18:00:00Z");
    try (VirtualTime later = VirtualTime.begin(eve.minus(ofDays(1)))) {
      TaskQueue<String> its = later.bide().queue(SPEC);
      its.handle(doing(claim -> {}));
      its.schedule("a", "x", When.at(eve));
      later.advanceTo(eve.minusMillis(1));
      assertEquals(List.of(), later.ran());
      later.advanceTo(eve);
      assertEquals(List.of("a"), later.ran());
    }
  }

  @Test
  void aDueTimeTakenFromTheRealClockIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> queue.schedule("a", "x", When.at(Instant.now())));
  }

  @Test
  void timeDoesNotGoBackNorBeyondItsEnd() {
    assertThrows(IllegalArgumentException.class, () -> time.advance(ofMillis(-1)));
    assertThrows(IllegalArgumentException.class, () -> time.advanceTo(VirtualTime.START.minusMillis(1)));
    assertThrows(IllegalArgumentException.class, () -> time.advanceTo(Instant.MAX));
    assertThrows(IllegalArgumentException.class, () -> time.advance(ofSeconds(Long.MAX_VALUE)));
    assertThrows(IllegalArgumentException.class, () -> VirtualTime.begin(Instant.EPOCH.minusMillis(1)));
    assertThrows(IllegalArgumentException.class, () -> VirtualTime.begin(Instant.MAX));
    time.advanceTo(VirtualTime.START);
    assertEquals(VirtualTime.START, time.now());
    try (VirtualTime first = VirtualTime.begin(Instant.EPOCH)) {
      assertEquals(Instant.EPOCH, first.now());
    }
  }

  @Test
  void whatIsClosedIsRefused() {
    time.close();
    assertThrows(IllegalStateException.class, () -> time.advance(ZERO));
    assertThrows(IllegalStateException.class, time::bide);
    assertThrows(IllegalStateException.class, () -> schedule("a", ZERO));
    assertEquals(VirtualTime.START, time.now());
    time.close();
  }

  @Test
  void anotherThreadIsRefusedAndReported() throws InterruptedException {
    List<Object> seen = new ArrayList<>();
    elsewhere(() -> {
      seen.add(time.now());
      seen.add(time.clock().instant());
      seen.add(assertThrows(IllegalStateException.class, () -> schedule("a", ZERO)).getMessage());
      assertThrows(IllegalStateException.class, () -> queue.inspect("a"));
      assertThrows(IllegalStateException.class, () -> queue.take(1, ofSeconds(1)));
      assertThrows(IllegalStateException.class, () -> time.advance(ZERO));
      assertThrows(IllegalStateException.class, time::ran);
      assertThrows(IllegalStateException.class, time::close);
    });
    String refused = "virtual time is used by the thread that began it, " + Thread.currentThread().getName()
        + ", got elsewhere";
    assertEquals(List.of(VirtualTime.START, VirtualTime.START, refused), seen);
    assertEquals(refused, assertThrows(AssertionError.class, () -> time.advance(ZERO)).getMessage());
    assertTrue(queue.inspect("a").isEmpty());
    time.advance(ZERO);
  }

  @Test
  void anExecutorWithThreadsOfItsOwnIsReported() {
    Executor threads = task -> {
      try {
        Thread thread = new Thread(task, "elsewhere");
        thread.setUncaughtExceptionHandler((its, thrown) -> {});
        thread.start();
        thread.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    };
    TaskQueue<String> its = time.start(node -> node.executor(threads)).queue(SPEC);
    its.handle(doing(claim -> {}));
    its.schedule("a", "x", When.now());
    AssertionError reported = assertThrows(AssertionError.class, () -> time.advance(ZERO));
    assertTrue(reported.toString().endsWith("got elsewhere"), reported::toString);
    assertEquals(List.of(), time.ran());
  }
}
