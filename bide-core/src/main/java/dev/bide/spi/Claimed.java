package dev.bide.spi;

import dev.bide.task.Payload;
import org.jspecify.annotations.Nullable;

/**
 * A task handed out under a lease. Moments are epoch milliseconds of the store's clock.
 *
 * @param id the id of the task
 * @param seq this life of the id
 * @param token the fencing token of the claim
 * @param attempt the number of the attempt that begins
 * @param lapses how often a lease on the task ran out
 * @param grave whether the task is a grave suspect
 * @param payload what it carries
 * @param createdAt when it was accepted
 * @param dueAt when it was promised to run
 * @param readyAt when this attempt was ready
 * @param claimedAt when it was claimed
 * @param heldBack whether its lateness says nothing of this node: it came due while its queue was paused, or is handed
 * out again
 * @param cancelRequested whether a cancel came since, for a claim that is handed out again
 * @param rule what the due time came from, if it was kept
 */
public record Claimed(String id, long seq, long token, int attempt, int lapses, boolean grave, Payload payload,
    long createdAt, long dueAt, long readyAt, long claimedAt, boolean heldBack, boolean cancelRequested,
    @Nullable String rule) {

  /** Returns whether a lease on the task has run out before. */
  public boolean suspect() {
    return lapses > 0;
  }
}
