package dev.bide.sqlite;

import dev.bide.spi.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Says what SQLite's errors mean for the user of a file, and what to do. */
final class Mishaps {
  // Primary result codes of SQLite.
  private static final int PERM = 3;
  private static final int BUSY = 5;
  private static final int LOCKED = 6;
  private static final int NOMEM = 7;
  private static final int READONLY = 8;
  private static final int INTERRUPT = 9;
  private static final int IOERR = 10;
  private static final int CORRUPT = 11;
  private static final int FULL = 13;
  private static final int CANTOPEN = 14;
  private static final int TOOBIG = 18;
  private static final int NOTADB = 26;

  private final Path path;
  private final Duration busyLimit;

  Mishaps(Path path, Duration busyLimit) {
    this.path = path;
    this.busyLimit = busyLimit;
  }

  /** Returns whether another process was in the way, which passes. */
  static boolean busy(SQLException e) {
    return code(e) == BUSY || code(e) == LOCKED;
  }

  /** When there is no room for the index of the log, SQLite speaks of an error of reading and writing. */
  private static int code(SQLException e) {
    boolean noRoom = e instanceof SQLiteException its && its.getResultCode() == SQLiteErrorCode.SQLITE_IOERR_SHMSIZE;
    return noRoom ? FULL : e.getErrorCode() & 0xff;
  }

  /** Finds what is wrong with the path before SQLite is asked, which would only say that it cannot open it. */
  Optional<StoreException> ofPath() {
    Path folder = path.toAbsolutePath().getParent();
    if (Files.isDirectory(path)) {
      return Optional.of(StoreException.lasting(path + " is a folder; name a file in it", null));
    }
    if (folder != null && !Files.isDirectory(folder)) {
      return Optional
          .of(StoreException.lasting(path + " cannot be opened: there is no folder " + folder + "; create it", null));
    }
    Path log = path.resolveSibling(path.getFileName() + "-wal");
    // The log comes after the first page of its file, so it is looked for first: another process may be making both.
    if (!empty(log) && empty(path)) {
      return Optional.of(StoreException.lasting(path + " is missing or empty, but beside it lies its log " + log
          + ", which a new file would throw away; bring the file back, or move the log elsewhere", null));
    }
    return Optional.empty();
  }

  private static boolean empty(Path path) {
    // Zero also if there is none, and no word is thrown.
    return path.toFile().length() == 0;
  }

  StoreException of(SQLException e) {
    return switch (code(e)) {
      case BUSY, LOCKED -> StoreException.passing(path + " is busy: another process has been writing to it for "
          + busyLimit + "; look which one holds it so long, or allow a longer wait", e);
      case FULL -> StoreException.passing(
          path + " cannot grow: the disk is full; make room, and the store goes on by itself", e);
      case NOMEM, INTERRUPT -> StoreException.passing(path + " was not reached: " + e.getMessage(), e);
      case IOERR -> StoreException.passing(
          path + " could not be read or written: " + e.getMessage() + "; check the disk and the room on it", e);
      case READONLY, PERM -> StoreException.lasting(path
          + " cannot be written: the file or its folder is read-only; let this process write both", e);
      case CANTOPEN -> StoreException.lasting(path
          + " cannot be opened; check that this process may read and write the file and its folder", e);
      case NOTADB -> StoreException.lasting(path + " is not an SQLite database; name another file", e);
      case CORRUPT -> StoreException.lasting(path
          + " is damaged; restore a backup, or save what is readable with the .recover command of sqlite3", e);
      case TOOBIG -> StoreException.lasting(path + " does not take a value so large: " + e.getMessage(), e);
      default -> StoreException.lasting(path + " refused a statement: " + e.getMessage(), e);
    };
  }
}
