package dev.bide.spi;

import dev.bide.task.TaskState;

/**
 * A task that an exchange finished by itself, because its lease had run out: failed with its attempts used up, or
 * cancelled as asked for.
 *
 * @param id the id of the task
 * @param seq this life of the id
 * @param state {@link TaskState#FAILED} or {@link TaskState#CANCELLED}
 * @param attempt the number of its last attempt
 * @param lapses how often a lease on it ran out
 * @param outcome why it ended
 */
public record Ended(String id, long seq, TaskState state, int attempt, int lapses, String outcome) {}
