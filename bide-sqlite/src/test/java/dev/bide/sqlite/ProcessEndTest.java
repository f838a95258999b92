package dev.bide.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.Bide;
import dev.bide.Entry;
import dev.bide.Outcome;
import dev.bide.TaskEvent;
import dev.bide.TaskQueue;
import dev.bide.delay.When;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of tasks when the process that holds them dies, is ended, or stands still. */
class ProcessEndTest {
  @TempDir
  Path folder;

  private Path file;

  @BeforeEach
  void nameTheFile() {
    file = folder.resolve("bide.db");
  }

  private Bide node() {
    return Bide.on(SqliteStore.at(file)).shutdownLimit(Duration.ZERO).start();
  }

  private Child child(Duration lease) throws Exception {
    Child child = Child.start(folder, HandlingNode.class, file.toString(), lease.toString());
    assertEquals("ready", child.line());
    return child;
  }

  private static void schedule(TaskQueue<String> queue, String prefix, int count, String payload) {
    queue.scheduleAll(IntStream.range(0, count).mapToObj(i -> Entry.of(prefix + i, payload, When.now())).toList());
  }

  private static Task task(TaskQueue<String> queue, String id) {
    return queue.inspect(id).orElseThrow();
  }

  private static void assertDone(int attempts, int lapses, Task task) {
    assertEquals(TaskState.COMPLETED, task.state(), task::toString);
    assertEquals(attempts, task.attempt(), task::toString);
    assertEquals(lapses, task.lapses(), task::toString);
  }

  /** Reads what a child prints until it has said each of {@code wanted}. */
  private static List<String> read(Child child, List<String> wanted) throws Exception {
    List<String> lines = new ArrayList<>();
    while (!lines.containsAll(wanted)) {
      String line = child.line();
      assertTrue(line != null, () -> "it ended after " + lines);
      lines.add(line);
    }
    return lines;
  }

  @Test
  void aHandlerThatKillsItsProcessEndsAsADeadLetterAndItsMatesAreDone() throws Exception {
    Duration lease = Duration.ofSeconds(3);
    try (Bide bide = node()) {
      TaskQueue<String> queue = bide.queue(HandlingNode.spec(lease));
      schedule(queue, "mate-", 3, "work a while");
      schedule(queue, "killer-", 1, "halt");
      schedule(queue, "later-", 5, "work a while");
      List<String> lines = new ArrayList<>();
      int deaths = 0;
      while (!task(queue, "killer-0").state().finished()) {
        assertTrue(deaths < 4, "as many attempts as it has, and no more");
        try (Child child = child(lease)) {
          Await.until("it dies, or the killer is dead",
              () -> !child.alive() || task(queue, "killer-0").state().finished());
          if (!child.alive()) {
            deaths++;
            assertEquals(1, child.end(lines));
          } else {
            Await.until("its mates are done", () -> task(queue, "later-4").state().finished());
            lines.addAll(child.kill());
          }
        }
      }
      assertEquals(3, deaths);
      Task killer = task(queue, "killer-0");
      assertEquals(TaskState.FAILED, killer.state());
      assertEquals("failed: attempts used up (3), claimed 3 times, lease lost 3 times", killer.outcome().orElseThrow());
      for (String mate : List.of("mate-0", "mate-1", "mate-2", "later-0", "later-1", "later-2", "later-3", "later-4")) {
        assertEquals(TaskState.COMPLETED, task(queue, mate).state(), () -> task(queue, mate).toString());
        assertEquals(1, lines.stream().filter(line -> line.equals("COMPLETED " + mate)).count(), mate);
      }
    }
  }

  @Test
  void aProcessThatIsAskedToEndFinishesWhatItCanAndGivesTheRestBack() throws Exception {
    Duration lease = Duration.ofSeconds(5);
    Map<String, String> completedHere = new ConcurrentHashMap<>();
    try (Bide bide = Bide.on(SqliteStore.at(file)).listener(event -> {
      if (event.kind() == TaskEvent.Kind.COMPLETED) {
        completedHere.put(event.task(), "");
      }
    }).start()) {
      TaskQueue<String> queue = bide.queue(HandlingNode.spec(lease));
      schedule(queue, "long-", 2, "work on for longer than a lease");
      schedule(queue, "endless-", 2, "work for ever");
      schedule(queue, "short-", 10, "be done");
      List<String> lines = new ArrayList<>();
      try (Child child = child(lease)) {
        // Two more are claimed ahead of its four handlers, and the rest waits in the store.
        lines.addAll(read(child, List.of("STARTED long-0", "STARTED long-1", "STARTED endless-0", "STARTED endless-1",
            "CLAIMED short-0", "CLAIMED short-1")));
        queue.handle(claim -> Outcome.done());
        child.signal("TERM");
        assertEquals(128 + 15, child.end(lines));
      }
      List<String> all = new ArrayList<>(List.of("long-0", "long-1", "endless-0", "endless-1"));
      IntStream.range(0, 10).forEach(i -> all.add("short-" + i));
      Await.until("all are done", () -> all.stream().allMatch(id -> task(queue, id).state().finished()));
      for (String id : all) {
        assertDone(1, 0, task(queue, id));
        assertTrue(lines.contains("COMPLETED " + id) != completedHere.containsKey(id), "it is completed once: " + id);
      }
      for (int i = 0; i < 2; i++) {
        assertTrue(lines.contains("COMPLETED long-" + i), lines::toString);
        assertTrue(lines.containsAll(List.of("STUCK endless-" + i, "RELEASED endless-" + i)), lines::toString);
        assertTrue(lines.contains("RELEASED short-" + i), lines::toString);
        assertFalse(lines.contains("STARTED short-" + i), lines::toString);
      }
      assertTrue(
          lines.stream().noneMatch(line -> line.startsWith("LEASE_LOST") || line.startsWith("SETTLEMENT_REFUSED")),
          lines::toString);
    }
  }

  @Test
  void aProcessThatStoodStillBeyondItsLeaseIsNotHeardAnyMore() throws Exception {
    Duration lease = Duration.ofSeconds(2);
    List<String> lines = new ArrayList<>();
    try (Child child = child(lease)) {
      try (Bide bide = node()) {
        TaskQueue<String> queue = bide.queue(HandlingNode.spec(lease));
        schedule(queue, "a-", 1, "work until the lease is lost");
        lines.addAll(read(child, List.of("STARTED a-0")));
        freeze(child);
        queue.handle(claim -> Outcome.skip("the other was away"));
        Await.until("it is taken over", () -> task(queue, "a-0").state().finished());
        Task done = task(queue, "a-0");
        child.signal("CONT");
        lines.addAll(read(child, List.of("SETTLEMENT_REFUSED a-0")));
        child.signal("TERM");
        child.end(lines);
        assertFalse(lines.contains("COMPLETED a-0"), lines::toString);
        assertDone(2, 1, task(queue, "a-0"));
        assertEquals(done.outcome(), task(queue, "a-0").outcome());
        assertEquals(done.attempts(), task(queue, "a-0").attempts());
      }
    }
  }

  /** Stops a process, but not in the middle of a write: with that it would stop everybody. */
  private void freeze(Child child) throws Exception {
    Await.until("it stands still outside of a write", () -> {
      child.signal("STOP");
      try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
          Statement statement = connection.createStatement()) {
        statement.execute("PRAGMA busy_timeout = 0");
        statement.execute("BEGIN IMMEDIATE");
        statement.execute("ROLLBACK");
        return true;
      } catch (SQLException e) {
        child.signal("CONT");
        return false;
      }
    });
  }
}
