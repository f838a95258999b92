package dev.bide.bench.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class TableTest {

  @Test
  void columnsAreAsWideAsTheirWidestCell() {
    assertEquals("""
        title
          what   rate
          a     1,234
          long      5
          a note
        """, new Table("title", "what", "rate").row("a", "1,234").row("long", "5").note("a note").toString());
  }

  @Test
  void aRowHasACellForEachColumn() {
    assertThrows(IllegalArgumentException.class, () -> new Table("t", "a", "b").row("1"));
  }

  @Test
  void numbersHaveThreeDigits() {
    assertEquals("1,234,567", Table.number(1_234_567.1));
    assertEquals("12.3", Table.number(12.34));
    assertEquals("1.23", Table.number(1.234));
    assertEquals("0.001", Table.number(0.00123));
    assertEquals("-", Table.number(Double.NaN));
  }
}
