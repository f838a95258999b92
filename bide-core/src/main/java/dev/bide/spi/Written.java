package dev.bide.spi;

import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.TaskState;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one {@link Write}.
 *
 * @param answer what was done
 * @param found the state that was found: of the live task, else of the latest finished one; null if the id was unknown
 * @param seq the life the answer speaks of; 0 if there is none
 * @param dueAt its due time now, in epoch milliseconds; {@link Due#NEVER} if there is no such task
 * @param nextAt when it must be looked at next; {@link Due#NEVER} if not at all
 */
public record Written(Answer answer, @Nullable TaskState found, long seq, long dueAt, long nextAt) {}
