package dev.bide.timer;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Takes what is due out of the stripes, by deadline over all of them. Not thread-safe: it is the ticker's.
 *
 * <p>Each stripe is drained into a short buffer, which is filled again when it runs empty; so the first of the buffers is
 * always the first of all that was due when they were filled.
 */
final class Merge {
  /** How many are taken out of a stripe before it is their turn: at first, and at most. */
  private static final int FEWEST_AHEAD = 8;
  private static final int MOST_AHEAD = 128;

  private final Buffer[] buffers;
  private final int limit;

  Merge(List<Stripe> stripes, int limit) {
    buffers = stripes.stream().map(Buffer::new).toArray(Buffer[]::new);
    this.limit = limit;
  }

  /**
   * Returns the next callbacks that are due, in their order; none if there are none. A future comes alone: others may
   * wait for it, also those who are due with it, and so it needs a thread of its own.
   */
  Runnable[] next(long now) {
    // Often one is due, seldom many; so it grows, and what is thrown away is little.
    Runnable[] due = new Runnable[Math.min(limit, FEWEST_AHEAD)];
    int count = 0;
    for (Buffer buffer : buffers) {
      buffer.fill(now);
    }
    while (count < limit) {
      Buffer first = first(null);
      if (first == null) {
        break;
      }
      Buffer second = first(first);
      long until = second == null ? Long.MAX_VALUE : second.deadline();
      do {
        boolean future = first.future();
        if (future && count > 0) {
          return Arrays.copyOf(due, count);
        }
        if (count == due.length) {
          due = Arrays.copyOf(due, Math.min(limit, 4 * count));
        }
        due[count] = first.poll();
        count++;
        if (future) {
          return Arrays.copyOf(due, count);
        }
        first.fill(now);
      } while (count < limit && !first.empty() && first.deadline() <= until);
    }
    return count == due.length ? due : Arrays.copyOf(due, count);
  }

  private @Nullable Buffer first(@Nullable Buffer except) {
    Buffer first = null;
    for (Buffer buffer : buffers) {
      if (buffer != except && !buffer.empty() && (first == null || buffer.deadline() < first.deadline())) {
        first = buffer;
      }
    }
    return first;
  }

  private static final class Buffer {
    private final Stripe stripe;
    private final long[] deadlines = new long[MOST_AHEAD];
    // New each time, since a collector has more work with young references in an old array.
    private @Nullable Runnable[] callbacks = new Runnable[0];
    private int at;
    private int end;

    Buffer(Stripe stripe) {
      this.stripe = stripe;
    }

    void fill(long now) {
      if (empty() && stripe.next() <= now) {
        boolean full = end > 0 && end == callbacks.length;
        callbacks = new Runnable[full ? Math.min(4 * end, MOST_AHEAD) : FEWEST_AHEAD];
        at = 0;
        end = stripe.drain(now, deadlines, callbacks);
      }
    }

    boolean empty() {
      return at == end;
    }

    long deadline() {
      return deadlines[at];
    }

    boolean future() {
      return callbacks[at] instanceof Future<?>;
    }

    Runnable poll() {
      Runnable callback = callbacks[at];
      callbacks[at] = null;
      at++;
      return callback;
    }
  }
}
