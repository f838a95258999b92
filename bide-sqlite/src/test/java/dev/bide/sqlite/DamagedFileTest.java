package dev.bide.sqlite;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.Bide;
import dev.bide.Entry;
import dev.bide.Outcome;
import dev.bide.QueueSpec;
import dev.bide.TaskEvent;
import dev.bide.TaskQueue;
import dev.bide.delay.When;
import dev.bide.spi.StoreException;
import dev.bide.spi.TaskStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that were damaged behind our back: what is said of them, and that nothing is written over them. */
class DamagedFileTest {
  private static final QueueSpec<String> SPEC = QueueSpec.of("q", String.class);
  private static final int PAGE = 4096;

  @TempDir
  Path folder;

  private Path file;

  @BeforeEach
  void makeAFileOfManyPages() {
    file = folder.resolve("bide.db");
    try (Bide bide = Bide.on(SqliteStore.at(file)).start()) {
      bide.queue(SPEC).scheduleAll(IntStream.range(0, 300)
          .mapToObj(i -> Entry.of("t" + i, "payload of t" + i + " ".repeat(1_000), When.in(Duration.ofHours(1))))
          .toList());
    }
  }

  private void overwrite(int from, int to) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    Arrays.fill(bytes, from, to, (byte) 0xa5);
    Files.write(file, bytes);
  }

  /** Opening says {@code message}, says it again the next time, and leaves the file as it is. */
  private void assertRefused(String message) throws IOException {
    byte[] before = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
    for (int i = 0; i < 2; i++) {
      StoreException refused = assertThrows(StoreException.class, () -> SqliteStore.at(file));
      assertEquals(file + message, refused.getMessage());
      assertFalse(refused.isTransient());
    }
    assertArrayEquals(before, Files.exists(file) ? Files.readAllBytes(file) : new byte[0]);
  }

  @Test
  void aFileWhoseHeaderIsOverwrittenIsRefused() throws IOException {
    overwrite(0, 100);
    assertRefused(" is not an SQLite database; name another file");
  }

  @Test
  void aFileThatIsCutOffIsRefused() throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    for (int length : List.of(bytes.length / 2 / PAGE * PAGE, PAGE + 100, 2000)) {
      Files.write(file, Arrays.copyOf(bytes, length));
      assertRefused(
          " is damaged; restore a backup, or save what is readable with the .recover command of sqlite3");
    }
  }

  @Test
  void aLogWhoseFileIsGoneOrEmptyIsNotThrownAway() throws IOException {
    Path log = file.resolveSibling("bide.db-wal");
    Files.writeString(log, "what was acknowledged last");
    String refusal = " is missing or empty, but beside it lies its log " + log
        + ", which a new file would throw away; bring the file back, or move the log elsewhere";
    Files.write(file, new byte[0]);
    assertRefused(refusal);
    Files.delete(file);
    assertRefused(refusal);
    assertFalse(Files.exists(file));
    assertEquals("what was acknowledged last", Files.readString(log));
    Files.delete(log);
    Files.write(file, new byte[0]);
    try (Bide bide = Bide.on(SqliteStore.at(file)).start()) {
      assertEquals(Optional.empty(), bide.queue(SPEC).inspect("t1"), "an empty file is a new one");
    }
  }

  @Test
  void damagedPagesAreNamedByEveryCallThatMeetsThemAndTheNodeEndsInTime() throws Exception {
    for (int page : numbers("SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'bide_tasks'")) {
      overwrite((page - 1) * PAGE, page * PAGE);
    }
    List<TaskEvent> failures = new CopyOnWriteArrayList<>();
    String damaged = file
        + " is damaged; restore a backup, or save what is readable with the .recover command of sqlite3";
    try (Bide bide = Bide.on(SqliteStore.at(file)).shutdownLimit(Duration.ofMillis(100)).listener(event -> {
      if (event.kind() == TaskEvent.Kind.STORE_FAILED) {
        failures.add(event);
      }
    }).start()) {
      TaskQueue<String> queue = bide.queue(SPEC);
      for (Runnable call : List.<Runnable>of(() -> queue.schedule("new", "x", When.now()), () -> queue.cancel("t1"),
          () -> queue.inspect("t1"))) {
        StoreException refused = assertThrows(StoreException.class, call::run);
        assertEquals(damaged, refused.getMessage());
        assertFalse(refused.isTransient());
      }
      queue.handle(claim -> Outcome.done());
      Await.until("it is told", () -> failures.size() >= 4);
      failures.forEach(failure -> assertTrue(failure.detail().contains(damaged), failure::toString));
      Duration between = Duration.between(failures.get(0).at(), failures.get(3).at());
      assertTrue(between.toMillis() >= 50 + 100 + 200, () -> "the pauses grow, but four came in " + between);
    }
  }

  @Test
  void damageInsideAPayloadIsNotNoticed() throws IOException {
    // SQLite keeps no checksums: it knows damage by its structure. No promise, but the manual must not claim more.
    String bytes = Files.readString(file, ISO_8859_1);
    Files.writeString(file, bytes.replace("payload of t7 ", "payload of t8 "), ISO_8859_1);
    try (TaskStore store = SqliteStore.at(file)) {
      assertEquals("payload of t8",
          store.find("q", List.of("t7")).value().get(0).orElseThrow().payload().text().strip());
    }
  }

  @Test
  void aFileThatMayNotBeReadIsRefusedAndOneThatIsOursAllTheSameIsUsed() throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
    if (Files.isReadable(file)) {
      // The superuser may do everything.
      SqliteStore.at(file).close();
      return;
    }
    StoreException refused = assertThrows(StoreException.class, () -> SqliteStore.at(file));
    assertTrue(String.valueOf(refused.getMessage()).contains("check that this process may read and write the file"),
        refused::toString);
  }

  private List<Integer> numbers(String sql) throws SQLException {
    List<Integer> numbers = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        numbers.add(row.getInt(1));
      }
    }
    return numbers;
  }
}
