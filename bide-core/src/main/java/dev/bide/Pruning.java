package dev.bide;

import static dev.bide.TaskEvent.Kind.STORE_FAILED;

import dev.bide.spi.Reply;
import dev.bide.spi.TaskStore;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Has the store drop what a queue keeps longer than its retention: a little every minute, more often while much is
 * left. The engine's thread only.
 */
final class Pruning implements Duty {
  private static final int LIMIT = 1_000;
  private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();
  private static final long SHORT_PAUSE_NANOS = Duration.ofMillis(50).toNanos();

  private final Node node;
  private final String queue;
  private boolean underWay;
  private long nextAt;

  Pruning(Node node, String queue) {
    this.node = node;
    this.queue = queue;
  }

  @Override
  public long turn(long now, Consumer<StoreRequest<?>> out) {
    if (underWay) {
      return NEVER;
    }
    if (now >= nextAt) {
      underWay = true;
      out.accept(new Prune());
      return NEVER;
    }
    return nextAt;
  }

  private final class Prune implements StoreRequest<Reply<Integer>> {
    @Override
    public Reply<Integer> perform(TaskStore store) {
      return store.prune(queue, LIMIT);
    }

    @Override
    public void answered(Reply<Integer> reply, long now) {
      underWay = false;
      nextAt = now + (reply.value() < LIMIT ? PAUSE_NANOS : SHORT_PAUSE_NANOS);
    }

    @Override
    public void failed(RuntimeException failure, long now) {
      underWay = false;
      nextAt = now + PAUSE_NANOS;
      node.events().queue(STORE_FAILED, queue, Texts.of(failure), failure);
    }
  }
}
