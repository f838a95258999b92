package dev.bide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class JsonLineTest {

  private static String of(String text) {
    JsonLine line = new JsonLine();
    line.text("t", text);
    return line.end();
  }

  @Test
  void fieldsStandInTheOrderTheyWereAddedIn() {
    JsonLine line = new JsonLine();
    line.text("b", "x");
    line.number("a", Long.MIN_VALUE);
    line.text("empty", "");
    line.number("zero", 0);
    assertEquals("{\"b\":\"x\",\"a\":-9223372036854775808,\"zero\":0}", line.end());
    assertEquals("{}", of(""));
  }

  @Test
  void quotesAndBackslashesAreEscaped() {
    assertEquals("{\"t\":\"say \\\"\\\\n\\\" / it's\"}", of("say \"\\n\" / it's"));
  }

  @Test
  void whatEndsALineForAnyReaderIsEscaped() {
    assertEquals("{\"t\":\"a\\u000ab\\u000dc\\u0009d\\u0000e\\u001ff\\u007fg\\u0085h\\u009fi\\u2028j\\u2029k\"}",
        of("a\nb\rc\td\0e\u001ff\u007fg\u0085h\u009fi\u2028j\u2029k"));
    assertEquals("{\"t\":\" \u00a0\u2027\u202a\"}", of(" \u00a0\u2027\u202a"));
  }

  @Test
  void aHalfOfAPairIsEscapedAndAWholePairIsNot() {
    assertEquals("{\"t\":\"\ud83d\ude00\"}", of("\ud83d\ude00"));
    assertEquals("{\"t\":\"\\ud83d\"}", of("\ud83d"));
    assertEquals("{\"t\":\"\\ud83dx\\ude00\"}", of("\ud83dx\ude00"));
    assertEquals("{\"t\":\"\\ude00\\ud83d\"}", of("\ude00\ud83d"));
    assertEquals("{\"t\":\"\\ud83d\ud83d\ude00\"}", of("\ud83d\ud83d\ude00"));
  }

  @Test
  void everyCharacterLeavesOneLineThatCanBeEncoded() {
    for (int c = 0; c <= Character.MAX_VALUE; c++) {
      String line = of("a" + (char) c + "b");
      assertEquals(1, line.split("\\R", -1).length, line);
      assertTrue(StandardCharsets.UTF_8.newEncoder().canEncode(line), line);
    }
  }
}
