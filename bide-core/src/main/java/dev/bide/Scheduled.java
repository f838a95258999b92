package dev.bide;

import dev.bide.task.Answer;
import dev.bide.task.TaskState;
import java.time.Instant;
import java.util.Optional;

/**
 * What came of scheduling a task.
 *
 * @param id its id, the caller's or the generated one
 * @param answer {@code CREATED}, {@code KEPT}, {@code REPLACED}, {@code EXISTS}, {@code REFUSED}, {@code EXPIRED} or
 * {@code PAST}
 * @param found the state of the task that was known under the id, if there was one
 * @param dueAt when the task that now stands under the id is due; empty if there is none
 */
public record Scheduled(String id, Answer answer, Optional<TaskState> found, Optional<Instant> dueAt) {}
