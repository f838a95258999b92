package dev.bide.bench.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WorkTest {
  private final AtomicLong commits = new AtomicLong(7);

  @Test
  void aCostIsWhatWasAddedMeanwhile() throws Exception {
    Work work = Work.of(new Meter(commits::get, () -> 0, () -> -1), () -> {
      commits.addAndGet(2);
      return 4;
    });
    assertEquals(4, work.tasks());
    assertTrue(work.nanos() > 0);
    assertEquals("0.500 commits, 0.000 us CPU", work.cost());
  }

  @Test
  void whatIsNotKnownOfOneIsNotKnownOfBoth() {
    Work known = new Work(1, 1, 1, 3_000, 8);
    assertEquals("1.00 commits, 8.00 B, 3.00 us CPU", known.and(known).cost());
    assertEquals("3.00 us CPU", known.and(new Work(1, 1, -1, 3_000, -1)).cost());
  }

  @Test
  void theRateIsOfASecond() {
    assertEquals(4, new Work(2, 500_000_000, 0, 0, 0).rate());
  }
}
