package dev.bide.sqlite;

import dev.bide.jdbc.Session;
import dev.bide.jdbc.Transactions;
import dev.bide.spi.Host;
import dev.bide.spi.StoreException;
import dev.bide.sqlite.SqliteStore.Durability;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One SQLite file, with one connection that writes and one that reads.
 *
 * <p>Thread-safe: each connection is used under a fair lock, so calls are served in the order in which they came. Between
 * processes SQLite's own lock decides, which is waited for in short pauses: SQLite's own grow to 100 ms, in which
 * others pass by again and again.
 */
final class SqliteFile implements Transactions {
  private static final Logger LOG = System.getLogger(SqliteStore.class.getName());

  private final Path path;
  private final Mishaps mishaps;
  private final long busyNanos;
  private final Durability durability;
  private final Line writer;
  private final Line reader;

  SqliteFile(Path path, Durability durability, Duration busyLimit) {
    this.path = path;
    mishaps = new Mishaps(path, busyLimit);
    busyNanos = busyLimit.toNanos();
    this.durability = durability;
    writer = new Line(() -> Opened.writing(path, durability));
    reader = new Line(() -> Opened.reading(path));
  }

  @Override
  public String place() {
    return path.toString();
  }

  @Override
  public <T> T write(Work<T> work) {
    return run(writer, opened -> opened.begin(durability), work);
  }

  @Override
  public <T> T writeUnsynced(Work<T> work) {
    return run(writer, opened -> opened.begin(Durability.NORMAL), work);
  }

  @Override
  public <T> T read(Work<T> work) {
    return run(reader, Opened::begin, work);
  }

  private <T> T run(Line line, Beginning beginning, Work<T> work) {
    long start = Host.monotonicNanos();
    line.lock.lock();
    try {
      pause(line.turns.gap(Host.monotonicNanos()));
      while (true) {
        try {
          return line.run(beginning, work);
        } catch (SQLException e) {
          long now = Host.monotonicNanos();
          if (!Mishaps.busy(e) || now - start >= busyNanos) {
            throw mishaps.of(e);
          }
          if (Thread.currentThread().isInterrupted()) {
            throw StoreException.passing("interrupted while waiting for another process to leave " + path, e);
          }
          pause(line.turns.refused(now));
        } finally {
          line.turns.ended(Host.monotonicNanos());
        }
      }
    } finally {
      line.lock.unlock();
    }
  }

  private static void pause(long nanos) {
    if (nanos > 0) {
      Host.pause(nanos);
    }
  }

  /** Executes a statement on the connection that writes, and returns its first value, or the empty text. */
  String execute(String sql) {
    writer.lock.lock();
    try {
      return writer.opened().execute(sql);
    } catch (SQLException e) {
      throw mishaps.of(e);
    } finally {
      writer.lock.unlock();
    }
  }

  @Override
  public void close() {
    reader.close();
    writer.close();
  }

  private interface Opening {
    Opened open() throws SQLException;
  }

  private interface Beginning {
    Session begin(Opened opened) throws SQLException;
  }

  /** A connection and the lock under which it is used. */
  private final class Line {
    final ReentrantLock lock = new ReentrantLock(true);
    private final Opening opening;
    // Guarded by lock.
    final Turns turns = new Turns(Host.monotonicNanos());
    private @Nullable Opened opened;
    private boolean closed;

    Line(Opening opening) {
      this.opening = opening;
    }

    <T> T run(Beginning beginning, Work<T> work) throws SQLException {
      Opened now = opened();
      Session session = beginning.begin(now);
      boolean committed = false;
      try {
        T result = work.in(session);
        now.commit();
        committed = true;
        return result;
      } finally {
        if (!committed) {
          rollBack(now);
        }
      }
    }

    /** A connection that cannot be rolled back is given up; the next call opens another. */
    private void rollBack(Opened now) {
      try {
        now.rollBack();
      } catch (SQLException e) {
        LOG.log(Level.WARNING, () -> path + ": a connection is given up: " + e.getMessage());
        opened = null;
        close(now);
      }
    }

    Opened opened() throws SQLException {
      if (closed) {
        throw new IllegalStateException("the store in " + path + " is closed");
      }
      Opened now = opened;
      if (now == null) {
        mishaps.ofPath().ifPresent(mishap -> {
          throw mishap;
        });
        now = opening.open();
        opened = now;
      }
      return now;
    }

    void close() {
      lock.lock();
      try {
        closed = true;
        Opened now = opened;
        opened = null;
        if (now != null) {
          close(now);
        }
      } finally {
        lock.unlock();
      }
    }

    /** SQLite takes the log into the file when the last connection of all processes goes. */
    private void close(Opened now) {
      try {
        now.close();
      } catch (SQLException e) {
        LOG.log(Level.WARNING, () -> path + ": a connection did not close: " + e.getMessage());
      }
    }
  }
}
