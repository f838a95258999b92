package dev.bide.tck;

import dev.bide.spi.Reply;
import dev.bide.spi.Write;
import dev.bide.task.Amount;
import dev.bide.task.Load;
import dev.bide.task.Task;
import dev.bide.task.TaskCounts;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import dev.bide.task.TaskState;
import dev.bide.task.TaskView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** What a store can get wrong of lists, counts and forecasts. */
final class SightMistakes {
  private SightMistakes() {}

  /** Gets a page wrong. */
  interface Page {
    TaskPage of(TaskQuery query, String cursor, TaskPage right);
  }

  static Wrong list(Page mistake) {
    return new Wrong() {
      @Override
      public Reply<TaskPage> list(String queue, TaskQuery query, int limit, String cursor) {
        Reply<TaskPage> reply = right().list(queue, query, limit, cursor);
        return Reply.of(reply.now(), mistake.of(query, cursor, reply.value()));
      }
    };
  }

  static Wrong counts(UnaryOperator<TaskCounts> mistake) {
    return new Wrong() {
      @Override
      public Reply<List<TaskCounts>> counts(List<String> queues) {
        Reply<List<TaskCounts>> reply = right().counts(queues);
        return Reply.of(reply.now(), reply.value().stream().map(mistake).toList());
      }
    };
  }

  static TaskPage pageOf(TaskPage page, List<Task> tasks) {
    return new TaskPage(tasks, page.next(), page.searched(), page.of());
  }

  static List<Task> reversed(List<Task> tasks) {
    List<Task> reversed = new ArrayList<>(tasks);
    Collections.reverse(reversed);
    return reversed;
  }

  static Write withoutTags(Write write) {
    return write instanceof Write.Insert insert
        ? new Write.Insert(insert.queue(), insert.id(), insert.payload(), insert.due(), insert.onExisting(),
            insert.rule(), insert.zone(), List.of())
        : write;
  }

  static TaskCounts lapsedAsWaiting(TaskCounts right) {
    return new TaskCounts(right.queue(), right.at(), right.waiting() + right.lapsed().count(), right.ready(),
        right.retry(), right.processing(), right.lapsed(), right.paused(), right.completed(), right.failed(),
        right.cancelled());
  }

  static TaskCounts readyTooLate(TaskCounts right) {
    return new TaskCounts(right.queue(), right.at(), right.waiting(), Amount.exactly(0), right.retry(),
        right.processing(), right.lapsed(), right.paused(), right.completed(), right.failed(), right.cancelled());
  }

  /** Begins anew where it does not know the cursor. */
  static final class TakesAnyCursor extends Wrong {
    @Override
    public Reply<TaskPage> list(String queue, TaskQuery query, int limit, String cursor) {
      try {
        return right().list(queue, query, limit, cursor);
      } catch (IllegalArgumentException e) {
        return right().list(queue, query, limit, "");
      }
    }
  }

  /** Lists what lies at the end of a range. */
  static final class IncludesTheEnd extends Wrong {
    @Override
    public Reply<TaskPage> list(String queue, TaskQuery query, int limit, String cursor) {
      return right().list(queue, query.between(query.from(), query.until().plusMillis(1)), limit, cursor);
    }
  }

  /** Shows every failed life among the dead letters. */
  static final class ShowsRevived extends Wrong {
    @Override
    public Reply<TaskPage> list(String queue, TaskQuery query, int limit, String cursor) {
      Reply<TaskPage> reply = right().list(queue, query, limit, cursor);
      if (query.view() != TaskView.FAILED) {
        return reply;
      }
      Stream<Task> ended = right().list(queue, TaskQuery.of(TaskView.FINISHED), limit, "").value().tasks().stream();
      return Reply.of(reply.now(),
          pageOf(reply.value(), ended.filter(task -> task.state() == TaskState.FAILED).toList()));
    }
  }

  /** Sorts as Java does. */
  static final class SortsByCharacters extends Wrong {
    @Override
    public Reply<List<String>> ids(String queue, String after, int limit) {
      Reply<List<String>> reply = right().ids(queue, "", 1_000);
      return Reply.of(reply.now(),
          reply.value().stream().sorted().filter(id -> id.compareTo(after) > 0).limit(limit).toList());
    }
  }

  /** Counts from the end of each bucket. */
  static final class ForecastsLate extends Wrong {
    @Override
    public Reply<Load> load(String queue, long from, long widthMillis, int buckets) {
      return right().load(queue, from + widthMillis, widthMillis, buckets);
    }
  }
}
