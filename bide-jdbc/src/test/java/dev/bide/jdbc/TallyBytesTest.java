package dev.bide.jdbc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.bide.spi.Tally;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TallyBytesTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private record Counter(long queue, long key, long count) {}

  private List<Counter> decoded() {
    List<Counter> counters = new ArrayList<>();
    TallyBytes.decode(out.toByteArray(), (queue, key, count) -> counters.add(new Counter(queue, key, count)));
    return counters;
  }

  private static Tally tally(long... keysAndCounts) {
    Tally tally = new Tally();
    for (int i = 0; i < keysAndCounts.length; i += 2) {
      tally.add(keysAndCounts[i], keysAndCounts[i + 1]);
    }
    return tally;
  }

  @Test
  void anInsertTakesEightBytes() {
    // In the hour 497,000 after the epoch, in 2026.
    TallyBytes.encode(1, tally(0, 1, Tally.FIRST_HOUR + 497_000, 1), out);
    assertArrayEquals(new byte[]{1, 2, 0, 2, (byte) 0xf8, (byte) 0xaa, 0x1e, 2}, out.toByteArray());
  }

  @Test
  void nothingIsNoBytes() {
    assertEquals(List.of(), decoded());
  }

  @Test
  void whatIsWrittenOneAfterTheOtherIsReadAlike() {
    TallyBytes.encode(1, tally(0, 5, 3, -5), out);
    TallyBytes.encode(300, tally(2, 1), out);
    TallyBytes.encode(1, tally(0, -5, 1_000, 200), out);
    assertEquals(List.of(new Counter(1, 0, 5), new Counter(1, 3, -5), new Counter(300, 2, 1), new Counter(1, 0, -5),
        new Counter(1, 1_000, 200)), decoded());
  }

  @Test
  void theLargestNumbersAreKept() {
    long lastHour = Tally.FIRST_HOUR + Long.MAX_VALUE / Tally.HOUR_MILLIS;
    TallyBytes.encode(Long.MAX_VALUE, tally(1, Long.MAX_VALUE, 2, Long.MIN_VALUE, lastHour, -1), out);
    assertEquals(List.of(new Counter(Long.MAX_VALUE, 1, Long.MAX_VALUE), new Counter(Long.MAX_VALUE, 2, Long.MIN_VALUE),
        new Counter(Long.MAX_VALUE, lastHour, -1)), decoded());
  }

  @Test
  void anyCountersAreReadAsTheyWereWritten() {
    long seed = Long.getLong("bide.seed", new Random().nextLong());
    Random random = new Random(seed);
    for (int i = 0; i < 1_000; i++) {
      int queue = random.nextInt(1_000);
      Tally tally = new Tally();
      for (int j = random.nextInt(20); j > 0; j--) {
        tally.add(random.nextLong() >>> 1 + random.nextInt(63), random.nextLong() >> random.nextInt(64));
      }
      List<Counter> wanted = new ArrayList<>();
      tally.forEach((key, count) -> wanted.add(new Counter(queue, key, count)));
      out.reset();
      TallyBytes.encode(queue, tally, out);
      assertEquals(wanted, decoded(), () -> "seed " + seed);
    }
  }
}
