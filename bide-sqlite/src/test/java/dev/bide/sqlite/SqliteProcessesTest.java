package dev.bide.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.Bide;
import dev.bide.spi.Host;
import dev.bide.spi.TaskStore;
import dev.bide.task.Task;
import dev.bide.task.TaskCounts;
import dev.bide.task.TaskState;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds when processes share a file, and when one is killed. */
class SqliteProcessesTest {
  private static final boolean LONG = Boolean.getBoolean("bide.long");
  private static final int KILLS = LONG ? 1_000 : 100;
  /** So many processes run at once. */
  private static final int SLOTS = 4;

  @TempDir
  Path folder;

  @Test
  void twoProcessesShareAFileAndEachTaskIsClaimedOnce() throws Exception {
    Path file = folder.resolve("bide.db");
    int tasks = LONG ? 3_000 : 300;
    List<String> completed = new ArrayList<>();
    List<String> other = new ArrayList<>();
    try (Child child = Child.start(folder, Worker.class, file.toString(), "child", String.valueOf(tasks));
        TaskStore store = SqliteStore.file(file).busyLimit(Duration.ofMinutes(2)).open()) {
      assertEquals("ready", child.line());
      new Worker(store, "parent").run(tasks, id -> {}, completed::add);
      assertEquals(0, child.end(other));
    }
    other.stream().filter(line -> line.startsWith("-")).map(line -> line.substring(1)).forEach(completed::add);
    assertEquals(2 * tasks, completed.size());
    assertEquals(2 * tasks, new HashSet<>(completed).size());
    try (TaskStore store = SqliteStore.at(file)) {
      TaskCounts counts = counts(store);
      assertEquals(2 * tasks, counts.completed());
      assertEquals(0, counts.waiting() + counts.processing());
    }
  }

  private static TaskCounts counts(TaskStore store) {
    return store.counts(List.of("q")).value().get(0);
  }

  @Test
  void whatWasAnsweredSurvivesAHundredKillsAtRandomMoments() throws Exception {
    long seed = Long.getLong("bide.seed", Host.randomBits());
    System.out.println("moments of the kills: -Dbide.seed=" + seed);
    Path file = folder.resolve("bide.db");
    List<String> journal = Collections.synchronizedList(new ArrayList<>());
    AtomicInteger kills = new AtomicInteger();
    List<Future<?>> killers = new ArrayList<>();
    ExecutorService slots = Host.pool("slot");
    try {
      for (int slot = 0; slot < SLOTS; slot++) {
        killers.add(slots.submit(() -> {
          for (int kill = kills.getAndIncrement(); kill < KILLS; kill = kills.getAndIncrement()) {
            journal.addAll(runAndKill(file, "n" + kill, new Random(seed + kill)));
          }
          return journal;
        }));
      }
      for (Future<?> killer : killers) {
        killer.get();
      }
    } finally {
      kills.set(KILLS);
      slots.shutdown();
      assertTrue(slots.awaitTermination(5, TimeUnit.MINUTES));
    }
    try (Bide last = Bide.on(SqliteStore.file(file).busyLimit(Duration.ofMinutes(2)).open())
        .listener(RestlessNode.telling(journal::add)).start()) {
      last.queue(RestlessNode.SPEC).handle(claim -> RestlessNode.handle(claim, journal::add));
      Await.until("nothing is left", () -> ids("SELECT id FROM bide_tasks").isEmpty());
    }
    check(journal);
  }

  /** Runs a node for a while, and returns what it has said when it was killed: at any moment, also while it starts. */
  private List<String> runAndKill(Path file, String name, Random random) throws Exception {
    List<String> lines = new ArrayList<>();
    String durability = random.nextBoolean() ? "FULL" : "NORMAL";
    try (Child child = Child.start(folder, RestlessNode.class, file.toString(), durability, name)) {
      if (random.nextInt(8) == 0) {
        Host.pause(random.nextInt(1_000) * 1_000_000L);
      } else {
        int wanted = 1 + random.nextInt(150);
        while (lines.size() < wanted) {
          String line = child.line();
          assertTrue(line != null, () -> name + " ended by itself after " + lines.size() + " lines");
          lines.add(line);
        }
        Host.pause(random.nextInt(3_000) * 1_000L);
      }
      lines.addAll(child.kill());
    }
    return lines;
  }

  private void check(List<String> journal) throws SQLException {
    Map<String, Map<String, List<String[]>>> told = journal.stream().filter(line -> !line.equals("ready"))
        .map(line -> line.split(" ")).collect(
            Collectors.groupingBy(words -> words[1], Collectors.groupingBy(words -> words[0])));
    assertEquals(List.of(),
        ids("SELECT id FROM (SELECT id FROM bide_tasks UNION ALL SELECT id FROM bide_finished UNION ALL"
            + " SELECT id FROM bide_failed) GROUP BY id HAVING count(*) > 1"),
        "each has one life, which ended once");
    assertEquals(List.of(), ids("SELECT id FROM bide_failed"));
    assertTrue(told.size() > KILLS, () -> "few tasks: " + told.size());
    try (TaskStore store = SqliteStore.at(folder.resolve("bide.db"))) {
      for (Map.Entry<String, Map<String, List<String[]>>> each : told.entrySet()) {
        String id = each.getKey();
        Task task = store.find("q", List.of(id)).value().get(0).orElseThrow(() -> new AssertionError(id + " is lost"));
        assertEquals("payload of " + id, task.payload().text());
        checkEnd(task, each.getValue());
        checkTimes(task, each.getValue());
      }
      TaskCounts counts = counts(store);
      assertEquals(ids("SELECT id FROM bide_finished WHERE state = 3").size(), counts.completed());
      assertEquals(ids("SELECT id FROM bide_finished WHERE state = 5").size(), counts.cancelled());
      assertEquals(0, counts.waiting() + counts.processing() + counts.paused() + counts.failed());
    }
  }

  private static void checkEnd(Task task, Map<String, List<String[]>> told) {
    int completed = told.getOrDefault("completed", List.of()).size();
    assertTrue(completed <= 1, () -> "completed twice: " + task);
    if (completed == 1) {
      assertEquals(TaskState.COMPLETED, task.state(), task::toString);
    }
    if (told.containsKey("cancelled")) {
      assertEquals(TaskState.CANCELLED, task.state(), task::toString);
    }
    if (task.state() == TaskState.COMPLETED) {
      assertTrue(told.containsKey("handled"), () -> "completed by nobody: " + task);
    }
  }

  private static void checkTimes(Task task, Map<String, List<String[]>> told) {
    for (String[] handled : told.getOrDefault("handled", List.of())) {
      assertTrue(Long.parseLong(handled[2]) >= Long.parseLong(handled[3]), () -> "early: " + task);
    }
    if (task.state() == TaskState.COMPLETED) {
      assertFalse(task.attempts().get(task.attempts().size() - 1).start().isBefore(task.dueAt()), task::toString);
    }
    if (told.containsKey("left")) {
      String[] last = told.getOrDefault("moved", told.getOrDefault("scheduled", List.of())).get(0);
      assertEquals(Long.parseLong(last[2]), task.dueAt().toEpochMilli(), task::toString);
    }
  }

  private List<String> ids(String sql) throws SQLException {
    List<String> ids = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("bide.db"));
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        ids.add(row.getString(1));
      }
    }
    return ids;
  }
}
