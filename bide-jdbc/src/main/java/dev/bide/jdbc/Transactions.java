package dev.bide.jdbc;

import java.sql.SQLException;

/**
 * Runs the transactions of a store: where its connections come from, how a transaction begins and ends there, and what
 * the mishaps of its driver mean.
 *
 * <p>Thread-safe. A transaction is committed when its work returns, and nothing of it is left when the work throws. Work
 * may run more than once until it succeeds, as when the database is busy. A {@link SQLException} comes out as a
 * {@link dev.bide.spi.StoreException}; what else the work throws comes out as it is.
 */
public interface Transactions extends AutoCloseable {

  /** Returns where the database is, for messages: a file or an address. */
  String place();

  /** Runs {@code work} in a transaction that may write, and returns what it returns once that is durable. */
  <T> T write(Work<T> work);

  /**
   * As {@link #write}, for what need not survive a crash of the machine: it returns once the end of the process cannot
   * undo what was written. What is written later is durable only together with it.
   */
  default <T> T writeUnsynced(Work<T> work) {
    return write(work);
  }

  /** Runs {@code work} in a transaction that reads one state of the database. */
  <T> T read(Work<T> work);

  /**
   * Waits for the transactions that run and releases the connections; idempotent. Calls afterwards throw
   * {@link IllegalStateException}.
   */
  @Override
  void close();

  /**
   * The inside of a transaction.
   *
   * @param <T> what it returns
   */
  @FunctionalInterface
  interface Work<T> {
    /** Works on {@code session}, and leaves beginning, committing and rolling back to the caller. */
    T in(Session session) throws SQLException;
  }
}
