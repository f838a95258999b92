package dev.bide.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TaskIdTest {

  @Test
  void anIdHas1To200CodePoints() {
    assertEquals("x", TaskId.check("x"));
    // Each of these is two chars and four bytes.
    assertEquals("😀".repeat(200), TaskId.check("😀".repeat(200)));
    assertThrows(IllegalArgumentException.class, () -> TaskId.check(""));
    assertThrows(IllegalArgumentException.class, () -> TaskId.check("x".repeat(201)));
    assertThrows(IllegalArgumentException.class, () -> TaskId.check("😀".repeat(201)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"order 42", " ", "订单-42", "a/b?c=d&e#f%20", "~x", "\"'\\", "é", "\u200b"})
  void anIdMayHaveAnyOtherCharacter(String id) {
    assertEquals(id, TaskId.check(id));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\u0000", "a\nb", "\u007f", "\u0085", "\ud800", "a\udc00b", "\udc00\ud800", "\uffff",
      "\u0378"})
  void controlSurrogateAndUnassignedCharactersAreRefused(String id) {
    assertThrows(IllegalArgumentException.class, () -> TaskId.check(id));
  }

  @Test
  void theRefusalNamesTheCharacterAndItsPlaceAndRepeatsNoControlCharacter() {
    IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> TaskId.check("ab\u001bc"));
    assertTrue(String.valueOf(refusal.getMessage()).contains("U+001B at index 2: \"ab?c\""), refusal::getMessage);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "7", "order-timeout", "a.b_c:d+e/f;g$h(i)j-"})
  void aQueueNameIsALetterOrDigitAndSomeOthers(String name) {
    assertEquals(name, TaskId.checkQueue(name));
  }

  @Test
  void aQueueNameHasUpTo128Characters() {
    assertEquals("q".repeat(128), TaskId.checkQueue("q".repeat(128)));
    assertThrows(IllegalArgumentException.class, () -> TaskId.checkQueue("q".repeat(129)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-a", ".a", "~schedules", "a b", "a\n", "ü", "a*", "a~b"})
  void otherQueueNamesAreRefused(String name) {
    assertThrows(IllegalArgumentException.class, () -> TaskId.checkQueue(name));
  }

  /** Others compute these too, so they never change. */
  @ParameterizedTest
  @CsvSource({"hello,583", "order-1,545", "order-42,398", "订单,182"})
  void theSlotOfAnIdNeverChanges(String id, int slot) {
    assertEquals(slot, TaskId.slot(id));
  }

  @Test
  void shardsAreRangesOfSlotsThatDifferInSizeBy1AtMost() {
    for (int shards : new int[]{1, 2, 3, 7, 16, 1000, 1024}) {
      int[] sizes = new int[shards];
      int before = 0;
      for (int slot = 0; slot < TaskId.SLOTS; slot++) {
        int shard = TaskId.shard(slot, shards);
        assertTrue(shard == before || shard == before + 1);
        before = shard;
        sizes[shard]++;
      }
      assertTrue(IntStream.of(sizes).max().orElseThrow() - IntStream.of(sizes).min().orElseThrow() <= 1);
    }
  }
}
