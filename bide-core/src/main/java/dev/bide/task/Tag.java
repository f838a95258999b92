package dev.bide.task;

import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A mark by which tasks are found together, such as {@code customer=42}. Immutable.
 *
 * @param key a letter or digit, then up to 63 letters, digits or {@code ._-}
 * @param value 1 to 100 code points, none of them a control character or a lone surrogate
 */
public record Tag(String key, String value) {
  /** How many tags a task has at most. */
  public static final int MOST = 8;

  private static final int MAX_CODE_POINTS = 100;
  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  /**
   * Checks both.
   *
   * @throws IllegalArgumentException saying what is wrong
   */
  public Tag {
    if (!KEY.matcher(key).matches()) {
      throw new IllegalArgumentException(
          "the key of a tag is a letter or digit and up to 63 of A-Z a-z 0-9 . _ -, got" + TaskId.shown(key));
    }
    // A later Java knows more characters: one that is unassigned here may have been written there.
    TaskId.check("the value of a tag", MAX_CODE_POINTS, value, false);
  }

  /**
   * Returns the tag that {@link #toString} has written.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static Tag parse(String text) {
    int equals = text.indexOf('=');
    if (equals < 0) {
      throw new IllegalArgumentException("a tag is key=value, got" + TaskId.shown(text));
    }
    return new Tag(text.substring(0, equals), text.substring(equals + 1));
  }

  /**
   * Returns these tags, each once, in the order of key and value.
   *
   * @throws IllegalArgumentException if there are more than {@value #MOST}
   */
  public static List<Tag> inOrder(List<Tag> tags) {
    if (tags.isEmpty()) {
      return List.of();
    }
    List<Tag> sorted = tags.stream().distinct().sorted(Comparator.comparing(Tag::key).thenComparing(Tag::value))
        .toList();
    if (sorted.size() > MOST) {
      throw new IllegalArgumentException("a task has at most " + MOST + " tags, got " + sorted.size());
    }
    return sorted;
  }

  /** Returns {@code key=value}. */
  @Override
  public String toString() {
    return key + '=' + value;
  }
}
