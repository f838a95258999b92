package dev.bide.bench.timers;

import static dev.bide.bench.timers.Comparison.NANOS;

import dev.bide.timer.TimerQueue;
import java.time.Duration;
import java.util.Map;

/**
 * What it costs to hand out what is due, beside much that is not yet: virtual time goes on until a tenth has left, by
 * 67 ms a step.
 */
final class Drained {
  private static final int WARM_UPS = 3;
  private static final int WARM_UP_TIMERS = 100_000;
  private static final long STEP_NANOS = 1L << 26;

  private Drained() {}

  static Map<String, Double> play(Library library, int timers, Duration time) {
    for (int i = 0; i < WARM_UPS; i++) {
      once(library, Math.min(timers, WARM_UP_TIMERS));
    }
    return Map.of(NANOS, once(library, timers));
  }

  private static double once(Library library, int timers) {
    TimerQueue queue = library.queue();
    Delays delays = new Delays();
    for (int timer = 0; timer < timers; timer++) {
      queue.schedule(delays.next(), timer);
    }
    int drained = 0;
    long begun = System.nanoTime();
    for (long now = Delays.LEAST_NANOS; drained < timers / 10; now += STEP_NANOS) {
      drained += queue.drain(now, Integer.MAX_VALUE, (handle, deadline, cookie) -> {});
    }
    return (double) (System.nanoTime() - begun) / drained;
  }
}
