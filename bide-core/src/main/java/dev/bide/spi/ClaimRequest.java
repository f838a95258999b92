package dev.bide.spi;

import java.util.Set;

/**
 * What a node can take from a queue now.
 *
 * <p>A task on which a lease ran out is a <em>suspect</em>: it may have ended the process that held it. It is
 * <em>grave</em> when that happened twice or when its next attempt is its last. Suspects are handed out apart, so that
 * one that kills again takes no other task to the dead letters.
 *
 * @param queue the queue to claim from
 * @param shards the shards to claim from, each 0 to the queue's number of shards − 1
 * @param stamp marks the request; its node is the owner of what is claimed
 * @param again the same request is sent once more: what its first copy claimed is handed out again under the same
 * tokens, leases prolonged, no attempt counted; if nothing of that is left, the request is late
 * @param limit how many tasks at most, suspects included; 0 takes nothing
 * @param suspects how many of them may be suspects; they are served first
 * @param grave whether a grave suspect may come; it is then the only suspect of the reply
 * @param leaseMillis how long the claims hold
 * @param claimant who works on what is claimed
 */
public record ClaimRequest(String queue, Set<Integer> shards, Stamp stamp, boolean again, int limit, int suspects,
    boolean grave, long leaseMillis, Claimant claimant) {

  /** Who works on what is claimed, which says what a claim must outlive. */
  public enum Claimant {
    /**
     * The process that sends the request. A store on its machine may answer before the claims would survive a crash of
     * that machine, if it settles nothing: the crash ends their owner with them, and the tasks are claimed once more.
     */
    THIS_PROCESS,
    /** Someone whom this process hands the claims on to, and who may outlive it. */
    OUTSIDE
  }

  /** Checks the ranges. */
  public ClaimRequest {
    shards = Set.copyOf(shards);
    if (limit < 0 || suspects < 0 || leaseMillis < 1) {
      throw new IllegalArgumentException("limit and suspects must not be negative and the lease at least 1 ms, got "
          + limit + ", " + suspects + " and " + leaseMillis);
    }
  }

  /** Returns the request for sending it once more. */
  public ClaimRequest again(long notAfter) {
    return new ClaimRequest(queue, shards, stamp.until(notAfter), true, limit, suspects, grave, leaseMillis,
        claimant);
  }
}
