package dev.bide.task;

import java.time.Instant;
import java.util.Optional;

/**
 * One finished attempt to run a task.
 *
 * @param number 1 for the first attempt; a released claim gives its number back
 * @param node the node that held the claim
 * @param start when it was claimed, by the store's clock
 * @param end when it was settled, by the store's clock, or when its lease ran out
 * @param outcome how it ended: {@code done}, {@code skipped: …}, {@code retry}, {@code failed}, {@code lease lost}
 * @param error why it failed, if it did
 */
public record Attempt(int number, String node, Instant start, Instant end, String outcome, Optional<String> error) {}
