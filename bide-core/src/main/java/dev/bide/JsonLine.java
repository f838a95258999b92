package dev.bide;

/**
 * Writes one JSON object, field by field (RFC 8259). Whatever the texts hold, the result is one line for every reader,
 * and can be encoded as UTF-8. Not thread-safe.
 */
final class JsonLine {
  private static final String HEX = "0123456789abcdef";

  private final StringBuilder json = new StringBuilder(200).append('{');

  /** Adds a field, unless the text is empty. */
  void text(String name, String value) {
    if (!value.isEmpty()) {
      name(name);
      json.append('"');
      escape(value);
      json.append('"');
    }
  }

  /** Adds a field. */
  void number(String name, long value) {
    name(name);
    json.append(value);
  }

  /** Returns the object; nothing is added after that. */
  String end() {
    return json.append('}').toString();
  }

  private void name(String name) {
    json.append(json.length() == 1 ? "\"" : ",\"").append(name).append("\":");
  }

  private void escape(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (Character.isHighSurrogate(c) && i + 1 < value.length() && Character.isLowSurrogate(value.charAt(i + 1))) {
        json.append(c).append(value.charAt(++i));
      } else if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (breaksALine(c) || Character.isSurrogate(c)) {
        json.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
          json.append(HEX.charAt(c >> shift & 15));
        }
      } else {
        json.append(c);
      }
    }
  }

  /** JSON itself asks for less: U+0085, U+2028 and U+2029 are legal in a text, but end a line for some who read it. */
  private static boolean breaksALine(char c) {
    return Character.isISOControl(c) || c == '\u2028' || c == '\u2029';
  }
}
