package dev.bide.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.bide.task.Attempt;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AttemptsTextTest {
  private static final Instant START = Instant.ofEpochMilli(1_790_000_000_000L);

  @Test
  void readsAsALineAnAttempt() {
    List<Attempt> attempts = List.of(
        new Attempt(1, "node-a", START, START.plusMillis(250), "retry", Optional.of("IOException: reset")),
        new Attempt(2, "node-b", START.plusMillis(2000), START.plusMillis(2100), "done", Optional.empty()));

    String text = AttemptsText.encode(attempts);

    assertEquals("""
        1|node-a|1790000000000|250|retry|IOException: reset
        2|node-b|1790000002000|100|done""", text);
    assertEquals(attempts, AttemptsText.decode(text));
  }

  @Test
  void noAttemptsAreNoText() {
    assertEquals("", AttemptsText.encode(List.of()));
    assertEquals(List.of(), AttemptsText.decode(""));
  }

  @Test
  void everyCharacterSurvives() {
    String odd = "\\ | \\n \n\r\n \\! || 付款 \ud83d\ude00 \t \\";
    for (Optional<String> error : List.of(Optional.of(odd), Optional.of(""), Optional.<String>empty())) {
      List<Attempt> attempts = List.of(new Attempt(1, odd, START, START.minusMillis(5), odd, error),
          new Attempt(Integer.MAX_VALUE, "", Instant.ofEpochMilli(-1), START, "", error));
      assertEquals(attempts, AttemptsText.decode(AttemptsText.encode(attempts)));
    }
  }
}
