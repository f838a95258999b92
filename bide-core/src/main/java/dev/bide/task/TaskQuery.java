package dev.bide.task;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which tasks of a queue to list, and in which order. Immutable.
 *
 * <p>What is listed stands in the order of the index that finds it:
 * <ul>
 * <li>with a tag, live tasks as they were scheduled;
 * <li>else with an id prefix, by id, compared byte by byte in UTF-8, and of one id the latest life first;
 * <li>else live tasks by the moment anyone must look at them next, equal ones as they were scheduled, paused ones last;
 * <li>finished tasks without an id prefix, or with a tag: by their end, the latest first.
 * </ul>
 * Whatever else is asked for picks among these, so a page may be short, or empty, though more pages follow.
 *
 * <pre>{@code
 * TaskQuery.of(TaskView.FAILED).tag(new Tag("customer", "42")).text("express")
 * }</pre>
 *
 * @param view which tasks
 * @param from only those whose moment is not before this: for live tasks when anyone must look at them next, which a
 * paused task has not; for finished ones when they ended
 * @param until only those whose moment is before this
 * @param idPrefix only those whose id begins so; empty for all
 * @param tag only those with this tag; null for all
 * @param text only those whose payload holds the bytes of this text in UTF-8; empty for all
 */
public record TaskQuery(TaskView view, Instant from, Instant until, String idPrefix, @Nullable Tag tag, String text) {

  /** Checks that nothing but the tag is null. */
  public TaskQuery {
    requireNonNull(view, "view");
    requireNonNull(from, "from");
    requireNonNull(until, "until");
    requireNonNull(idPrefix, "idPrefix");
    requireNonNull(text, "text");
  }

  /** The index that finds what is asked for. */
  public enum Order {
    /** By the next moment, or by the end. */
    MOMENT,
    /** By id. */
    ID,
    /** Those with a tag. */
    TAG
  }

  /** All tasks of a view. */
  public static TaskQuery of(TaskView view) {
    return new TaskQuery(view, Instant.MIN, Instant.MAX, "", null, "");
  }

  /** The same, only of tasks whose moment is not before {@code from}, and before {@code until}. */
  public TaskQuery between(Instant from, Instant until) {
    return new TaskQuery(view, from, until, idPrefix, tag, text);
  }

  /** The same, only of tasks whose id begins with {@code prefix}. */
  public TaskQuery idPrefix(String prefix) {
    return new TaskQuery(view, from, until, prefix, tag, text);
  }

  /** The same, only of tasks with this tag. */
  public TaskQuery tag(Tag tag) {
    return new TaskQuery(view, from, until, idPrefix, requireNonNull(tag, "tag"), text);
  }

  /** The same, only of tasks whose payload holds {@code text}. */
  public TaskQuery text(String text) {
    return new TaskQuery(view, from, until, idPrefix, tag, text);
  }

  /** Returns the index that finds what is asked for. */
  public Order order() {
    return tag != null ? Order.TAG : idPrefix.isEmpty() ? Order.MOMENT : Order.ID;
  }

  /** Returns whether {@code task} is one of those asked for. */
  public boolean matches(Task task) {
    return view.shows(task) && inRange(task) && task.id().startsWith(idPrefix)
        && (tag == null || task.tags().contains(tag)) && (text.isEmpty() || task.payload().contains(text));
  }

  private boolean inRange(Task task) {
    if (from.equals(Instant.MIN) && until.equals(Instant.MAX)) {
      return true;
    }
    Instant moment = task.state().finished() ? task.updatedAt() : task.nextAt().orElse(Instant.MAX);
    return !moment.isBefore(from) && moment.isBefore(until);
  }
}
