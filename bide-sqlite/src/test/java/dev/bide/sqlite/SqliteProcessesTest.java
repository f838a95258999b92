package dev.bide.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.bide.spi.Host;
import dev.bide.spi.TaskStore;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds when processes share a file, and when one is killed. */
class SqliteProcessesTest {
  private static final boolean LONG = Boolean.getBoolean("bide.long");

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
  }

  @Test
  void whatWasAnsweredSurvivesAKill() throws Exception {
    Path file = folder.resolve("bide.db");
    long seed = Host.randomBits();
    Random random = new Random(seed);
    for (int round = 0; round < (LONG ? 30 : 4); round++) {
      List<String> lines = new ArrayList<>();
      try (Child child = Child.start(folder, Worker.class, file.toString(), "round-" + round, "1000000")) {
        assertEquals("ready", child.line());
        int wanted = 1 + random.nextInt(400);
        while (lines.size() < wanted) {
          lines.add(child.line());
        }
        lines.addAll(child.kill());
      }
      Set<String> scheduled = new HashSet<>();
      Set<String> completed = new HashSet<>();
      lines.forEach(line -> (line.startsWith("+") ? scheduled : completed).add(line.substring(1)));
      try (TaskStore store = SqliteStore.at(file)) {
        for (String id : scheduled) {
          Task task = store.find("q", List.of(id)).value().get(0)
              .orElseThrow(() -> new AssertionError(id + " is lost, seed " + seed));
          assertEquals("payload of " + id, task.payload().text());
        }
        for (String id : completed) {
          assertEquals(TaskState.COMPLETED, store.find("q", List.of(id)).value().get(0).orElseThrow().state(),
              () -> id + ", seed " + seed);
        }
      }
    }
  }
}
