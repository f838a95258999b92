package dev.bide.task;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

/**
 * A task as it stood at one moment: a picture, not a handle.
 *
 * <p>Immutable. All instants are by the store's clock, in whole milliseconds.
 *
 * @param queue the queue it belongs to
 * @param id the name the caller gave it, or the generated one
 * @param seq the number of this life of the id, given by the store and never used again
 * @param state the stored state
 * @param payload what it carries
 * @param seenAt the store's now when this picture was taken
 * @param createdAt when the store accepted it
 * @param dueAt when it was promised to run
 * @param readyAt when it may run, buffer, precision and retry delay included
 * @param nextAt when anyone must look at it again: when it may run, or the end of its lease; empty while paused or
 * finished
 * @param updatedAt when it last changed
 * @param stoppedAt for a task that is paused and keeps what was left to wait, when that stopped counting
 * @param attempt the number of the attempt running or last run; 0 before the first
 * @param claims how often it was claimed, released claims included
 * @param lapses how often a lease on it ran out
 * @param node the node that holds it now, if one does
 * @param cancelRequested whether a cancel came while it was in process
 * @param attempts the attempts that have ended, oldest first, at most the latest {@value #KEPT_ATTEMPTS}
 * @param outcome how it ended: {@code done}, {@code skipped: …}, {@code failed: …}, {@code cancelled by …},
 * {@code expired}; empty while live
 * @param rule what its due time was computed from, as text, if that was more than a duration or an instant
 * @param zone a zone to show its times in, if this JVM knows it; never used for the due time
 * @param tags the marks by which it is found together with others, in order
 */
public record Task(String queue, String id, long seq, TaskState state, Payload payload, Instant seenAt,
    Instant createdAt, Instant dueAt, Instant readyAt, Optional<Instant> nextAt, Instant updatedAt,
    Optional<Instant> stoppedAt, int attempt,
    int claims, int lapses, Optional<String> node, boolean cancelRequested, List<Attempt> attempts,
    Optional<String> outcome, Optional<String> rule, Optional<ZoneId> zone, List<Tag> tags) {

  /** How many ended attempts are kept with a task. */
  public static final int KEPT_ATTEMPTS = 32;

  /** Copies the lists. */
  public Task {
    attempts = List.copyOf(attempts);
    tags = List.copyOf(tags);
  }

  /** Returns whether it waits and its time has come. */
  public boolean ready() {
    return state == TaskState.WAITING && reached();
  }

  /** Returns whether it waits for another attempt. */
  public boolean retry() {
    return state == TaskState.WAITING && attempt > 0;
  }

  /** Returns whether its lease has run out and nobody has ended that lease yet. */
  public boolean lapsed() {
    return state == TaskState.PROCESSING && reached();
  }

  /**
   * Returns what was left until {@link #readyAt} when this picture was taken; zero if that had come, or if the task has
   * ended.
   */
  public Duration remaining() {
    Duration left = Duration.between(stoppedAt.orElse(seenAt), readyAt);
    return left.isNegative() || state.finished() ? Duration.ZERO : left;
  }

  private boolean reached() {
    return nextAt.isPresent() && !nextAt.get().isAfter(seenAt);
  }
}
