package dev.bide;

import static dev.bide.SteppedNode.in;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.Codec;
import dev.bide.spi.Host;
import dev.bide.task.Answer;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of a task by what its handler does; on real threads. */
class HandlingTest {
  private final LogCapture log = new LogCapture();
  private final Bide bide = Bide.on(MemoryTaskStore.create()).start();

  @AfterEach
  void close() {
    bide.close();
    log.close();
  }

  private static QueueSpec<String> spec() {
    return QueueSpec.of("q", String.class).retry(Retry.fixed(Duration.ofMillis(5)).attempts(3));
  }

  /** Returns the task after {@code handler} had it to its end. */
  private Task handled(QueueSpec<String> spec, Handler<String> handler) {
    TaskQueue<String> queue = bide.queue(spec);
    queue.handle(handler);
    queue.schedule("a", "payload", When.now());
    return finished(queue, "a");
  }

  private static Task finished(TaskQueue<String> queue, String id) {
    Await.until(id + " ends", () -> queue.inspect(id).orElseThrow().state().finished());
    return queue.inspect(id).orElseThrow();
  }

  private static void assertDeadLetter(String reason, int attempts, Task task) {
    assertEquals(TaskState.FAILED, task.state());
    assertEquals("failed: " + reason, task.outcome().orElseThrow());
    assertEquals(attempts, task.attempts().size());
    assertEquals(Optional.of(reason), task.attempts().get(attempts - 1).error());
  }

  @Test
  void doneCompletesIt() {
    Task task = handled(spec(), claim -> {
      assertEquals("payload", claim.payload());
      assertEquals("q", claim.queue());
      assertEquals(1, claim.attempt());
      assertFalse(claim.lost());
      assertFalse(claim.cancelRequested());
      assertThrows(IllegalStateException.class, () -> claim.settle(Outcome.done()));
      claim.close();
      return Outcome.done();
    });
    assertEquals(TaskState.COMPLETED, task.state());
    assertEquals(Optional.of("done"), task.outcome());
  }

  @Test
  void skipCompletesItWithTheReason() {
    assertEquals(Optional.of("skipped: paid"), handled(spec(), claim -> Outcome.skip("paid")).outcome());
  }

  @Test
  void retryInTriesAgainAfterThatDelayAndOnTheLastAttemptItFails() {
    Task task = handled(spec(), claim -> Outcome.retryIn(Duration.ofMillis(20), "not yet"));
    assertDeadLetter("not yet", 3, task);
    for (int i = 1; i < 3; i++) {
      long pause = Duration.between(task.attempts().get(i - 1).end(), task.attempts().get(i).start()).toMillis();
      assertTrue(pause >= 20, "pause: " + pause);
    }
  }

  @Test
  void failMakesItADeadLetterAtOnce() {
    assertDeadLetter("no such order", 1, handled(spec(), claim -> Outcome.fail("no such order")));
  }

  @Test
  void anExceptionIsAFailedAttemptWithItsMessageAndThatOfItsCause() {
    Task task = handled(spec(), claim -> {
      throw new IOException("no line", new IllegalStateException("unplugged"));
    });
    assertDeadLetter("java.io.IOException: no line; caused by java.lang.IllegalStateException: unplugged", 3, task);
  }

  @Test
  void nullIsAFailedAttempt() {
    assertDeadLetter("the handler returned null instead of an outcome", 3, handled(spec(), HandlingTest::nothing));
  }

  @SuppressWarnings("NullAway") // a careless handler
  private static Outcome nothing(Claim<String> claim) {
    return null;
  }

  @Test
  void anErrorIsAFailedAttempt() {
    assertDeadLetter("java.lang.AssertionError: broken", 3, handled(spec(), claim -> {
      throw new AssertionError("broken");
    }));
  }

