package dev.bide.spi;

import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.OnExisting;
import dev.bide.task.PauseMode;
import dev.bide.task.Payload;
import dev.bide.task.Tag;
import dev.bide.task.TaskState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a caller wants of one task: to create it, or to change it. */
public sealed interface Write {

  /** Returns the queue of the task. */
  String queue();

  /** Returns the id of the task. */
  String id();

  /**
   * Creates a task.
   *
   * @param payload what it carries
   * @param due when it is due
   * @param onExisting what to do when the id is known
   * @param rule what the due time came from, kept as it is
   * @param zone the id of a zone to show its times in, kept as it is, also if this process does not know it
   * @param tags the marks by which it is found together with others
   */
  record Insert(String queue, String id, Payload payload, Due due, OnExisting onExisting, @Nullable String rule,
      @Nullable String zone, List<Tag> tags) implements Write {

    /** Checks that the due time does not count from one that is not there yet; puts the tags in order. */
    public Insert {
      tags = Tag.inOrder(tags);
      if (due.base() == Due.Base.FROM_DUE) {
        throw new IllegalArgumentException("queue=" + queue + " task=" + id + " is new: its due time counts from "
            + Due.Base.FROM_NOW + " or is an " + Due.Base.INSTANT + ", got " + due.base());
      }
    }

    /** An insert that keeps whatever is found under its id. */
    public Insert(String queue, String id, Payload payload, Due due) {
      this(queue, id, payload, due, OnExisting.KEEP, null, null, List.of());
    }

    /**
     * Decides by what was found under the id: {@link Answer#CREATED} and {@link Answer#REPLACED} ask for a new task,
     * every other answer is final.
     *
     * @param found the state of the live task, any run-out lease ended; else of the latest finished one; null if there
     * is none
     */
    public Answer answerTo(@Nullable TaskState found) {
      if (found == null) {
        return Answer.CREATED;
      }
      return switch (onExisting) {
        case KEEP -> Answer.KEPT;
        case FAIL -> Answer.EXISTS;
        case REUSE -> found.finished() ? Answer.CREATED : Answer.KEPT;
        case REPLACE -> found.finished()
            ? Answer.CREATED
            : found == TaskState.PROCESSING ? Answer.REFUSED : Answer.REPLACED;
      };
    }
  }

  /**
   * Ends a waiting or paused task; asks the handler of one in process to stop.
   *
   * @param by who cancels, for the outcome
   */
  record Cancel(String queue, String id, String by) implements Write {}

  /**
   * Gives a waiting or paused task a new due time. One that counts from the present due time
   * ({@link Due.Base#FROM_DUE}) extends the task: it keeps its buffer and its rule, and a retry in wait is never
   * brought forward.
   *
   * @param rule what the due time came from; replaces the old rule, also when null, unless the task is extended
   */
  record Move(String queue, String id, Due due, @Nullable String rule) implements Write {}

  /** Holds a waiting task back until it is resumed. */
  record Pause(String queue, String id, PauseMode mode) implements Write {}

  /** Lets a paused task wait again. */
  record Resume(String queue, String id) implements Write {}

  /** Begins a new life of a failed task, due at once, with all its attempts before it. */
  record Revive(String queue, String id) implements Write {}
}
