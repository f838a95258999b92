package dev.bide.delay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.bide.task.Due;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WhenTest {
  private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

  private static Due due(When when) {
    return when.toDue(0, FOREVER);
  }

  @Test
  void aDelayCountsFromTheStoresNow() {
    assertEquals(Due.fromNow(1_800_000), due(When.in(Duration.ofMinutes(30))));
    assertEquals(Due.fromNow(0), due(When.now()));
  }

  @Test
  void anInstantIsGivenAsItIs() {
    assertEquals(Due.at(1_500), due(When.at(Instant.ofEpochMilli(1_500))));
  }

  @Test
  void fractionsOfAMillisecondAreRoundedUp() {
    assertEquals(Due.fromNow(1), due(When.in(Duration.ofNanos(1))));
    assertEquals(Due.fromNow(1), due(When.in(Duration.ofNanos(1_000_000))));
    assertEquals(Due.fromNow(2), due(When.in(Duration.ofNanos(1_000_001))));
    assertEquals(Due.at(6), due(When.at(Instant.ofEpochMilli(5).plusNanos(1))));
  }

  @Test
  void aDelayMustNotBeNegative() {
    assertThrows(IllegalArgumentException.class, () -> When.in(Duration.ofNanos(-1)));
    assertThrows(IllegalArgumentException.class, () -> When.in(Duration.ofSeconds(Long.MIN_VALUE)));
  }

  @Test
  void anInstantIsInTheYears1970To9999() {
    assertEquals(Due.at(0), due(When.at(Instant.EPOCH)));
    assertEquals(Due.at(Due.LAST), due(When.at(Instant.ofEpochMilli(Due.LAST))));
    assertThrows(IllegalArgumentException.class, () -> When.at(Instant.EPOCH.minusNanos(1)));
    assertThrows(IllegalArgumentException.class, () -> When.at(Instant.ofEpochMilli(Due.LAST).plusNanos(1)));
    assertThrows(IllegalArgumentException.class, () -> When.at(Instant.MIN));
    assertThrows(IllegalArgumentException.class, () -> When.at(Instant.MAX));
  }

  @Test
  void whatIsPastRunsUnlessToldOtherwise() {
    When when = When.at(Instant.ofEpochMilli(5));
    assertEquals(new Due(Due.Base.INSTANT, 5, 0, 1, Due.Past.RUN, 0, false), due(when));
    assertEquals(new Due(Due.Base.INSTANT, 5, 0, 1, Due.Past.REJECT, 0, false), due(when.orRefuse()));
    assertEquals(new Due(Due.Base.INSTANT, 5, 0, 1, Due.Past.EXPIRE, 1, false),
        due(when.orExpire(Duration.ofNanos(1))));
    assertEquals(new Due(Due.Base.INSTANT, 5, 0, 1, Due.Past.EXPIRE, Long.MAX_VALUE, false),
        due(when.orExpire(FOREVER)));
    assertThrows(IllegalArgumentException.class, () -> when.orExpire(Duration.ofNanos(-1)));
  }

  @Test
  void onlyLaterAndWhatIsPastAreSaidInAnyOrder() {
    When when = When.at(Instant.ofEpochMilli(5));
    assertEquals(new Due(Due.Base.INSTANT, 5, 0, 1, Due.Past.REJECT, 0, true), due(when.orRefuse().onlyLater()));
    assertEquals(due(when.orRefuse().onlyLater()), due(when.onlyLater().orRefuse()));
    Duration age = Duration.ofSeconds(1);
    assertEquals(due(when.orExpire(age).onlyLater()), due(when.onlyLater().orExpire(age)));
  }

  @Test
  void whatIsFurtherAheadThanAllowedIsRefused() {
    long now = 1_000;
    Duration maxDelay = Duration.ofMillis(100);
    assertEquals(Due.fromNow(100), When.in(maxDelay).toDue(now, maxDelay));
    assertThrows(IllegalArgumentException.class, () -> When.in(maxDelay.plusNanos(1)).toDue(now, maxDelay));
    assertEquals(Due.at(1_100), When.at(Instant.ofEpochMilli(1_100)).toDue(now, maxDelay));
    assertThrows(IllegalArgumentException.class, () -> When.at(Instant.ofEpochMilli(1_101)).toDue(now, maxDelay));
    assertEquals(Due.at(0), When.at(Instant.EPOCH).toDue(now, Duration.ZERO));
  }

  @ParameterizedTest
  @CsvSource({"PT0S,0", "PT0.001S,1", "PT0.0010001S,2", "PT-0.0005S,0", "PT-0.001S,-1", "PT-0.0015S,-1"})
  void millisAreRoundedUp(Duration duration, long millis) {
    assertEquals(millis, When.millisUp(duration));
  }

  @Test
  void millisBeyondTheRangeOfALongAreItsEnds() {
    assertEquals(Long.MAX_VALUE, When.millisUp(FOREVER));
    assertEquals(Long.MAX_VALUE, When.millisUp(Duration.ofMillis(Long.MAX_VALUE)));
    assertEquals(Long.MAX_VALUE, When.millisUp(Duration.ofMillis(Long.MAX_VALUE).plusNanos(1)));
    assertEquals(Long.MIN_VALUE, When.millisUp(Duration.ofSeconds(Long.MIN_VALUE)));
  }
}
