package dev.bide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryTest {
  private static final double MIDDLE = 0.5;

  private static List<Long> delays(Retry retry, int attempts) {
    return IntStream.rangeClosed(1, attempts).mapToObj(attempt -> retry.delayMillis(attempt, MIDDLE)).toList();
  }

  @Test
  void aFixedDelayIsAlwaysTheSame() {
    assertEquals(List.of(250L, 250L, 250L), delays(Retry.fixed(Duration.ofMillis(250)), 3));
    assertEquals(8, Retry.fixed(Duration.ZERO).attempts());
  }

  @Test
  void anExponentialDelayDoublesUpToItsCap() {
    Retry retry = Retry.exponential(Duration.ofSeconds(1), Duration.ofSeconds(10));
    assertEquals(List.of(1_000L, 2_000L, 4_000L, 8_000L, 10_000L, 10_000L), delays(retry, 6));
    assertEquals(8, retry.attempts());
  }

  @Test
  void theDelayOfAHugeAttemptIsTheCap() {
    Retry retry = Retry.exponential(Duration.ofMillis(1), Duration.ofDays(1)).jitter(0);
    for (int attempt : new int[]{28, 62, 63, 64, 65, 66, 1_000, Integer.MAX_VALUE}) {
      assertEquals(Duration.ofDays(1).toMillis(), retry.delayMillis(attempt, MIDDLE), "attempt " + attempt);
    }
  }

  @Test
  void theLongestDurationsDoNotOverflow() {
    Duration longest = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
    assertEquals(Long.MAX_VALUE, Retry.fixed(longest).delayMillis(1, MIDDLE));
    assertEquals(Long.MAX_VALUE, Retry.exponential(longest, longest).jitter(1).delayMillis(7, 0.999));
    assertEquals(Long.MAX_VALUE, Retry.exponential(Duration.ofMillis(3), longest).jitter(0).delayMillis(64, MIDDLE));
    assertEquals(3L << 61, Retry.exponential(Duration.ofMillis(3), longest).jitter(0).delayMillis(62, MIDDLE));
    assertEquals(Long.MAX_VALUE, Retry.exponential(Duration.ofMillis(3), longest).jitter(0).delayMillis(63, MIDDLE));
  }

  @Test
  void noDelayStaysNone() {
    Retry retry = Retry.exponential(Duration.ZERO, Duration.ZERO);
    assertEquals(List.of(0L, 0L, 0L), delays(retry, 3));
    assertEquals(0, retry.delayMillis(Integer.MAX_VALUE, 0));
  }

  @Test
  void jitterStaysWithinItsShareAndReachesBothEnds() {
    Retry retry = Retry.fixed(Duration.ofMillis(1_000)).jitter(0.2);
    assertEquals(800, retry.delayMillis(1, 0));
    assertEquals(1_000, retry.delayMillis(1, MIDDLE));
    assertEquals(1_200, retry.delayMillis(1, 1));
    assertEquals(0, retry.jitter(1).delayMillis(1, 0));
    assertTrue(retry.jitter(1).delayMillis(1, 0.999) < 2_000);
    assertEquals(2_000, retry.jitter(1).delayMillis(1, 1));
  }

  @Test
  void fractionsOfAMillisecondAreRoundedUp() {
    assertEquals(1, Retry.fixed(Duration.ofNanos(1)).delayMillis(1, MIDDLE));
    assertEquals(2, Retry.exponential(Duration.ofNanos(1_000_001), Duration.ofDays(1)).delayMillis(1, MIDDLE));
  }

  @Test
  void anOwnFunctionIsGivenTheAttemptThatFailed() {
    assertEquals(List.of(100L, 400L, 900L), delays(Retry.by(n -> Duration.ofMillis(100L * n * n)), 3));
  }

  @Test
  void anOwnFunctionThatGivesANegativeDelayOrNoneIsRefused() {
    assertThrows(IllegalArgumentException.class,
        () -> Retry.by(attempt -> Duration.ofMillis(-1)).delayMillis(1, MIDDLE));
    assertThrows(RuntimeException.class, () -> Retry.by(RetryTest::nothing).delayMillis(1, MIDDLE));
  }

  @SuppressWarnings("NullAway") // a careless function
  private static Duration nothing(int attempt) {
    return null;
  }

  @Test
  void neverMeansOneAttempt() {
    assertEquals(1, Retry.never().attempts());
  }

  @Test
  void badValuesAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> Retry.fixed(Duration.ofMillis(-1)));
    assertThrows(IllegalArgumentException.class, () -> Retry.exponential(Duration.ofMillis(-1), Duration.ZERO));
    assertThrows(IllegalArgumentException.class,
        () -> Retry.exponential(Duration.ofMillis(2), Duration.ofMillis(1)));
    assertThrows(IllegalArgumentException.class, () -> Retry.never().attempts(0));
    assertThrows(IllegalArgumentException.class, () -> Retry.never().jitter(-0.1));
    assertThrows(IllegalArgumentException.class, () -> Retry.never().jitter(1.1));
    assertThrows(IllegalArgumentException.class, () -> Retry.never().jitter(Double.NaN));
  }
}