  @Test
  void aVirtualMachineErrorGoesUpTheThreadAndIsAFailedAttempt() {
    Set<Throwable> uncaught = ConcurrentHashMap.newKeySet();
    Task task = handled(spec(), claim -> {
      Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> uncaught.add(failure));
      throw new OutOfMemoryError("for a test");
    });
    assertDeadLetter("java.lang.OutOfMemoryError: for a test", 3, task);
    Await.until("it went up", () -> uncaught.size() == 3);
  }

  @Test
  void endlessRecursionIsAFailedAttempt() {
    Task task = handled(spec().retry(Retry.never()), claim -> {
      Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> {});
      return deeper(claim);
    });
    assertDeadLetter("java.lang.StackOverflowError", 1, task);
  }

  @SuppressWarnings("InfiniteRecursion") // the point of it
  private static Outcome deeper(Claim<String> claim) {
    return deeper(claim);
  }

  /** An exception whose own methods throw: its text is a stranger's code too. */
  private static final class Hostile extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message for you");
    }
  }

  @Test
  void anExceptionThatCannotTellItsMessageIsAFailedAttempt() {
    assertDeadLetter(Hostile.class.getName(), 1, handled(spec().retry(Retry.never()), claim -> {
      throw new Hostile();
    }));
  }

  @Test
  void aReasonThatIsNullIsTheHandlersFailure() {
    Task task = handled(spec().retry(Retry.never()), claim -> Outcome.fail(noMessage()));
    assertDeadLetter("java.lang.NullPointerException: reason", 1, task);
  }

  @SuppressWarnings("NullAway") // as the message of many exceptions
  private static String noMessage() {
    return null;
  }

  @Test
  void aPayloadThatCannotBeReadMakesADeadLetterWithoutTheHandler() {
    AtomicInteger calls = new AtomicInteger();
    Task task = handled(spec().codec(unreadable()), claim -> {
      calls.incrementAndGet();
      return Outcome.done();
    });
    assertDeadLetter("the payload cannot be read: java.lang.IllegalArgumentException: not a text", 1, task);
    assertEquals(0, calls.get());
  }

  /** What is good can be read, and what is broken code breaks the codec down. */
  private static Codec unreadable() {
    return new TextCodec(text -> {
      if (text.equals("broken code")) {
        throw new NoClassDefFoundError("for a test");
      }
      return text.startsWith("good");
    });
  }

  @Test
  void takingPassesOverPayloadsThatCannotBeRead() {
    TaskQueue<String> queue = bide.queue(spec().codec(unreadable()));
    queue.schedule("bad", "bad", When.now());
    queue.schedule("good", "good one", in(50));
    List<Claim<String>> claims = queue.take(10, Await.LONG);
    assertEquals(List.of("good"), claims.stream().map(Claim::id).toList());
    assertTrue(claims.get(0).settle(Outcome.done()));
    assertDeadLetter("the payload cannot be read: java.lang.IllegalArgumentException: not a text", 1,
        finished(queue, "bad"));
  }

  @Test
  void aCodecThatBreaksDownLosesNoClaims() {
    TaskQueue<String> queue = bide.queue(spec().codec(unreadable()));
    queue.scheduleAll(List.of(Entry.of("first", "good", When.now()), Entry.of("second", "broken code", When.now())));
    assertThrows(NoClassDefFoundError.class, () -> queue.take(10, Await.LONG));
    Await.until("both are given back", () -> queue.inspect("first").orElseThrow().state() == TaskState.WAITING
        && queue.inspect("second").orElseThrow().state() == TaskState.WAITING);
    assertEquals(0, queue.inspect("first").orElseThrow().attempt());
    assertEquals(1, queue.inspect("second").orElseThrow().attempt());
  }

  @Test
  void aPayloadAtWhichTheCodecBreaksDownEndsAsADeadLetter() {
    TaskQueue<String> queue = bide.queue(spec().codec(unreadable()));
    queue.schedule("bad", "broken code", When.now());
    for (int attempt = 1; attempt <= 3; attempt++) {
      assertThrows(NoClassDefFoundError.class, () -> queue.take(10, Await.LONG));
    }
    assertDeadLetter("java.lang.NoClassDefFoundError: for a test", 3, finished(queue, "bad"));
    queue.schedule("good", "good one", When.now());
    List<Claim<String>> good = queue.take(10, Await.LONG);
    assertEquals(List.of("good"), good.stream().map(Claim::id).toList());
    good.forEach(Claim::close);
  }

  @Test
  void anOwnBackoffThatThrowsMakesADeadLetterThatSaysSo() {
    Task task = handled(spec().retry(Retry.by(attempt -> {
      throw new IllegalStateException("no idea");
    })), claim -> {
      throw new IllegalArgumentException("bad order");
    });
    assertEquals(TaskState.FAILED, task.state());
    assertEquals("failed: the backoff failed: java.lang.IllegalStateException: no idea; after: "
        + "java.lang.IllegalArgumentException: bad order", task.outcome().orElseThrow());
  }

  @Test
  void anOwnBackoffThatBreaksDownIsAFailedAttempt() {
    Task task = handled(spec().retry(Retry.by(attempt -> {
      throw new AssertionError("broken");
    }).attempts(1)), claim -> {
      Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> {});
      throw new IllegalArgumentException("bad order");
    });
    assertDeadLetter("the handler broke down", 1, task);
  }

  @Test
  void aLongReasonIsCutAndCleaned() {
    Task task = handled(spec(), claim -> Outcome.fail("a\u0000b" + "x".repeat(5_000)));
    assertEquals(1_000, task.attempts().get(0).error().orElseThrow().length());
    assertTrue(task.outcome().orElseThrow().startsWith("failed: a b"));
  }

  @Test
  void everyTextOfAHandlerIsCut() {
    String text = "x".repeat(5_000);
    TaskQueue<String> queue = bide.queue(spec().retry(Retry.never()));
    queue.handle(claim -> switch (claim.id()) {
      case "skipped" -> Outcome.skip(text);
      case "asks for another" -> Outcome.retryIn(Duration.ZERO, text);
      case "throws" -> throw new IllegalStateException(text, new IOException(text));
      default -> throw new AssertionError(text);
    });
    for (String id : List.of("skipped", "asks for another", "throws", "breaks")) {
      queue.schedule(id, "x", When.now());
      Task task = finished(queue, id);
      assertTrue(task.outcome().orElseThrow().length() <= 1_010, id);
      task.attempts().forEach(attempt -> assertTrue(attempt.error().orElse("").length() <= 1_000, id));
    }
    queue.schedule("cancelled", "x", in(60_000));
    queue.cancel("cancelled", text);
    assertTrue(finished(queue, "cancelled").outcome().orElseThrow().length() <= 1_020);
  }

  @Test
  void theHandlerRunsOnAsManyThreadsAsTheSpecAllowsAndNoMore() {
    TaskQueue<String> queue = bide.queue(spec().handlers(5));
    CountDownLatch together = new CountDownLatch(5);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger done = new AtomicInteger();
    queue.handle(claim -> {
      most.accumulateAndGet(running.incrementAndGet(), Math::max);
      together.countDown();
      Await.latch(together);
      running.decrementAndGet();
      done.incrementAndGet();
      return Outcome.done();
    });
    queue.scheduleAll(IntStream.range(0, 60).mapToObj(i -> Entry.of("t" + i, "x", in(i % 5))).toList());
    Await.until("all are done", () -> done.get() == 60);
    assertEquals(5, most.get());
  }

  @Test
  void eachTaskIsHandledOnceWhileManyThreadsScheduleAndChange() {
    TaskQueue<String> queue = bide.queue(spec().handlers(4).prefetch(4));
    Set<String> handled = ConcurrentHashMap.newKeySet();
    AtomicInteger doubles = new AtomicInteger();
    queue.handle(claim -> {
      if (!handled.add(claim.id())) {
        doubles.incrementAndGet();
      }
      return Outcome.done();
    });
    Set<String> cancelled = ConcurrentHashMap.newKeySet();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      String prefix = "t" + t + "-";
      threads.add(Await.thread(() -> {
        for (int i = 0; i < 100; i++) {
          queue.schedule(prefix + i, "x", in(i % 30));
          if (i % 3 == 0) {
            queue.move(prefix + i, in(i % 20));
          } else if (i % 7 == 0 && queue.cancel(prefix + i).answer() == Answer.CANCELLED) {
            cancelled.add(prefix + i);
          }
        }
      }));
    }
    threads.forEach(Await::join);
    Await.until("all are handled or cancelled", () -> handled.size() + cancelled.size() == 400);
    assertEquals(0, doubles.get());
    assertTrue(cancelled.stream().noneMatch(handled::contains), "a cancelled one was handled");
  }

  @Test
  void asynchronousHandlersHoldNoThreadWhileTheyWait() {
    TaskQueue<String> queue = bide.queue(spec().handlers(50));
    CountDownLatch together = new CountDownLatch(50);
    CompletableFuture<Outcome> answer = new CompletableFuture<>();
    queue.handleAsync(claim -> {
      together.countDown();
      return answer.thenApplyAsync(each -> each);
    });
    queue.scheduleAll(IntStream.range(0, 60).mapToObj(i -> Entry.of("t" + i, "x", When.now())).toList());
    Await.latch(together);
    assertEquals(TaskState.PROCESSING, queue.inspect("t0").orElseThrow().state());
    answer.complete(Outcome.skip("later"));
    for (int i = 0; i < 60; i++) {
      assertEquals(Optional.of("skipped: later"), finished(queue, "t" + i).outcome());
    }
  }

  @Test
  void aQueueHasOneHandlerOfEitherKind() {
    TaskQueue<String> queue = bide.queue(spec());
    queue.handleAsync(claim -> CompletableFuture.completedFuture(Outcome.done()));
    assertThrows(IllegalStateException.class, () -> queue.handle(claim -> Outcome.done()));
    assertThrows(IllegalStateException.class,
        () -> queue.handleAsync(claim -> CompletableFuture.completedFuture(Outcome.done())));
  }

  @Test
  void aHandlerThatRunsTooLongIsInterruptedAndItsThreadGoesOnWithoutTheInterrupt() {
    ExecutorService one = Executors.newSingleThreadExecutor();
    try (Bide bide = Bide.on(MemoryTaskStore.create()).executor(one).start()) {
      TaskQueue<String> queue = bide.queue(spec().handlerTimeout(Duration.ofMillis(30)));
      Set<String> interrupts = ConcurrentHashMap.newKeySet();
      queue.handle(claim -> {
        if (Thread.currentThread().isInterrupted()) {
          interrupts.add("before " + claim.id());
        }
        while (claim.id().equals("long") && !Thread.currentThread().isInterrupted()) {
          Host.pause(100_000);
        }
        return Outcome.done();
      });
      queue.schedule("long", "x", When.now());
      queue.schedule("short", "x", When.now());
      assertDeadLetter("the handler did not return in PT0.03S", 3, finished(queue, "long"));
      assertEquals(TaskState.COMPLETED, finished(queue, "short").state());
      assertEquals(Set.of(), interrupts);
    } finally {
      one.shutdownNow();
    }
  }

  @Test
  void aHandlerThatIgnoresItsTimeoutIsSettledWhileItRuns() {
    TaskQueue<String> queue = bide.queue(spec().handlers(2).handlerTimeout(Duration.ofMillis(5)).retry(Retry.never()));
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch lost = new CountDownLatch(1);
    queue.handle(claim -> {
      while (claim.id().equals("deaf") && end.getCount() > 0) {
        Host.pause(1_000_000);
        Thread.interrupted();
        if (claim.lost()) {
          lost.countDown();
        }
      }
      return Outcome.done();
    });
    queue.schedule("deaf", "x", When.now());
    assertDeadLetter("the handler did not return in PT0.005S", 1, finished(queue, "deaf"));
    Await.latch(lost);
    end.countDown();
  }

  @Test
  void creditMovesWorkBetweenTheHandlerAndThoseWhoTake() {
    TaskQueue<String> queue = bide.queue(spec());
    queue.credit(0);
    queue.handle(claim -> Outcome.skip("pushed"));
    queue.schedule("a", "x", When.now());
    List<Claim<String>> claims = queue.take(5, Await.LONG);
    assertEquals(List.of("a"), claims.stream().map(Claim::id).toList());
    assertTrue(claims.get(0).settle(Outcome.skip("taken")));
    assertEquals(Optional.of("skipped: taken"), finished(queue, "a").outcome());
    queue.credit(1);
    queue.schedule("b", "x", When.now());
    assertEquals(Optional.of("skipped: pushed"), finished(queue, "b").outcome());
  }
}
