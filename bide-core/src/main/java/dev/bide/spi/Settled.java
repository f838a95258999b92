package dev.bide.spi;

import dev.bide.task.Due;
import dev.bide.task.TaskState;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one {@link Settlement}.
 *
 * @param verdict whether it counts
 * @param state where the task stands after it; null when stale
 * @param nextAt when the task must be looked at next; {@link Due#NEVER} if not at all
 */
public record Settled(Verdict verdict, @Nullable TaskState state, long nextAt) {

  /** Whether a settlement counts. */
  public enum Verdict {
    /** It was applied now. */
    APPLIED,
    /** It had been applied before, by a call whose reply was lost. */
    REPEATED,
    /** The claim is not valid any more: it changed nothing. */
    STALE
  }
}
