package dev.bide;

/**
 * Does the work of the tasks of one queue. Called by several threads at once, and at least once for each task: what it
 * does must bear repetition.
 *
 * @param <P> the type of the payloads
 */
@FunctionalInterface
public interface Handler<P> {

  /**
   * Handles one task whose time has come.
   *
   * @param claim the task, held until this method returns
   * @return how it ended
   * @throws Exception to let the attempt fail; the queue's {@link Retry} decides when the next one follows
   */
  Outcome handle(Claim<P> claim) throws Exception;
}
