package dev.bide.task;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * How many waiting tasks may run when: a forecast, as things stand now.
 *
 * @param queue the queue
 * @param at the store's now when they were counted
 * @param from the start of the first bucket
 * @param width how long each bucket is
 * @param buckets for each bucket, how many waiting tasks may run from its start on and before its end; tasks that are
 * paused or in process are in none
 */
public record Load(String queue, Instant at, Instant from, Duration width, List<Amount> buckets) {
  /** How many buckets there may be at most. */
  public static final int MOST = 1_000;

  /** Copies the list. */
  public Load {
    buckets = List.copyOf(buckets);
  }

  /** Returns the start of a bucket. */
  public Instant start(int bucket) {
    return from.plus(width.multipliedBy(bucket));
  }
}
