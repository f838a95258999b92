package dev.bide.jdbc;

import dev.bide.task.Attempt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Writes the ended attempts of a task as text: a line each, {@code number|node|start|milliseconds|outcome} and, if
 * there is one, {@code |error}.
 *
 * <p>Within a part a backslash is written {@code \\}, a bar {@code \!} and a line feed {@code \n}.
 *
 * <pre>
 * 1|node-a|1790000000000|250|retry|IOException: connection reset
 * 2|node-b|1790000002000|100|done
 * </pre>
 */
final class AttemptsText {
  private AttemptsText() {}

  static String encode(List<Attempt> attempts) {
    if (attempts.isEmpty()) {
      return "";
    }
    StringBuilder out = new StringBuilder();
    for (Attempt each : attempts) {
      if (!out.isEmpty()) {
        out.append('\n');
      }
      long start = each.start().toEpochMilli();
      out.append(each.number()).append('|');
      part(each.node(), out);
      out.append('|').append(start).append('|').append(each.end().toEpochMilli() - start).append('|');
      part(each.outcome(), out);
      each.error().ifPresent(error -> part(error, out.append('|')));
    }
    return out.toString();
  }

  private static void part(String text, StringBuilder out) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '\\' -> out.append("\\\\");
        case '|' -> out.append("\\!");
        case '\n' -> out.append("\\n");
        default -> out.append(c);
      }
    }
  }

  static List<Attempt> decode(String text) {
    if (text.isEmpty()) {
      return List.of();
    }
    List<Attempt> attempts = new ArrayList<>();
    for (String line : text.split("\n", -1)) {
      String[] parts = line.split("\\|", -1);
      long start = Long.parseLong(parts[2]);
      attempts.add(new Attempt(Integer.parseInt(parts[0]), plain(parts[1]), Instant.ofEpochMilli(start),
          Instant.ofEpochMilli(start + Long.parseLong(parts[3])), plain(parts[4]),
          parts.length > 5 ? Optional.of(plain(parts[5])) : Optional.empty()));
    }
    return List.copyOf(attempts);
  }

  private static String plain(String part) {
    if (part.indexOf('\\') < 0) {
      return part;
    }
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      if (c != '\\') {
        out.append(c);
        continue;
      }
      i++;
      out.append(switch (part.charAt(i)) {
        case '!' -> '|';
        case 'n' -> '\n';
        default -> part.charAt(i);
      });
    }
    return out.toString();
  }
}
