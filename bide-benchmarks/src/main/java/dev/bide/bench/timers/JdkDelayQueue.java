package dev.bide.bench.timers;

import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The JDK's queue of elements with a delay, and nobody who takes them. */
final class JdkDelayQueue implements Clockwork {
  private final DelayQueue<Element> queue = new DelayQueue<>();
  private final @Nullable Element[] elements;

  JdkDelayQueue(int slots) {
    elements = new Element[slots];
  }

  record Element(long deadline, Callback callback) implements Delayed {
    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.signum(deadline - ((Element) other).deadline);
    }

    // It is looked for by equals, which should cost no more than it has to.
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  @Override
  public void schedule(int slot, long delayNanos, Callback callback) {
    Element element = new Element(System.nanoTime() + delayNanos, callback);
    elements[slot] = element;
    queue.add(element);
  }

  @Override
  public void cancel(int slot) {
    queue.remove(elements[slot]);
  }

  @Override
  public void close() {
    queue.clear();
  }
}
