package dev.bide;

import static dev.bide.delay.When.millisUp;

import java.time.Duration;
import java.util.function.IntFunction;

/**
 * How often a task is tried, and how long it waits before the next attempt. Immutable.
 *
 * <p>The delay counts from the moment the store learns of the failure. Jitter is applied last, evenly within ± its share,
 * so that tasks that failed together do not come back together.
 *
 * <pre>{@code
 * Retry.exponential(Duration.ofSeconds(1), Duration.ofMinutes(10)).attempts(8)   // the default, with ± 20 % jitter
 * Retry.fixed(Duration.ofSeconds(5)).attempts(3)
 * Retry.by(attempt -> Duration.ofMillis(50L * attempt * attempt))
 * }</pre>
 */
public final class Retry {
  private static final int ATTEMPTS = 8;

  private final IntFunction<Duration> backoff;
  private final int attempts;
  private final double jitter;

  private Retry(IntFunction<Duration> backoff, int attempts, double jitter) {
    this.backoff = backoff;
    this.attempts = attempts;
    this.jitter = jitter;
  }

  /** Always the same delay; 8 attempts, no jitter. */
  public static Retry fixed(Duration delay) {
    requireNotNegative(delay);
    return new Retry(attempt -> delay, ATTEMPTS, 0);
  }

  /** Doubles the delay from {@code first} with each attempt, up to {@code cap}; 8 attempts, ± 20 % jitter. */
  public static Retry exponential(Duration first, Duration cap) {
    requireNotNegative(first);
    if (cap.compareTo(first) < 0) {
      throw new IllegalArgumentException("the cap must be at least the first delay, " + first + ", got " + cap);
    }
    long firstMillis = millisUp(first);
    long capMillis = millisUp(cap);
    return new Retry(attempt -> Duration.ofMillis(doubled(firstMillis, attempt - 1, capMillis)), ATTEMPTS, 0.2);
  }

  /**
   * The delay that {@code backoff} gives for the number of the attempt that failed, 1 for the first; 8 attempts, no
   * jitter. It is asked on any thread, and must not wait.
   */
  public static Retry by(IntFunction<Duration> backoff) {
    return new Retry(backoff, ATTEMPTS, 0);
  }

  /** One attempt only: a task that fails is a dead letter. */
  public static Retry never() {
    return fixed(Duration.ZERO).attempts(1);
  }

  /**
   * The same with {@code attempts} attempts in all.
   *
   * @throws IllegalArgumentException if that is less than 1
   */
  public Retry attempts(int attempts) {
    if (attempts < 1) {
      throw new IllegalArgumentException("attempts must be at least 1, got " + attempts);
    }
    return new Retry(backoff, attempts, jitter);
  }

  /**
   * The same with the delay varied by up to ± {@code share} of itself.
   *
   * @throws IllegalArgumentException if {@code share} is not from 0 to 1
   */
  public Retry jitter(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("jitter is a share from 0 to 1, got " + share);
    }
    return new Retry(backoff, attempts, share);
  }

  /** Returns how many attempts a task has in all. */
  int attempts() {
    return attempts;
  }

  /**
   * Returns the delay after a failed attempt, in milliseconds.
   *
   * @param attempt the attempt that failed, 1 for the first
   * @param chance a random number from 0 to 1
   */
  long delayMillis(int attempt, double chance) {
    long delay = millisUp(requireNotNegative(backoff.apply(attempt)));
    double varied = delay * (1 + jitter * (2 * chance - 1));
    return jitter == 0 ? delay : (long) Math.ceil(varied);
  }

  /** Returns {@code first << doublings}, or {@code cap} if that would be more. */
  private static long doubled(long first, int doublings, long cap) {
    boolean overflows = first != 0 && doublings >= Long.numberOfLeadingZeros(first);
    return overflows ? cap : Math.min(first << doublings, cap);
  }

  private static Duration requireNotNegative(Duration delay) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("a delay must not be negative, got " + delay);
    }
    return delay;
  }
}
