package dev.bide;

import static dev.bide.SteppedNode.in;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.Host;
import dev.bide.spi.StoreException;
import dev.bide.spi.TaskStore;
import dev.bide.task.Answer;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * Nodes on real threads that come and go, a store that is slow, fails and loses replies, and callers who schedule,
 * cancel, take and settle all at once. Short by default, longer with {@code -Dbide.long=true}.
 */
class EngineStressTest {
  private static final Duration TIME = Duration.ofMillis(Boolean.getBoolean("bide.long") ? 60_000 : 1_000);
  private static final QueueSpec<String> SPEC = QueueSpec.of("q", String.class).handlers(3).prefetch(2)
      .retry(Retry.fixed(Duration.ofMillis(3)).attempts(1_000));

  private final TaskStore store = MemoryTaskStore.create();
  private final AtomicBoolean storm = new AtomicBoolean(true);
  private final Map<String, Integer> runs = new ConcurrentHashMap<>();
  private final Map<String, Integer> completions = new ConcurrentHashMap<>();
  private final Set<String> scheduled = ConcurrentHashMap.newKeySet();
  private final Set<String> cancelled = ConcurrentHashMap.newKeySet();
  private final Set<String> wrong = ConcurrentHashMap.newKeySet();

  private static boolean oneIn(int times) {
    return ThreadLocalRandom.current().nextInt(times) == 0;
  }

  private Bide start() {
    TappedStore bad = new TappedStore(store);
    TappedStore.Tap mishap = call -> {
      if (storm.get() && oneIn(20)) {
        throw oneIn(4) ? new IllegalStateException("for a test") : StoreException.passing("for a test", null);
      } else if (storm.get() && oneIn(10)) {
        Host.pause(3_000_000);
      }
    };
    Set<TappedStore.Kind> callers = Set.of(TappedStore.Kind.WRITE, TappedStore.Kind.FIND, TappedStore.Kind.QUEUES);
    bad.before(call -> {
      if (!callers.contains(call.kind())) {
        mishap.on(call);
      }
    });
    bad.after(call -> {
      // A caller is told of a lasting failure; this test wants to know that all its calls are done.
      if (callers.contains(call.kind()) && storm.get() && oneIn(20)) {
        throw StoreException.passing("for a test", null);
      } else if (call.kind() == TappedStore.Kind.EXCHANGE) {
        mishap.on(call);
      }
    });
    return Bide.on(bad).shared().listener(event -> {
      if (event.kind() == TaskEvent.Kind.COMPLETED) {
        completions.merge(event.task(), 1, Integer::sum);
      }
    }).start();
  }

  private Outcome handle(Claim<String> claim) {
    runs.merge(claim.id(), 1, Integer::sum);
    if (cancelled.contains(claim.id())) {
      wrong.add("started after it was cancelled: " + claim);
    }
    if (storm.get() && oneIn(6)) {
      throw new IllegalStateException("for a test");
    }
    return storm.get() && oneIn(6) ? Outcome.retryIn(Duration.ofMillis(2)) : Outcome.done();
  }

  private void call(TaskQueue<String> queue, String prefix, long end) {
    for (int i = 0; Host.monotonicNanos() < end && storm.get(); i++) {
      String id = prefix + i;
      queue.schedule(id, "x", in(ThreadLocalRandom.current().nextInt(30)));
      scheduled.add(id);
      if (oneIn(3) && queue.cancel(id).answer() == Answer.CANCELLED) {
        cancelled.add(id);
      }
      Host.pause(500_000);
    }
  }

  private void take(TaskQueue<String> queue) {
    while (storm.get()) {
      for (Claim<String> claim : queue.take(3, Duration.ofMillis(20))) {
        try {
          Outcome outcome = handle(claim);
          var unused = claim.settleAsync(outcome);
        } catch (IllegalStateException e) {
          claim.close();
        }
      }
    }
  }

  @Test
  void nothingIsLostDoubledOrLeftBehindInAStorm() {
    try (Bide steady = start()) {
      TaskQueue<String> queue = steady.queue(SPEC);
      queue.handle(this::handle);
      long end = Host.monotonicNanos() + TIME.toNanos();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 3; t++) {
        String prefix = t + "-";
        threads.add(Await.thread(() -> call(queue, prefix, end)));
      }
      threads.add(Await.thread(() -> take(queue)));
      while (Host.monotonicNanos() < end) {
        try (Bide passing = start()) {
          passing.queue(SPEC).handle(this::handle);
          Host.pause(100_000_000);
        }
      }
      storm.set(false);
      threads.forEach(Await::join);
      for (String id : scheduled) {
        Await.until(id, () -> queue.inspect(id).orElseThrow().state().finished());
      }
      for (String id : scheduled) {
        Task task = queue.inspect(id).orElseThrow();
        boolean mayBeCancelled = cancelled.contains(id) || task.cancelRequested();
        assertTrue(task.state() == (mayBeCancelled ? TaskState.CANCELLED : TaskState.COMPLETED)
            || task.state() == TaskState.COMPLETED && !cancelled.contains(id), task.toString());
        assertEquals(0, task.lapses(), "a lease was lost: " + task);
      }
    }
    assertFalse(scheduled.isEmpty());
    assertEquals(Set.of(), wrong);
    assertTrue(completions.values().stream().allMatch(times -> times == 1), completions.toString());
  }
}
