package dev.bide.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.Claimed;
import dev.bide.spi.End;
import dev.bide.spi.Exchanged;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.TaskStore;
import dev.bide.spi.Write;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteStoreTest {
  @TempDir
  Path folder;

  private static final QueueSettings QUEUE = new QueueSettings("q", 1, 3, 1000, 60_000, 60_000);

  private long now = 1_000_000;

  @Test
  void tasksSurviveReopening() {
    Path file = folder.resolve("a file?name=with %20 marks.db");
    try (TaskStore store = open(file)) {
      store.queues().define(QUEUE);
      store.write(List.of(insert("a", "text"), insert("b", "")), stamp(1));
    }
    assertEquals(List.of(file), filesIn(folder));

    try (TaskStore store = open(file)) {
      assertEquals(QUEUE, store.queues().find("q").orElseThrow());
      assertEquals(List.of(), claim(store, 2, List.of()).claims());
      now += 10;
      Exchanged claimed = claim(store, 3, List.of());
      assertEquals(List.of("a", "b"), claimed.claims().stream().map(Claimed::id).toList());
      assertEquals(List.of("text", ""), claimed.claims().stream().map(claim -> claim.payload().text()).toList());
      claim(store, 4, claimed.claims().stream().map(SqliteStoreTest::done).toList());
    }

    try (TaskStore store = open(file)) {
      List<Optional<Task>> found = store.find("q", List.of("b", "none", "a")).value();
      assertEquals(TaskState.COMPLETED, found.get(0).orElseThrow().state());
      assertEquals(Optional.empty(), found.get(1));
      assertEquals("text", found.get(2).orElseThrow().payload().text());
    }
  }

  private TaskStore open(Path file) {
    return SqliteStore.file(file).clock(() -> now).open();
  }

  private static Write insert(String id, String payload) {
    return new Write.Insert("q", id, Payload.of(payload), Due.fromNow(10));
  }

  private static Stamp stamp(long number) {
    return new Stamp("node", "stream", number, Long.MAX_VALUE);
  }

  private static Exchanged claim(TaskStore store, long number, List<Settlement> settlements) {
    return store.exchange(settlements, new ClaimRequest("q", Set.of(0), stamp(number), false, 10, 1, true, 1000));
  }

  private static Settlement done(Claimed claim) {
    return new Settlement(claim.id(), claim.seq(), claim.token(), End.COMPLETE, 0, "done");
  }

  private static List<Path> filesIn(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
