package dev.bide.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TagTest {
  @ParameterizedTest
  @ValueSource(strings = {"42", "a=b", "订单 42", "\u0378"})
  void aTagIsReadAsItWasWrittenWhateverCharactersThisJavaKnows(String value) {
    Tag tag = new Tag("key", value);
    assertEquals(tag, Tag.parse(tag.toString()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\u0000", "a\nb", "\ud800"})
  void aValueIsNotEmptyAndHasNoControlOrSurrogateCharacters(String value) {
    assertThrows(IllegalArgumentException.class, () -> new Tag("key", value));
  }

  @Test
  void aKeyIsALetterOrDigitAndSomeOthers() {
    assertEquals("a.b_c-7=x", new Tag("a.b_c-7", "x").toString());
    assertThrows(IllegalArgumentException.class, () -> new Tag("", "x"));
    assertThrows(IllegalArgumentException.class, () -> new Tag("a=b", "x"));
    assertThrows(IllegalArgumentException.class, () -> Tag.parse("a"));
  }
}
