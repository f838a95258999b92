package dev.bide.bench.timers;

import dev.bide.timer.Timer;
import java.util.concurrent.TimeUnit;

/** Our thread-safe timer; its ticker runs the callbacks itself. */
final class Front implements Clockwork {
  private final Timer timer;
  private final long[] handles;

  Front(int slots) {
    timer = Timer.on(Runnable::run).limit(2 * slots).start();
    handles = new long[slots];
  }

  @Override
  public void schedule(int slot, long delayNanos, Callback callback) {
    handles[slot] = timer.schedule(delayNanos, TimeUnit.NANOSECONDS, callback);
  }

  @Override
  public void cancel(int slot) {
    timer.cancel(handles[slot]);
  }

  @Override
  public int slotBytes() {
    return Long.BYTES;
  }

  @Override
  public void close() {
    timer.close();
  }
}
