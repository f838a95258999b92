package dev.bide.bench.timers;

import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A ticker that sleeps a fixed time after each tick, beside one that sleeps until the next tick is due. */
final class Drift {
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private Drift() {}

  private interface Ticker {
    /** Returns how long to sleep when {@code ticks} have passed. */
    long sleepNanos(long begun, long ticks);
  }

  static void measure(Run run, Sizes sizes) throws Exception {
    run.doing("drift of tickers");
    long ticks = sizes.drift().toNanos() / TICK_NANOS;
    double fixed = millisBehind(ticks, (begun, passed) -> TICK_NANOS);
    double absolute = millisBehind(ticks, (begun, passed) -> begun + (passed + 1) * TICK_NANOS - System.nanoTime());
    run.print(new Table("a ticker of " + Duration.ofNanos(TICK_NANOS).toMillis() + " ms after " + ticks + " ticks, "
        + sizes.drift().toSeconds() + " s", "sleeps", "ms behind")
        .row("a fixed time", Table.number(fixed)).row("until the next tick", Table.number(absolute)));
  }

  private static double millisBehind(long ticks, Ticker ticker) throws InterruptedException {
    long begun = System.nanoTime();
    for (long passed = 0; passed < ticks; passed++) {
      TimeUnit.NANOSECONDS.sleep(ticker.sleepNanos(begun, passed));
    }
    return (System.nanoTime() - begun - ticks * TICK_NANOS) / 1e6;
  }
}
