package dev.bide;

import dev.bide.task.Task;
import java.time.Instant;
import java.util.List;

/**
 * How a queue and the business differ.
 *
 * @param at the store's now when the comparison began; a task scheduled since is in no list, unless it has ended since
 * too: then it may be among those finished
 * @param missing ids that the business has open and the queue does not know, or has forgotten after its retention
 * @param finished tasks that the business has open and that have ended, each with its outcome
 * @param unexpected ids of live tasks that the business does not have open
 */
public record Reconciliation(Instant at, List<String> missing, List<Task> finished, List<String> unexpected) {

  /** Copies the lists. */
  public Reconciliation {
    missing = List.copyOf(missing);
    finished = List.copyOf(finished);
    unexpected = List.copyOf(unexpected);
  }

  /** Returns whether they agree. */
  public boolean agrees() {
    return missing.isEmpty() && finished.isEmpty() && unexpected.isEmpty();
  }
}
