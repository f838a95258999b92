package dev.bide.bench.frame;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * What was done in a round, and what it cost; a cost of -1 is not known.
 *
 * @param tasks how many
 * @param nanos how long it took
 * @param commits transactions of the store
 * @param cpuNanos time of processors
 * @param bytes given to the operating system to write
 */
public record Work(long tasks, long nanos, long commits, long cpuNanos, long bytes) {

  /** Something whose end tells how many tasks were done. */
  public interface Round {
    /** Does it, and returns the number of tasks. */
    long play() throws Exception;
  }

  /** Does {@code round} and measures it. */
  public static Work of(Meter meter, Round round) throws Exception {
    long commits = meter.commits().getAsLong();
    long bytes = meter.bytes().getAsLong();
    long cpuNanos = meter.cpuNanos().getAsLong();
    long begun = System.nanoTime();
    long tasks = round.play();
    long nanos = System.nanoTime() - begun;
    return new Work(tasks, nanos, since(commits, meter.commits()), since(cpuNanos, meter.cpuNanos()),
        since(bytes, meter.bytes()));
  }

  private static long since(long before, LongSupplier now) {
    return before < 0 ? -1 : now.getAsLong() - before;
  }

  /** Returns this and {@code other} as one. */
  Work and(Work other) {
    return new Work(tasks + other.tasks, nanos + other.nanos, sum(commits, other.commits),
        sum(cpuNanos, other.cpuNanos), sum(bytes, other.bytes));
  }

  private static long sum(long one, long other) {
    return one < 0 || other < 0 ? -1 : one + other;
  }

  /** Returns the tasks of a second. */
  public double rate() {
    return tasks * 1e9 / nanos;
  }

  /** Returns in words what a task cost, as far as it is known. */
  public String cost() {
    List<String> parts = new ArrayList<>();
    if (commits >= 0) {
      parts.add(Table.number((double) commits / tasks) + " commits");
    }
    if (bytes >= 0) {
      parts.add(Table.number((double) bytes / tasks) + " B");
    }
    if (cpuNanos >= 0) {
      parts.add(Table.number(cpuNanos / 1e3 / tasks) + " us CPU");
    }
    return String.join(", ", parts);
  }
}
