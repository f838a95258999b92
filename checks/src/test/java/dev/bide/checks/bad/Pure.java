package dev.bide.checks.bad;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.NullMarked;

/** What looks like real clocks, threads and randomness, but is given them. */
@NullMarked
public interface Pure {
  static Instant instant(Clock clock) {
    return Instant.now(Clock.tick(clock, Duration.ofMillis(1)));
  }

  static LocalDateTime local(Clock clock) {
    return LocalDateTime.now(clock);
  }

  static Random random(long seed) {
    return new Random(seed);
  }

  static SplittableRandom splittable(long seed) {
    return new SplittableRandom(seed);
  }

  static CompletableFuture<Void> async(Runnable work, Executor executor) {
    return CompletableFuture.runAsync(work, executor);
  }

  static void park(long nanos) {
    LockSupport.parkNanos(nanos);
  }
}
