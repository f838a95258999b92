package dev.bide.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DueTest {
  private static final long NOW = 1_000_000;

  @Test
  void theLargestPartsMakeNothingEarly() {
    Due due = new Due(Due.Base.FROM_NOW, Due.LAST, Due.LAST, Due.LAST, Due.Past.RUN, 0, false);
    long dueAt = due.dueAt(NOW, 0);
    assertEquals(Due.LAST, dueAt);
    long availableAt = due.availableAt(dueAt + due.bufferMillis(), NOW);
    assertTrue(availableAt >= 2 * Due.LAST, () -> "got " + availableAt);
  }

  @Test
  void partsWhoseSumWouldOverflowAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> due(0, Due.LAST + 1, 1, 0));
    assertThrows(IllegalArgumentException.class, () -> due(0, 0, Due.LAST + 1, 0));
    assertThrows(IllegalArgumentException.class, () -> due(0, Long.MAX_VALUE, Long.MAX_VALUE, 0));
  }

  @Test
  void negativePartsAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> due(-1, 0, 1, 0));
    assertThrows(IllegalArgumentException.class, () -> due(0, -1, 1, 0));
    assertThrows(IllegalArgumentException.class, () -> due(0, 0, 0, 0));
    assertThrows(IllegalArgumentException.class, () -> due(0, 0, 1, -1));
  }

  @Test
  void aTierRoundsUpAndNeverDown() {
    assertEquals(2_000, due(0, 0, 1_000, 0).availableAt(1_001, 0));
    assertEquals(2_000, due(0, 0, 1_000, 0).availableAt(1_999, 0));
    assertEquals(2_000, due(0, 0, 1_000, 0).availableAt(2_000, 0));
    assertEquals(2_001, due(0, 0, 1_000, 0).availableAt(2_000, 2_001), "never before now");
  }

  private static Due due(long millis, long bufferMillis, long tierMillis, long pastMillis) {
    return new Due(Due.Base.FROM_NOW, millis, bufferMillis, tierMillis, Due.Past.RUN, pastMillis, false);
  }
}
