package dev.bide.spi;

import dev.bide.task.Due;
import dev.bide.task.Tag;
import dev.bide.task.TaskQuery;
import dev.bide.task.TaskQuery.Order;
import dev.bide.task.TaskView;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list: what follows a place in its order. The order is, by {@link #order} and view:
 * <ul>
 * <li>{@link Order#MOMENT}, live: (nextAt, seq) ascending; a paused task has {@link Due#NEVER}
 * <li>{@link Order#MOMENT} and {@link Order#TAG}, finished: (end, seq) descending
 * <li>{@link Order#ID}: id ascending by its UTF-8 bytes, then seq descending
 * <li>{@link Order#TAG}, live: seq ascending
 * </ul>
 *
 * @param view which tasks
 * @param order the index to use
 * @param idPrefix only ids that begin so; a store need not look at it in other orders than {@link Order#ID}
 * @param tag only tasks with this tag; null in other orders than {@link Order#TAG}
 * @param from for {@link Order#MOMENT}, and for finished tasks with a tag: no smaller moments
 * @param until for {@link Order#MOMENT}, and for finished tasks with a tag: only smaller moments, where
 * {@link Due#NEVER} means any, paused ones as well
 * @param after only what stands behind this place
 */
public record Scan(TaskView view, Order order, String idPrefix, @Nullable Tag tag, long from, long until,
    Place after) {

  /**
   * A place in the order. What the order does not look at is zero or empty.
   *
   * @param moment when anyone must look at the task next, or when it ended
   * @param seq its seq
   * @param id its id
   */
  public record Place(long moment, long seq, String id) {}

  /** The first part of the list that {@code query} asks for at {@code now}. */
  static Scan of(TaskQuery query, long now) {
    long from = Math.max(0, millis(query.from()));
    long until = millis(query.until());
    if (query.view() == TaskView.READY || query.view() == TaskView.LAPSED) {
      until = Math.min(until, now + 1);
    }
    Place start = switch (query.order()) {
      case ID -> new Place(0, Long.MAX_VALUE, query.idPrefix());
      case MOMENT, TAG -> query.view().finished()
          ? new Place(until, 0, "")
          : new Place(query.order() == Order.TAG ? 0 : from, 0, "");
    };
    return new Scan(query.view(), query.order(), query.idPrefix(), query.tag(), from, until, start);
  }

  /** Rounded up, so that a whole millisecond is before it if and only if it is before {@code moment}. */
  private static long millis(Instant moment) {
    if (moment.compareTo(Instant.EPOCH) <= 0) {
      return 0;
    }
    if (moment.getEpochSecond() >= Due.NEVER / 1000) {
      return Due.NEVER;
    }
    return moment.getEpochSecond() * 1000 + (moment.getNano() + 999_999) / 1_000_000;
  }

  /** Returns the part behind {@code place}. */
  Scan after(Place place) {
    return new Scan(view, order, idPrefix, tag, from, until, place);
  }

  /** Returns the place of a task in this order. */
  public Place place(StoredTask task) {
    return switch (order) {
      case MOMENT -> new Place(task.moment(), task.seq, "");
      case ID -> new Place(0, task.seq, task.id);
      case TAG -> new Place(view.finished() ? task.moment() : 0, task.seq, "");
    };
  }

  /** Returns whether it shows paused tasks, which have no moment. */
  public boolean paused() {
    return view == TaskView.PAUSED || view == TaskView.LIVE && until == Due.NEVER;
  }
}
