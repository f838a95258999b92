package dev.bide.spi;

import java.util.List;
import java.util.Optional;

/** The configuration of queues, stored once for all nodes. Thread-safe; calls may block and may be repeated. */
public interface QueueStore {

  /**
   * Creates the queue if there is none of this name, and returns the settings that hold now: {@code wanted}, or those
   * found.
   */
  QueueSettings define(QueueSettings wanted);

  /**
   * Replaces the settings of a queue, for all nodes, and returns them.
   *
   * @throws IllegalArgumentException if there is no such queue, or it has another number of shards: that is fixed when
   * the queue is made
   */
  QueueSettings update(QueueSettings wanted);

  /**
   * Stops claiming from a queue, for all nodes: once this returns, nothing more is claimed until {@link #resume}. What
   * was claimed before runs on and is settled; run-out leases wait for the resume; due times stay.
   *
   * @throws IllegalArgumentException if there is no such queue
   */
  void pause(String name);

  /**
   * Lets a paused queue go on, for all nodes.
   *
   * @throws IllegalArgumentException if there is no such queue
   */
  void resume(String name);

  /**
   * Returns whether and when a queue is or was paused.
   *
   * @throws IllegalArgumentException if there is no such queue
   */
  QueuePause pauseOf(String name);

  /** Returns the names of all queues, in the order of their bytes. */
  List<String> names();

  /** Returns the settings of a queue; empty if it was never defined. */
  Optional<QueueSettings> find(String name);
}
