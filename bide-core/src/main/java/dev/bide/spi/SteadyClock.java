package dev.bide.spi;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The clock of a store that lives in one process: epoch milliseconds that run with the monotonic clock, never go back,
 * and drift to the wall clock in small steps.
 *
 * <p>A wall clock that lags or leads by up to {@value #NEAR_MILLIS} ms is approached at a tenth of real time. One that
 * leads by more has jumped, or this machine was suspended: it is followed at once when a second reading,
 * {@value #CONFIRM_MILLIS} ms later, agrees. One that lags by more is waited for at the same tenth. Both are reported
 * once. So a clock that is set forward by mistake for a moment makes nothing early, and one that is set back makes
 * things late at most. Thread-safe.
 */
public final class SteadyClock implements LongSupplier {
  private static final long NEAR_MILLIS = 1_000;
  private static final long CONFIRM_MILLIS = 2_000;
  private static final long SLEW = 10;
  private static final long NANOS = 1_000_000;

  private final LongSupplier wallMillis;
  private final LongSupplier monotonicNanos;
  private final Consumer<String> alarm;
  // All guarded by this.
  private long now;
  private long readNanos;
  private long restNanos;
  private long unslewedMillis;
  private long jumpMillis;
  private long jumpSeenNanos;
  private boolean jumping;
  private boolean lagReported;

  /**
   * A clock on these readings.
   *
   * @param wallMillis the wall clock, in epoch milliseconds
   * @param monotonicNanos the monotonic clock, in nanoseconds from any origin
   * @param alarm is told, in a sentence, when the wall clock has jumped; must not block
   */
  public SteadyClock(LongSupplier wallMillis, LongSupplier monotonicNanos, Consumer<String> alarm) {
    this.wallMillis = wallMillis;
    this.monotonicNanos = monotonicNanos;
    this.alarm = alarm;
    now = wallMillis.getAsLong();
    readNanos = monotonicNanos.getAsLong();
  }

  /** A clock on the readings of this machine. */
  public static SteadyClock ofThisMachine(Consumer<String> alarm) {
    return new SteadyClock(Host::wallMillis, Host::monotonicNanos, alarm);
  }

  /** Returns now in epoch milliseconds, rounded down; never less than it returned before. */
  @Override
  public synchronized long getAsLong() {
    long nanos = monotonicNanos.getAsLong();
    long elapsedNanos = nanos - readNanos + restNanos;
    long elapsed = elapsedNanos / NANOS;
    if (elapsed > 0) {
      readNanos = nanos;
      restNanos = elapsedNanos % NANOS;
      now += elapsed;
      approach(wallMillis.getAsLong() - now, elapsed, nanos);
    }
    return now;
  }

  /**
   * Raises the clock to {@code floor} if it is behind it, as when the records of a store were written by a clock ahead
   * of this one; returns now.
   */
  public synchronized long atLeast(long floor) {
    now = Math.max(getAsLong(), floor);
    return now;
  }

  private void approach(long lead, long elapsed, long nanos) {
    if (lead > NEAR_MILLIS) {
      lagReported = false;
      follow(lead, nanos);
      return;
    }
    jumping = false;
    if (lead < -NEAR_MILLIS && !lagReported) {
      lagReported = true;
      alarm.accept("the wall clock is " + -lead + " ms behind the time reached; time goes slower until they meet");
    } else if (lead >= -NEAR_MILLIS) {
      lagReported = false;
    }
    unslewedMillis += elapsed;
    long step = Math.min(unslewedMillis / SLEW, Math.abs(lead));
    // Time that was not needed is not saved up: it would let a later difference be approached faster.
    unslewedMillis = step == Math.abs(lead) ? 0 : unslewedMillis % SLEW;
    now += lead > 0 ? step : -step;
  }

  private void follow(long lead, long nanos) {
    boolean same = jumping && Math.abs(lead - jumpMillis) <= NEAR_MILLIS;
    if (!same) {
      jumping = true;
      jumpMillis = lead;
      jumpSeenNanos = nanos;
    } else if (nanos - jumpSeenNanos >= CONFIRM_MILLIS * NANOS) {
      jumping = false;
      now += lead;
      alarm.accept("the wall clock has jumped forward by " + lead + " ms, seen twice; it is followed");
    }
  }
}
