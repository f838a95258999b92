package dev.bide.spi;

import java.util.List;
import java.util.Optional;

/** What a store lets {@link Sight} see within one transaction, by its indexes and counters. Used by one thread. */
public interface SightRecords {

  /** Returns the store's now, in epoch milliseconds; the same during the transaction. */
  long now();

  /**
   * Returns the counters of a queue, of the hours at least those from {@code firstHour} on and before {@code endHour},
   * counted from the epoch; empty if the queue is not defined.
   */
  Optional<Tally> tally(String queue, long firstHour, long endHour);

  /**
   * Returns the next tasks in the order of {@link Scan}: all that its view, its tag or id prefix and its moments let
   * through, and others if that is simpler.
   *
   * @param limit how many at most; fewer, but at least one, may be returned where more follow
   * @return empty if none follows
   */
  List<StoredTask> scan(String queue, Scan scan, int limit);

  /** Returns how many waiting tasks have {@code from <= nextAt < until}, or {@code limit} if there are more. */
  long waiting(String queue, long from, long until, long limit);

  /** Returns how many tasks in process have {@code nextAt <= now}, or {@code limit} if there are more. */
  long lapsed(String queue, long limit);
}
