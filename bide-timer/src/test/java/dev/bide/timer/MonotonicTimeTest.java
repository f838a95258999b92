package dev.bide.timer;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MonotonicTimeTest {
  private static final long LONGEST = 1L << 62;

  private final AtomicLong source = new AtomicLong(-77);
  private final MonotonicTime time = new MonotonicTime(source::get);

  @Test
  void timeCountsFromTheStartWhateverTheSourceSaidThen() {
    assertEquals(0, time.now());
    source.addAndGet(100);
    assertEquals(100, time.now());
  }

  @Test
  void timeGoesOnWhereTheNumbersOfTheSourceWrap() {
    source.set(Long.MAX_VALUE - 10);
    MonotonicTime wrapping = new MonotonicTime(source::get);
    source.addAndGet(30);
    assertTrue(source.get() < 0);
    assertEquals(30, wrapping.now());
  }

  @Test
  void aSourceThatGoesBackBehindTheStartGivesNoNegativeTime() {
    source.addAndGet(-1_000);
    assertEquals(0, time.now());
    assertEquals(5, time.after(5, NANOSECONDS));
  }

  @Test
  void timeMayStartLater() {
    MonotonicTime later = new MonotonicTime(source::get, 1_000);
    source.addAndGet(1);
    assertEquals(1_001, later.now());
    assertEquals(901, later.after(-100));
    assertEquals(0, later.after(-2_000));
    assertEquals(0, later.after(Long.MIN_VALUE));
  }

  @Test
  void aDelayCountsFromNow() {
    source.addAndGet(100);
    assertEquals(3_000_100, time.after(3, MILLISECONDS));
  }

  @Test
  void aNegativeDelayCountsAs0() {
    source.addAndGet(100);
    assertEquals(100, time.after(0, DAYS));
    assertEquals(100, time.after(-1, NANOSECONDS));
    assertEquals(100, time.after(Long.MIN_VALUE, DAYS));
  }

  @Test
  void aHugeDelayIsCutTo2To62Nanoseconds() {
    source.addAndGet(100);
    assertEquals(LONGEST - 1 + 100, time.after(LONGEST - 1, NANOSECONDS));
    assertEquals(LONGEST + 100, time.after(LONGEST, NANOSECONDS));
    assertEquals(LONGEST + 100, time.after(LONGEST + 1, NANOSECONDS));
    assertEquals(LONGEST + 100, time.after(Long.MAX_VALUE, DAYS));
  }

  @Test
  void realTimeDoesNotGoBack() {
    MonotonicTime real = MonotonicTime.start();
    long before = real.now();
    assertTrue(before >= 0);
    assertTrue(real.now() >= before);
    assertTrue(MonotonicTime.startAt(LONGEST).now() >= LONGEST);
  }
}
