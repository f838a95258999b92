package dev.bide.examples.timers;

import dev.bide.timer.IndexedHeap;
import dev.bide.timer.ObjectTimers;
import java.util.HashMap;
import java.util.Map;

/**
 * Lets each client make so many calls within any stretch of time of a given length: a call counts until a timer ends
 * it. A client that makes none costs nothing. Not thread-safe; it is told the time, in milliseconds that never go back.
 */
final class RateLimit {
  private final int limit;
  private final long windowMillis;
  private final ObjectTimers<String> calls = new ObjectTimers<>(new IndexedHeap());
  private final Map<String, Integer> counts = new HashMap<>();

  /** Allows {@code limit} calls in any {@code windowMillis}. */
  RateLimit(int limit, long windowMillis) {
    this.limit = limit;
    this.windowMillis = windowMillis;
  }

  /** Returns whether a client may make a call now, which counts then. */
  boolean allow(String client, long now) {
    forget(now);
    boolean allowed = counts.getOrDefault(client, 0) < limit;
    if (allowed) {
      counts.merge(client, 1, Integer::sum);
      calls.schedule(now + windowMillis, client);
    }
    return allowed;
  }

  /** Returns how many clients have made a call lately. */
  int clients(long now) {
    forget(now);
    return counts.size();
  }

  private void forget(long now) {
    calls.drain(now, Integer.MAX_VALUE,
        (deadline, client) -> counts.computeIfPresent(client, (name, count) -> count == 1 ? null : count - 1));
  }
}
