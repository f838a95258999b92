package dev.bide.spi;

import dev.bide.task.TaskId;

/**
 * What is stored with a queue and holds for all nodes.
 *
 * @param name the name of the queue, after a {@code ~} if it is one of Bide itself
 * @param shards 1 to {@value TaskId#SLOTS}; fixed when the queue is made
 * @param maxAttempts how many attempts a task has; {@link Integer#MAX_VALUE} for no end
 * @param leaseMillis how long a claim holds without being renewed
 * @param retentionMillis how long completed and cancelled tasks are kept
 * @param deadRetentionMillis how long failed tasks, the dead letters, are kept
 */
public record QueueSettings(String name, int shards, int maxAttempts, long leaseMillis, long retentionMillis,
    long deadRetentionMillis) {

  /** Checks the ranges. */
  public QueueSettings {
    TaskId.checkQueue(name.startsWith("~") ? name.substring(1) : name);
    if (shards < 1 || shards > TaskId.SLOTS) {
      throw new IllegalArgumentException("shards must be 1 to " + TaskId.SLOTS + ", got " + shards);
    }
    if (maxAttempts < 1) {
      throw new IllegalArgumentException("attempts must be at least 1, got " + maxAttempts);
    }
    if (leaseMillis < 1) {
      throw new IllegalArgumentException("lease must be at least 1 ms, got " + leaseMillis + " ms");
    }
    if (retentionMillis < 0 || deadRetentionMillis < 0) {
      throw new IllegalArgumentException(
          "retention must not be negative, got " + retentionMillis + " ms and " + deadRetentionMillis + " ms");
    }
  }
}
