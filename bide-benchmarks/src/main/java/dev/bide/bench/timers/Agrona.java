package dev.bide.bench.timers;

import java.util.concurrent.TimeUnit;
import org.agrona.DeadlineTimerWheel;

/**
 * Agrona's wheel, with ticks of about a millisecond, which have to be a power of 2, and so many spokes, with so much
 * room, that it seldom has to look for a place, nor to grow. Its time is that of the last turn; it keeps nothing but
 * the deadline.
 */
final class Agrona implements Clockwork {
  private static final long TICK_NANOS = 1 << 20;
  private static final int FEWEST_SPOKES = 1 << 10;
  private static final int ROOM = 16;

  private final DeadlineTimerWheel wheel;
  private final long[] ids;
  private long now;

  Agrona(int slots) {
    int spokes = Math.max(FEWEST_SPOKES, Integer.highestOneBit(Math.max(1, slots / 4 - 1)) * 2);
    now = System.nanoTime();
    wheel = new DeadlineTimerWheel(TimeUnit.NANOSECONDS, now, TICK_NANOS, spokes, ROOM);
    ids = new long[slots];
  }

  @Override
  public void schedule(int slot, long delayNanos, Callback callback) {
    ids[slot] = wheel.scheduleTimer(now + delayNanos);
  }

  @Override
  public void cancel(int slot) {
    wheel.cancelTimer(ids[slot]);
  }

  /** A poll goes on by one tick. */
  @Override
  public void turn() {
    now = System.nanoTime();
    do {
      wheel.poll(now, (unit, time, id) -> true, Integer.MAX_VALUE);
    } while (wheel.currentTickTime() <= now);
  }

  @Override
  public int slotBytes() {
    return Long.BYTES;
  }

  @Override
  public void close() {}
}
