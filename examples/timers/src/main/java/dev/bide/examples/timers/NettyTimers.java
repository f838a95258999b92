package dev.bide.examples.timers;

import dev.bide.timer.LoopTimer;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Timers on an event loop of Netty: the loop gets one task for all that are due in one millisecond, and holds one
 * scheduled task however many timers there are.
 */
final class NettyTimers {
  private static final int CALLBACKS = 1_000;

  private final ScheduledExecutorService loop;
  private final LoopTimer timer = new LoopTimer(this::look);
  // The loop's.
  private @Nullable Future<?> alarm;

  /** Timers whose callbacks are called by {@code loop}, an event loop of Netty. */
  NettyTimers(ScheduledExecutorService loop) {
    this.loop = loop;
    look();
  }

  /** Schedule, cancel and move here, in any thread. */
  LoopTimer timer() {
    return timer;
  }

  private void look() {
    loop.execute(this::turn);
  }

  private void turn() {
    if (alarm != null) {
      alarm.cancel(false);
      alarm = null;
    }
    timer.runDue(CALLBACKS);
    long millis = timer.millisToNext();
    if (millis == 0) {
      // Behind what the loop has to read and write meanwhile.
      look();
    } else if (millis != Long.MAX_VALUE) {
      alarm = loop.schedule(this::turn, millis, TimeUnit.MILLISECONDS);
    }
  }
}
