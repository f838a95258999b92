package dev.bide.tck;

import dev.bide.spi.TaskStore;

/** One store under test: opens it, turns its clock and restarts it. */
public interface StoreFixture extends AutoCloseable {

  /** Opens the store, without any queue or task, on the real clock. Called once, first. */
  TaskStore open();

  /**
   * Stops the clock that the store reads at this moment, until the next call. The moment may be earlier than the one
   * before, as when a machine's clock is set back; it is the store's duty that its now does not go back with it.
   */
  void setNow(long epochMillis);

  /**
   * Ends the open store as the end of its process does, and returns a new one over the same records; the clock stays as
   * it was set.
   */
  TaskStore reopen();

  /** Closes the open store and removes its records. */
  @Override
  void close();
}
