package dev.bide.spi;

import dev.bide.task.TaskState;
import dev.bide.task.TaskView;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The counters of one queue, or changes of them: tasks by state, and waiting tasks by the hour in which they may run.
 *
 * <p>A counter is named by a key that stays the same in all versions, so that a store may write it down. Not thread-safe.
 * Counting is O(log(hours in use)).
 */
public final class Tally {
  /** The length of an hour, the finest step in which the future is counted. */
  public static final long HOUR_MILLIS = 3_600_000;
  /** The key of the first hour after the epoch; smaller keys are those of states. */
  public static final long FIRST_HOUR = 16;

  private static final long WAITING = 0;
  private static final long RETRY = 1;
  private static final long PROCESSING = 2;
  private static final long PAUSED = 3;
  private static final long COMPLETED = 4;
  private static final long FAILED = 5;
  private static final long CANCELLED = 6;
  /** Failed lives that have been revived. */
  private static final long REVIVED = 7;

  private final long[] states = new long[(int) FIRST_HOUR];
  private final NavigableMap<Long, Long> hours = new TreeMap<>();

  /** All counters at zero. */
  public Tally() {}

  /**
   * Where a task counts.
   *
   * @param state where it stands
   * @param retry whether it has been tried before
   * @param nextAt when it may run, if it waits
   */
  public record Spot(TaskState state, boolean retry, long nextAt) {}

  /** Counts a task that has come from {@code before}, null if it is new, to {@code after}, null if it is dropped. */
  public void move(@Nullable Spot before, @Nullable Spot after) {
    count(before, -1);
    count(after, 1);
  }

  private void count(@Nullable Spot spot, long by) {
    if (spot == null) {
      return;
    }
    add(stateKey(spot.state), by);
    if (spot.state == TaskState.WAITING) {
      add(FIRST_HOUR + spot.nextAt / HOUR_MILLIS, by);
      add(RETRY, spot.retry ? by : 0);
    }
  }

  private static long stateKey(TaskState state) {
    return switch (state) {
      case WAITING -> WAITING;
      case PROCESSING -> PROCESSING;
      case PAUSED -> PAUSED;
      case COMPLETED -> COMPLETED;
      case FAILED -> FAILED;
      case CANCELLED -> CANCELLED;
    };
  }

  /** Counts that a dead letter has been revived: the failed life is none any more. */
  public void revived() {
    add(FAILED, -1);
    add(REVIVED, 1);
  }

  /** Counts finished lives that are dropped. */
  public void dropped(TaskState state, boolean revived, long lives) {
    add(revived ? REVIVED : stateKey(state), -lives);
  }

  /** Adds to a counter. */
  public void add(long key, long by) {
    if (key < FIRST_HOUR) {
      states[(int) key] += by;
    } else {
      hours.merge(key, by, (one, other) -> one + other == 0 ? null : one + other);
    }
  }

  /** Adds all counters of another. */
  public void add(Tally other) {
    other.forEach(this::add);
  }

  /** Hands out all counters that are not zero, by key. */
  public void forEach(Counters taker) {
    for (int key = 0; key < states.length; key++) {
      if (states[key] != 0) {
        taker.take(key, states[key]);
      }
    }
    hours.forEach((key, count) -> {
      if (count != 0) {
        taker.take(key, count);
      }
    });
  }

  /** Sets all counters to zero. */
  public void clear() {
    Arrays.fill(states, 0);
    hours.clear();
  }

  /** Returns whether all counters are zero. */
  public boolean isEmpty() {
    boolean[] none = {true};
    forEach((key, count) -> none[0] = false);
    return none[0];
  }

  /**
   * Returns how many tasks a view holds.
   *
   * @throws IllegalArgumentException for {@link TaskView#READY} and {@link TaskView#LAPSED}, which change with time
   * alone
   */
  public long of(TaskView view) {
    return switch (view) {
      case LIVE -> counter(WAITING) + counter(PROCESSING) + counter(PAUSED);
      case WAITING -> counter(WAITING);
      case RETRY -> counter(RETRY);
      case PROCESSING -> counter(PROCESSING);
      case PAUSED -> counter(PAUSED);
      case FINISHED -> counter(COMPLETED) + counter(FAILED) + counter(CANCELLED) + counter(REVIVED);
      case COMPLETED -> counter(COMPLETED);
      case FAILED -> counter(FAILED);
      case CANCELLED -> counter(CANCELLED);
      case READY, LAPSED -> throw new IllegalArgumentException("nothing counts " + view);
    };
  }

  private long counter(long key) {
    return states[(int) key];
  }

  /** Returns how many waiting tasks may run in the hours from {@code first} on and before {@code end}. */
  public long waiting(long first, long end) {
    return first >= end
        ? 0
        : hours.subMap(FIRST_HOUR + Math.max(0, first), FIRST_HOUR + end).values().stream().mapToLong(n -> n).sum();
  }

  /** Takes counters. */
  @FunctionalInterface
  public interface Counters {
    /** Takes one. */
    void take(long key, long count);
  }
}
