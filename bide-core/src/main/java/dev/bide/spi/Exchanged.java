package dev.bide.spi;

import dev.bide.task.Due;
import java.util.List;

/**
 * The reply to an exchange.
 *
 * @param now the store's now at which it was decided, in epoch milliseconds
 * @param settled the answers to the settlements, in their order
 * @param claims what was handed out, suspects first, the rest in the order of (nextAt, seq) within each shard
 * @param ended tasks that the exchange finished by itself
 * @param next the earliest moment at which another task must be looked at, suspects that were skipped left out;
 * {@link Due#NEVER} if there is none; {@code now} if {@code more}, if nothing was looked at, or if a task settled in
 * this exchange is due again at once
 * @param more whether a limit was hit, so that more may be due
 * @param suspectsLeft whether a suspect is due that the request did not allow
 * @param late whether the request came after its sender had given up or had sent a later one, or was sent again and
 * nothing is left of what it claimed first: it claimed nothing now
 */
public record Exchanged(long now, List<Settled> settled, List<Claimed> claims, List<Ended> ended, long next,
    boolean more, boolean suspectsLeft, boolean late) {

  /** Copies the lists. */
  public Exchanged {
    settled = List.copyOf(settled);
    claims = List.copyOf(claims);
    ended = List.copyOf(ended);
  }
}
