package dev.bide.task;

import java.time.Instant;

/**
 * How many tasks of a queue stand where.
 *
 * @param queue the queue
 * @param at the store's now when they were counted
 * @param waiting waiting, those of {@code ready} and {@code retry} among them
 * @param ready waiting, and their time has come
 * @param retry waiting for another attempt; some may be ready too
 * @param processing in process, the lapsed ones among them
 * @param lapsed in process, and their lease has run out
 * @param paused held back
 * @param completed ended well, and still kept
 * @param failed dead letters, as long as they are kept
 * @param cancelled cancelled, replaced or expired, and still kept
 */
public record TaskCounts(String queue, Instant at, long waiting, Amount ready, long retry, long processing,
    Amount lapsed, long paused, long completed, long failed, long cancelled) {}
