package dev.bide.bench.timers;

import dev.bide.timer.TimerQueue;

/** One of our timer queues, whose time is that of the last turn. */
final class Engine implements Clockwork {
  private final TimerQueue queue;
  private final long[] handles;
  private final long start = System.nanoTime();
  private long now;

  Engine(TimerQueue queue, int slots) {
    this.queue = queue;
    handles = new long[slots];
  }

  @Override
  public void schedule(int slot, long delayNanos, Callback callback) {
    handles[slot] = queue.schedule(now + delayNanos, slot);
  }

  @Override
  public void cancel(int slot) {
    queue.cancel(handles[slot]);
  }

  @Override
  public void turn() {
    now = System.nanoTime() - start;
    queue.drain(now, Integer.MAX_VALUE, (handle, deadline, cookie) -> {});
  }

  @Override
  public int slotBytes() {
    return Long.BYTES;
  }

  @Override
  public void close() {}
}
