package dev.bide;

import dev.bide.task.Answer;
import dev.bide.task.TaskState;
import java.time.Instant;
import java.util.Optional;

/**
 * What came of changing a task.
 *
 * @param answer {@code DONE} ({@code CANCELLED} for a cancel), {@code ALREADY_CLAIMED}, {@code ALREADY_FINISHED} or
 * {@code NOT_FOUND}; for a move also {@code EXPIRED} or {@code PAST}, for a revival {@code NOT_FAILED}
 * @param found the state that was found, if the id was known
 * @param dueAt when the live task is due; empty if there is none
 */
public record Changed(Answer answer, Optional<TaskState> found, Optional<Instant> dueAt) {}
