package dev.bide.spi;

/**
 * A claim whose lease its owner wants prolonged.
 *
 * @param queue the queue of the task
 * @param seq the life that is held
 * @param token the fencing token of the claim
 */
public record Held(String queue, long seq, long token) {}
