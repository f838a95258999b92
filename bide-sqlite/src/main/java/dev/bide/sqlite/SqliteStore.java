package dev.bide.sqlite;

import static java.util.Objects.requireNonNull;

import dev.bide.jdbc.Dialect;
import dev.bide.jdbc.JdbcTaskStore;
import dev.bide.spi.Host;
import dev.bide.spi.SteadyClock;
import dev.bide.spi.TaskStore;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens the store that keeps tasks in one SQLite file, beside which lie its log ({@code -wal}) and an index of that
 * ({@code -shm}).
 *
 * <p>The store is thread-safe, and several processes of one machine may share a file. Its time runs with this machine's
 * monotonic clock, follows its wall clock in small steps, and never falls behind what the file has seen. What was
 * answered survives the end of the process however it comes, and a power cut too unless {@link Durability#NORMAL} was
 * chosen.
 *
 * <pre>{@code
 * TaskStore store = SqliteStore.at(Path.of("bide.db"));
 * }</pre>
 */
public final class SqliteStore {
  private static final Logger LOG = System.getLogger(SqliteStore.class.getName());
  private static final long AHEAD_MILLIS = 60_000;

  private SqliteStore() {}

  /**
   * Opens the store in {@code file} with the safe defaults, and creates the file if there is none.
   *
   * @throws dev.bide.spi.StoreException if it cannot be opened, saying why and what to do
   */
  public static TaskStore at(Path file) {
    return file(file).open();
  }

  /** Begins to describe a store in {@code file}. */
  public static Builder file(Path file) {
    return new Builder(requireNonNull(file, "file"));
  }

  /** When a change is safe. */
  public enum Durability {
    /** Each change is synced to the disk before it is answered. */
    FULL,
    /**
     * Changes are handed to the operating system and synced from time to time: much faster for single calls. A power
     * cut or a crash of the machine may lose what was answered in the last moments; the file stays sound, and the end
     * of the process alone loses nothing.
     */
    NORMAL
  }

  /** The settings of a store. Not thread-safe. */
  public static final class Builder {
    private final Path file;
    private Durability durability = Durability.FULL;
    private Duration busyLimit = Duration.ofSeconds(10);
    private @Nullable LongSupplier clock;

    private Builder(Path file) {
      this.file = file;
    }

    /** When a change is safe; {@link Durability#FULL} unless set. */
    public Builder durability(Durability durability) {
      this.durability = requireNonNull(durability, "durability");
      return this;
    }

    /**
     * How long a call waits for another process that writes the file, before it fails; at most a day, 10 s unless set.
     */
    public Builder busyLimit(Duration busyLimit) {
      if (busyLimit.isNegative() || busyLimit.compareTo(Duration.ofDays(1)) > 0) {
        throw new IllegalArgumentException("busy limit must be 0 to 1 day, got " + busyLimit);
      }
      this.busyLimit = busyLimit;
      return this;
    }

    /**
     * The time of the store in epoch milliseconds, for tests. A value smaller than the latest in the file counts as
     * that one.
     */
    public Builder clock(LongSupplier epochMillis) {
      clock = requireNonNull(epochMillis, "epochMillis");
      return this;
    }

    /**
     * Opens the store, and creates the file if there is none.
     *
     * @throws dev.bide.spi.StoreException if it cannot be opened, saying why and what to do
     */
    public TaskStore open() {
      return open(connect());
    }

    SqliteFile connect() {
      return new SqliteFile(file, durability, busyLimit);
    }

    TaskStore open(SqliteFile connected) {
      LongSupplier given = clock;
      long wall = given == null ? Host.wallMillis() : given.getAsLong();
      TaskStore store = JdbcTaskStore.open(connected, Dialect.sqlite(given == null ? steady() : plain(given)));
      long ahead = store.now() - wall;
      if (ahead > AHEAD_MILLIS) {
        LOG.log(Level.WARNING, () -> file + " was last written " + ahead
            + " ms ahead of the clock here; until they meet, tasks run early by as much, and time goes slower");
      }
      return store;
    }

    private Dialect.Clock steady() {
      return SteadyClock.ofThisMachine(alarm -> LOG.log(Level.WARNING, () -> file + ": " + alarm))::atLeast;
    }

    private static Dialect.Clock plain(LongSupplier clock) {
      return floor -> Math.max(clock.getAsLong(), floor);
    }
  }
}
