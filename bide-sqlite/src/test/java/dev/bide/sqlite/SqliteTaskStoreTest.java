package dev.bide.sqlite;

import dev.bide.spi.SteadyClock;
import dev.bide.spi.TaskStore;
import dev.bide.tck.StoreFixture;
import dev.bide.tck.TaskStoreContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

class SqliteTaskStoreTest extends TaskStoreContract {

  @Override
  protected StoreFixture newFixture() {
    return new SqliteFixture();
  }

  /**
   * A restart leaves the old store as the end of its process does: nothing is closed, nothing checkpointed. Nothing is
   * synced either, which would change nothing here but the time it takes.
   */
  private static final class SqliteFixture implements StoreFixture {
    // Made once and copied, since making the tables takes longer than most tests.
    private static final byte[] EMPTY_STORE = emptyStore();

    private final Path folder;
    private final List<TaskStore> opened = new ArrayList<>();
    private volatile LongSupplier clock = SteadyClock.ofThisMachine(alarm -> {});

    SqliteFixture() {
      try {
        folder = Files.createTempDirectory("bide-sqlite");
        Files.write(folder.resolve("bide.db"), EMPTY_STORE);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static byte[] emptyStore() {
      try {
        Path file = Files.createTempFile("bide-sqlite", ".db");
        SqliteStore.file(file).clock(() -> 0).open().close();
        byte[] bytes = Files.readAllBytes(file);
        Files.delete(file);
        return bytes;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public TaskStore open() {
      TaskStore store = SqliteStore.file(folder.resolve("bide.db")).durability(SqliteStore.Durability.NORMAL)
          .clock(() -> clock.getAsLong()).open();
      opened.add(store);
      return store;
    }

    @Override
    public void setNow(long epochMillis) {
      clock = () -> epochMillis;
    }

    @Override
    public TaskStore reopen() {
      return open();
    }

    @Override
    public void close() {
      opened.forEach(TaskStore::close);
      try {
        for (Path file : filesIn(folder)) {
          Files.delete(file);
        }
        Files.delete(folder);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static List<Path> filesIn(Path folder) throws IOException {
      try (var files = Files.list(folder)) {
        return files.toList();
      }
    }
  }
}
