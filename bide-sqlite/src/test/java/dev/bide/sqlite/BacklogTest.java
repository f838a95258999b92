package dev.bide.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.Bide;
import dev.bide.Entry;
import dev.bide.Outcome;
import dev.bide.QueueSpec;
import dev.bide.TaskQueue;
import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.TaskStore;
import dev.bide.task.TaskState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Far more tasks than handlers can do, or than fit into memory. */
class BacklogTest {
  @TempDir
  Path folder;

  private void run(Class<?> main, String heap, String... arguments) throws Exception {
    List<String> lines = new ArrayList<>();
    try (Child child = Child.start(
        Child.command(folder, List.of("-Xmx" + heap, "-XX:+ExitOnOutOfMemoryError"), main, arguments))) {
      assertEquals(0, child.end(lines), lines::toString);
    }
    assertEquals(List.of("all is well"), lines);
  }

  private static TaskStore store(String place) {
    return place.equals("memory")
        ? MemoryTaskStore.create()
        : SqliteStore.file(Path.of(place)).durability(SqliteStore.Durability.NORMAL).open();
  }

  @Test
  void tenTimesMoreWorkThanTheHandlersDoFitsIntoASmallHeapAndIsAllDone() throws Exception {
    run(Swamped.class, "64m", folder.resolve("bide.db").toString());
  }

  @Test
  void aMillionTasksWaitInAFileWithAFewThreadsAndASmallHeap() throws Exception {
    run(Million.class, "64m", folder.resolve("bide.db").toString());
  }

  @Test
  void aMillionTasksWaitInMemoryWithAFewThreads() throws Exception {
    run(Million.class, "1g", "memory");
  }

  /** A producer that is ten times faster than the handlers; what waits is larger than the heap. */
  static final class Swamped {
    private static final int TASKS = 1_600;
    private static final int BATCH = 50;
    private static final String PAYLOAD = "x".repeat(50_000);

    private Swamped() {}

    public static void main(String... arguments) throws Exception {
      Set<String> handled = ConcurrentHashMap.newKeySet();
      Semaphore mayRun = new Semaphore(0);
      try (Bide bide = Bide.on(store(arguments[0])).start()) {
        TaskQueue<String> queue = bide.queue(QueueSpec.of("q", String.class));
        queue.handle(claim -> {
          mayRun.acquire();
          assertEquals(PAYLOAD, claim.payload());
          assertTrue(handled.add(claim.id()), claim::id);
          return Outcome.done();
        });
        for (int first = 0; first < TASKS; first += BATCH) {
          queue.scheduleAll(IntStream.range(first, first + BATCH)
              .mapToObj(i -> Entry.of("t" + i, PAYLOAD, When.now())).toList());
          mayRun.release(BATCH / 10);
        }
        assertTrue(handled.size() <= TASKS / 10);
        mayRun.release(TASKS);
        Await.until("all are handled", () -> handled.size() == TASKS);
        for (int i = 0; i < TASKS; i++) {
          String id = "t" + i;
          Await.until(id, () -> queue.inspect(id).orElseThrow().state() == TaskState.COMPLETED);
          assertEquals(1, queue.inspect(id).orElseThrow().claims());
        }
      }
      System.out.println("all is well");
    }
  }

  /** Tasks that wait, and a few that come meanwhile. */
  static final class Million {
    private static final int BATCHES = 1_000;
    /** The engine, what depends on settlements, two handlers, renewal, and a call for each of two other duties. */
    private static final int THREADS = 7;

    private Million() {}

    public static void main(String... arguments) throws Exception {
      Set<String> handled = ConcurrentHashMap.newKeySet();
      try (Bide bide = Bide.on(store(arguments[0])).name("million").start()) {
        TaskQueue<String> queue = bide.queue(QueueSpec.of("q", String.class).handlers(2));
        queue.handle(claim -> {
          handled.add(claim.id());
          return Outcome.done();
        });
        for (int batch = 0; batch < BATCHES; batch++) {
          String prefix = "b" + batch + "-";
          queue.scheduleAll(IntStream.range(0, 1_000)
              .mapToObj(i -> Entry.of(prefix + i, "", When.in(Duration.ofHours(1)))).toList());
          if (batch % 100 == 99) {
            queue.schedule(prefix, "", When.now());
            Await.until(prefix, () -> handled.contains(prefix));
            assertTrue(threads() <= THREADS, () -> Thread.getAllStackTraces().keySet().toString());
          }
        }
        assertEquals(BATCHES / 100, handled.size());
        assertEquals(TaskState.WAITING, queue.inspect("b0-0").orElseThrow().state());
        assertEquals(TaskState.WAITING, queue.inspect("b999-999").orElseThrow().state());
      }
      System.out.println("all is well");
    }

    private static long threads() {
      return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().startsWith("million"))
          .count();
    }
  }
}
