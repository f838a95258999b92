package dev.bide.timer;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes what is due out of the stripes, by deadline over all of them. Not thread-safe: it is the ticker's.
 *
 * <p>Each stripe is drained into a short buffer, which is filled again when it runs empty; so the first of the buffers is
 * always the first of all that was due when they were filled.
 */
final class Merge {
  /** How many are taken out of a stripe before it is their turn. */
  private static final int AHEAD = 128;

  private final Buffer[] buffers;
  private final int limit;

  Merge(List<Stripe> stripes, int limit) {
    buffers = stripes.stream().map(Buffer::new).toArray(Buffer[]::new);
    this.limit = limit;
  }

  /** Returns the next callbacks that are due, in their order; none if there are none. */
  Runnable[] next(long now) {
    Runnable[] due = new Runnable[limit];
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
        due[count] = first.poll();
        count++;
        first.fill(now);
      } while (count < limit && !first.empty() && first.deadline() <= until);
    }
    return count == limit ? due : Arrays.copyOf(due, count);
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

  private static final class Buffer implements ObjectTimers.Sink<Runnable> {
    private final Stripe stripe;
    private final long[] deadlines = new long[AHEAD];
    private final @Nullable Runnable[] callbacks = new Runnable[AHEAD];
    private int at;
    private int end;

    Buffer(Stripe stripe) {
      this.stripe = stripe;
    }

    void fill(long now) {
      if (empty() && stripe.next() <= now) {
        at = 0;
        end = 0;
        stripe.drain(now, AHEAD, this);
      }
    }

    @Override
    public void accept(long deadline, Runnable callback) {
      deadlines[end] = deadline;
      callbacks[end] = callback;
      end++;
    }

    boolean empty() {
      return at == end;
    }

    long deadline() {
      return deadlines[at];
    }

    Runnable poll() {
      Runnable callback = callbacks[at];
      callbacks[at] = null;
      at++;
      return callback;
    }
  }
}
