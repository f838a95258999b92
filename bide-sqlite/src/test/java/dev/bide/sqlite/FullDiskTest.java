package dev.bide.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.Bide;
import dev.bide.Outcome;
import dev.bide.QueueSpec;
import dev.bide.TaskEvent;
import dev.bide.TaskQueue;
import dev.bide.delay.When;
import dev.bide.spi.StoreException;
import dev.bide.spi.TaskStore;
import dev.bide.task.Answer;
import dev.bide.task.TaskState;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node whose disk becomes full while it works, and has room again later. */
class FullDiskTest {
  private static final QueueSpec<String> SPEC = QueueSpec.of("q", String.class);
  private static final String LARGE = "x".repeat(200_000);

  @TempDir
  Path folder;

  /** Something that can be full. */
  private interface Disk {
    void fill() throws IOException;

    void empty() throws IOException;
  }

  @Test
  void aFileThatMayNotGrowLosesNothingAndGoesOnWhenItMay() throws Exception {
    Path file = folder.resolve("bide.db");
    SqliteFile connected = SqliteStore.file(file).connect();
    fillUseAndEmpty(SqliteStore.file(file).open(connected), file, new Disk() {
      @Override
      public void fill() {
        connected.execute("PRAGMA max_page_count = " + connected.execute("PRAGMA page_count"));
      }

      @Override
      public void empty() {
        connected.execute("PRAGMA max_page_count = 1000000");
      }
    });
  }

  /** Runs in a process that sees a small disk of its own, which is gone with it. */
  @Test
  void aFullFileSystemLosesNothingAndTheNodeGoesOnWhenThereIsRoom() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    List<String> command = new ArrayList<>(List.of("unshare", "--mount", "--map-root-user", "sh", "-c",
        "mount -t tmpfs -o size=8m none \"$0\" && exec \"$@\"", disk.toString()));
    if (!succeeds(command, "true")) {
      command.remove("--map-root-user");
    }
    boolean mounts = succeeds(command, "true");
    if (!mounts) {
      System.out.println("no file system can be mounted here, so " + getClass().getSimpleName()
          + " fills a file that may not grow, and no disk");
      command = new ArrayList<>();
    }
    command.addAll(Child.command(folder, List.of(), FullDiskTest.class, disk.toString(), mounts ? "disk" : "none"));
    List<String> lines = new ArrayList<>();
    try (Child child = Child.start(command)) {
      assertEquals(0, child.end(lines), lines::toString);
    }
    assertEquals(List.of(mounts ? "full and empty again" : "no disk"), lines);
  }

  private static boolean succeeds(List<String> command, String what) throws Exception {
    List<String> whole = new ArrayList<>(command);
    whole.add(what);
    try {
      return new ProcessBuilder(whole).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Arguments: a folder, and whether it is a small disk. */
  public static void main(String... arguments) throws Exception {
    if (!arguments[1].equals("disk")) {
      System.out.println("no disk");
      return;
    }
    Path folder = Path.of(arguments[0]);
    Path file = folder.resolve("bide.db");
    Path filler = folder.resolve("filler");
    Disk disk = new Disk() {
      @Override
      public void fill() throws IOException {
        try (OutputStream out = Files.newOutputStream(filler)) {
          byte[] block = new byte[4096];
          assertThrows(IOException.class, () -> {
            while (true) {
              out.write(block);
            }
          });
        }
      }

      @Override
      public void empty() throws IOException {
        Files.delete(filler);
      }
    };
    fillUseAndEmpty(SqliteStore.at(file), file, disk);
    disk.fill();
    StoreException refused = assertThrows(StoreException.class, () -> SqliteStore.at(file));
    assertFull(file, refused);
    disk.empty();
    SqliteStore.at(file).close();
    System.out.println("full and empty again");
  }

  private static void fillUseAndEmpty(TaskStore store, Path file, Disk disk) throws Exception {
    List<String> acknowledged = new ArrayList<>();
    List<TaskEvent> failures = new CopyOnWriteArrayList<>();
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch full = new CountDownLatch(1);
    try (Bide bide = Bide.on(store).listener(event -> {
      if (event.kind() == TaskEvent.Kind.STORE_FAILED) {
        failures.add(event);
      }
    }).start()) {
      TaskQueue<String> queue = bide.queue(SPEC);
      queue.handle(claim -> {
        runs.incrementAndGet();
        full.await();
        return Outcome.done();
      });
      queue.schedule("running", LARGE, When.now());
      Await.until("it runs", () -> runs.get() == 1);
      for (int i = 0; i < 20; i++) {
        acknowledged.add(later(queue, "before-" + i, "x"));
      }

      disk.fill();
      for (String payload : List.of(LARGE, "x")) {
        assertFull(file, scheduleUntilRefused(queue, payload, acknowledged));
      }
      full.countDown();
      Await.until("its settlement is sent again and again", () -> failures.size() >= 3);
      failures.forEach(failure -> assertTrue(failure.detail().contains("the disk is full"), failure::toString));
      assertEquals(TaskState.PROCESSING, queue.inspect("running").orElseThrow().state(), "reading goes on");

      disk.empty();
      Await.until("it is settled", () -> queue.inspect("running").orElseThrow().state() == TaskState.COMPLETED);
      acknowledged.add(later(queue, "after", LARGE));
      assertEquals(1, runs.get());
    }
    try (TaskStore again = SqliteStore.at(file)) {
      again.find("q", acknowledged).value()
          .forEach(found -> assertEquals(TaskState.WAITING, found.orElseThrow().state()));
      assertEquals(1, again.find("q", List.of("running")).value().get(0).orElseThrow().attempts().size());
    }
  }

  private static String later(TaskQueue<String> queue, String id, String payload) {
    assertEquals(Answer.CREATED, queue.schedule(id, payload, When.in(Duration.ofHours(1))).answer());
    return id;
  }

  /** What finds room in the pages and the log that are there already is taken, and counts. */
  private static StoreException scheduleUntilRefused(TaskQueue<String> queue, String payload,
      List<String> acknowledged) {
    while (true) {
      // One that is interrupted gives up at its first failure; the others go on for ten seconds.
      Thread.currentThread().interrupt();
      try {
        acknowledged.add(later(queue, "full-" + acknowledged.size(), payload));
      } catch (StoreException e) {
        return e;
      } finally {
        assertTrue(Thread.interrupted());
      }
    }
  }

  private static void assertFull(Path file, StoreException refused) {
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains(file + " cannot grow: the disk is full; make room, and the store goes on by itself"),
        message);
    assertTrue(refused.isTransient(), message);
  }
}
