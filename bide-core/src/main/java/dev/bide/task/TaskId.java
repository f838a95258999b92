package dev.bide.task;

import java.util.regex.Pattern;

/** The rules for the names of tasks and queues, and the slot that follows from an id. */
public final class TaskId {
  /** How many slots the ids of a queue are spread over; a shard is a range of slots. */
  public static final int SLOTS = 1024;

  private static final int MAX_CODE_POINTS = 200;
  private static final Pattern QUEUE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:+/;$()-]{0,127}");

  private TaskId() {}

  /**
   * Returns {@code id} if it can name a task: 1 to {@value #MAX_CODE_POINTS} code points, none of them a control
   * character, a lone surrogate or unassigned.
   *
   * @throws IllegalArgumentException saying which character at which place is wrong
   */
  public static String check(String id) {
    return check("a task id", MAX_CODE_POINTS, id, true);
  }

  static String check(String what, int most, String text, boolean assigned) {
    int length = text.codePointCount(0, text.length());
    if (length < 1 || length > most) {
      throw new IllegalArgumentException(what + " has 1 to " + most + " code points, got " + length + shown(text));
    }
    for (int i = 0; i < text.length();) {
      int codePoint = text.codePointAt(i);
      int type = Character.getType(codePoint);
      if (type == Character.CONTROL || type == Character.SURROGATE || assigned && type == Character.UNASSIGNED) {
        throw new IllegalArgumentException(String.format("%s has no %s characters, got U+%04X at index %d%s", what,
            assigned ? "control, surrogate or unassigned" : "control or surrogate", codePoint, i, shown(text)));
      }
      i += Character.charCount(codePoint);
    }
    return text;
  }

  /**
   * Returns {@code queue} if it can name a queue: a letter or digit, then up to 127 letters, digits or
   * {@code ._:+/;$()-}. A leading {@code ~} is reserved for Bide itself.
   *
   * @throws IllegalArgumentException if it cannot
   */
  public static String checkQueue(String queue) {
    if (!QUEUE.matcher(queue).matches()) {
      throw new IllegalArgumentException(
          "a queue name is a letter or digit and up to 127 of A-Z a-z 0-9 . _ : + / ; $ ( ) -, got" + shown(queue));
    }
    return queue;
  }

  /**
   * Returns the slot of an id, 0 to {@value #SLOTS} − 1: murmur3_32 (seed 0) of its UTF-8 bytes, so that it is the same
   * on every store.
   */
  public static int slot(String id) {
    return Math.floorMod(Murmur3.hash32(id), SLOTS);
  }

  /** Returns the shard, 0 to {@code shards} − 1, whose range holds {@code slot}. */
  public static int shard(int slot, int shards) {
    return slot * shards / SLOTS;
  }

  static String shown(String name) {
    String start = name.length() > 60 ? name.substring(0, 60) + "…" : name;
    return ": \"" + start.replaceAll("\\p{Cntrl}", "?") + '"';
  }
}
