package dev.bide.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.bide.task.Due.Base;
import dev.bide.task.Due.Past;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DueTest {
  private static Due due(Base base, long millis, long bufferMillis, long tierMillis, long pastMillis) {
    return new Due(base, millis, bufferMillis, tierMillis, Past.RUN, pastMillis, false);
  }

  @Test
  void millisCountFromTheirBase() {
    assertEquals(5, Due.at(5).dueAt(1_000, 300));
    assertEquals(1_005, Due.fromNow(5).dueAt(1_000, 300));
    assertEquals(305, due(Base.FROM_DUE, 5, 0, 1, 0).dueAt(1_000, 300));
  }

  @Test
  void theLastDueTimeIsTheEndOfTheYear9999() {
    assertEquals(Instant.parse("9999-12-31T23:59:59.999Z"), Instant.ofEpochMilli(Due.LAST));
    assertEquals(Due.LAST, Due.fromNow(Due.LAST - 1_000).dueAt(1_000, 0));
    assertEquals(Due.LAST - 1, Due.fromNow(Due.LAST - 1_001).dueAt(1_000, 0));
    for (long more : new long[]{Due.LAST - 999, Due.LAST, Long.MAX_VALUE}) {
      assertEquals(Due.LAST, Due.fromNow(more).dueAt(1_000, 0));
      assertEquals(Due.LAST, due(Base.FROM_DUE, more, 0, 1, 0).dueAt(0, 1_000));
    }
    assertEquals(Due.LAST, Due.at(Long.MAX_VALUE).dueAt(1_000, 0));
  }

  @ParameterizedTest
  @CsvSource({"0,1,0", "1,1,1", "0,1000,0", "1,1000,1000", "999,1000,1000", "1000,1000,1000", "1001,1000,2000"})
  void aTaskIsAvailableAtTheNextFullTier(long bufferedDueAt, long tierMillis, long availableAt) {
    assertEquals(availableAt, due(Base.FROM_NOW, 0, 0, tierMillis, 0).availableAt(bufferedDueAt, 0));
  }

  @Test
  void aTaskIsNeverAvailableBeforeNow() {
    Due due = Due.at(500);
    assertEquals(501, due.availableAt(500, 501));
    assertEquals(500, due.availableAt(500, 500));
    assertEquals(500, due.availableAt(500, 499));
  }

  @Test
  void theGreatestPartsMakeNothingEarly() {
    Due due = due(Base.INSTANT, Long.MAX_VALUE, Due.LAST, Due.LAST, Long.MAX_VALUE);
    assertEquals(2 * Due.LAST, due.availableAt(due.dueAt(0, 0) + due.bufferMillis(), 0));
  }

  @Test
  void partsOutOfRangeAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> Due.fromNow(-1));
    assertThrows(IllegalArgumentException.class, () -> Due.at(-1));
    assertThrows(IllegalArgumentException.class, () -> due(Base.INSTANT, 0, -1, 1, 0));
    assertThrows(IllegalArgumentException.class, () -> due(Base.INSTANT, 0, Due.LAST + 1, 1, 0));
    assertThrows(IllegalArgumentException.class, () -> due(Base.INSTANT, 0, 0, 0, 0));
    assertThrows(IllegalArgumentException.class, () -> due(Base.INSTANT, 0, 0, Due.LAST + 1, 0));
    assertThrows(IllegalArgumentException.class, () -> due(Base.INSTANT, 0, 0, 1, -1));
  }
}
