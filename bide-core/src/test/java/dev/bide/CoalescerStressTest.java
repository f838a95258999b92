package dev.bide;

import static dev.bide.SteppedNode.in;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.Host;
import dev.bide.spi.Reply;
import dev.bide.spi.Stamp;
import dev.bide.spi.StoreException;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/**
 * Callers of many threads on a store that is slow and loses replies. Short by default, longer with
 * {@code -Dbide.long=true}.
 */
class CoalescerStressTest {
  private static final int CALLS = Boolean.getBoolean("bide.long") ? 50_000 : 1_000;
  private static final int THREADS = 8;

  private final Losing store = new Losing();
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  /** What a thread was told of its asynchronous calls, in order. */
  private final Map<String, List<Integer>> told = new ConcurrentHashMap<>();

  private static boolean oneIn(int times) {
    return ThreadLocalRandom.current().nextInt(times) == 0;
  }

  /** Keeps the batches that it does, each once. */
  private static final class Losing extends TappedStore {
    final Map<Long, List<String>> done = new ConcurrentHashMap<>();

    Losing() {
      super(MemoryTaskStore.create());
    }

    @Override
    public Reply<List<Written>> write(List<Write> writes, Stamp stamp) {
      Reply<List<Written>> reply = super.write(writes, stamp);
      done.put(stamp.number(), writes.stream().filter(Write.Insert.class::isInstance).map(Write::id).toList());
      if (oneIn(20)) {
        Host.pause(1_000_000);
      }
      if (oneIn(20)) {
        throw StoreException.passing("for a test", null);
      }
      return reply;
    }
  }

  private void call(TaskQueue<String> queue, String thread) {
    for (int i = 0; i < CALLS; i++) {
      int number = i;
      String id = thread + '-' + i;
      if (oneIn(2)) {
        var unused = queue.scheduleAsync(id, "x", in(60_000)).whenComplete((scheduled, failure) -> {
          told.computeIfAbsent(thread, key -> new ArrayList<>()).add(number);
          if (failure != null || scheduled.answer() != Answer.CREATED) {
            wrong.add(id + ": " + scheduled + failure);
          }
        });
      } else if (queue.schedule(id, "x", in(60_000)).answer() != Answer.CREATED) {
        wrong.add(id);
      }
      if (oneIn(10) && queue.cancel(id).answer() != Answer.CANCELLED) {
        wrong.add(id + ": not there yet");
      }
      if (oneIn(50)) {
        callInterrupted(queue);
      }
    }
  }

  private void callInterrupted(TaskQueue<String> queue) {
    Thread.currentThread().interrupt();
    try {
      Answer answer = queue.cancel("nobody").answer();
      if (answer != Answer.NOT_FOUND) {
        wrong.add("found nobody: " + answer);
      }
    } catch (StoreException e) {
      // The store lost a reply, and the caller did not wait for it to be sent again.
    }
    if (!Thread.interrupted()) {
      wrong.add("an interrupt was lost");
    }
  }

  @Test
  void eachCallIsDoneOnceAndInTheOrderOfItsThread() {
    List<Thread> threads = new ArrayList<>();
    try (Bide bide = Bide.on(store).unanswered(200, 1 << 20).start()) {
      TaskQueue<String> queue = bide.queue(QueueSpec.of("q", String.class));
      for (int t = 0; t < THREADS; t++) {
        String thread = "t" + t;
        threads.add(Await.thread(() -> call(queue, thread)));
      }
      threads.forEach(Await::join);
    }
    assertEquals(List.of(), List.copyOf(wrong));
    List<String> inOrder = store.done.entrySet().stream().sorted(Map.Entry.comparingByKey())
        .flatMap(batch -> batch.getValue().stream()).toList();
    assertEquals(THREADS * CALLS, inOrder.size());
    for (int t = 0; t < THREADS; t++) {
      String prefix = "t" + t + '-';
      List<Integer> its = inOrder.stream().filter(id -> id.startsWith(prefix))
          .map(id -> Integer.valueOf(id.substring(prefix.length()))).toList();
      assertEquals(its.stream().sorted().distinct().toList(), its, prefix);
      List<Integer> heard = told.getOrDefault("t" + t, List.of());
      assertEquals(heard.stream().sorted().toList(), heard, prefix);
    }
    assertTrue(store.done.size() < THREADS * CALLS, "nothing was shared");
  }
}
