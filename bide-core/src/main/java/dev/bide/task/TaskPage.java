package dev.bide.task;

import java.util.List;
import java.util.Optional;

/**
 * A page of a list.
 *
 * <p>Pages are not one picture: a task that changes its place between two of them may be shown twice or not at all. What
 * stays in its place is shown once, whatever is added or ends beside it.
 *
 * @param tasks the tasks, in the order of {@link TaskQuery}
 * @param next where the next page begins, to be handed back as it is, also after a restart; empty after the last page
 * @param searched how many tasks have been looked at since the first page, shown or not
 * @param of how many tasks the view held when the first page was read, whether they are among those asked for or not
 */
public record TaskPage(List<Task> tasks, Optional<String> next, long searched, Amount of) {

  /** Copies the list. */
  public TaskPage {
    tasks = List.copyOf(tasks);
  }
}
