package dev.bide.jdbc;

import java.util.Collection;
import java.util.stream.Collectors;

/** Writes JSON arrays, in which one statement is given many keys. */
final class JsonArray {
  private JsonArray() {}

  static String ofNumbers(Collection<? extends Number> numbers) {
    return numbers.stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]"));
  }

  static String ofTexts(Collection<String> texts) {
    StringBuilder out = new StringBuilder("[");
    for (String text : texts) {
      out.append(out.length() == 1 ? "\"" : ",\"");
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        if (c == '"' || c == '\\') {
          out.append('\\').append(c);
        } else if (c < ' ') {
          out.append(String.format("\\u%04x", (int) c));
        } else {
          out.append(c);
        }
      }
      out.append('"');
    }
    return out.append(']').toString();
  }
}
