package dev.bide.memory;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.bide.spi.StoredTask;
import dev.bide.task.Attempt;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import dev.bide.task.Tag;
import dev.bide.task.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes a task into one array of bytes, about 35 bytes and what it carries, and reads it back.
 *
 * <pre>
 * state, lane, marks · slot, 2 bytes · id · queue · [tags] · what follows · seq · moments · [claims, attempts] · [texts] · [payload]
 * </pre>
 *
 * <p>What an index asks of a task that it passes by comes first, at a place that is easily found. Numbers are
 * variable-length, seven bits a byte; moments are differences from an earlier one, zigzag (0, −1, 1, −2 … become 0, 1,
 * 2, 3 …); texts are UTF-8. A payload of more than {@value #LARGEST_PAYLOAD} bytes stands apart, so that a change of
 * the task does not copy it.
 */
final class PackedTask {
  static final int LARGEST_PAYLOAD = 1024;

  private static final TaskState[] STATES = TaskState.values();

  // The first byte.
  private static final int STATE = 0b111;
  private static final int LANE_SHIFT = 3;
  private static final int LANE = 0b11;
  private static final int RETRIED = 1 << 5;
  private static final int REVIVED = 1 << 6;
  private static final int TAGGED = 1 << 7;
  private static final int ID = 3;

  // What follows, where it is not what it is for most tasks that wait.
  private static final int ZONE = 1;
  private static final int RULE = 1 << 1;
  private static final int CLAIMED = 1 << 2;
  private static final int OWNER = 1 << 3;
  private static final int CANCEL_BY = 1 << 4;
  private static final int OUTCOME = 1 << 5;
  private static final int NEVER = 1 << 6;
  private static final int STOPPED = 1 << 7;
  private static final int APART = 1 << 8;

  private PackedTask() {}

  /**
   * Returns the task, without its payload if that {@link #standsApart}.
   *
   * @param queue the number of its queue
   */
  static byte[] pack(StoredTask task, int queue) {
    byte[] id = task.id.getBytes(UTF_8);
    Out out = new Out(64 + id.length + (standsApart(task.payload) ? 0 : task.payload.size()));
    out.octet(task.state.ordinal() | task.lane << LANE_SHIFT | (task.attempt > 0 ? RETRIED : 0)
        | (task.tags.isEmpty() ? 0 : TAGGED));
    out.octet(task.slot >> 8);
    out.octet(task.slot);
    out.text(id);
    out.number(queue);
    if (!task.tags.isEmpty()) {
      out.number(task.tags.size());
      task.tags.forEach(tag -> out.text(tag.toString()));
    }
    int marks = marks(task);
    out.number(marks);
    out.number(task.seq);
    out.number(task.createdAt);
    out.difference(task.dueAt - task.createdAt);
    out.difference(task.readyAt - task.dueAt);
    out.difference(task.updatedAt - task.createdAt);
    out.number(task.bufferMillis);
    if ((marks & NEVER) == 0) {
      out.difference(task.nextAt - task.readyAt);
    }
    if ((marks & STOPPED) != 0) {
      out.difference(task.stoppedAt - task.createdAt);
    }
    if ((marks & CLAIMED) != 0) {
      out.number(task.token);
      out.number(task.attempt);
      out.number(task.claims);
      out.number(task.lapses);
      out.difference(task.claimedAt - task.createdAt);
      out.number(task.attempts.size());
      task.attempts.forEach(attempt -> write(attempt, task.createdAt, out));
    }
    out.text(task.zone);
    out.text(task.rule);
    out.text(task.owner);
    out.text(task.cancelBy);
    out.text(task.outcome);
    if ((marks & APART) == 0) {
      out.bytes(task.payload.bytes());
    }
    return out.packed();
  }

  private static int marks(StoredTask task) {
    boolean claimed = task.token != 0 || task.attempt != 0 || task.claims != 0 || task.lapses != 0
        || task.claimedAt != 0 || !task.attempts.isEmpty();
    return (task.zone == null ? 0 : ZONE)
        | (task.rule == null ? 0 : RULE)
        | (claimed ? CLAIMED : 0)
        | (task.owner == null ? 0 : OWNER)
        | (task.cancelBy == null ? 0 : CANCEL_BY)
        | (task.outcome == null ? 0 : OUTCOME)
        | (task.nextAt == Due.NEVER ? NEVER : 0)
        | (task.stoppedAt == Due.NEVER ? 0 : STOPPED)
        | (standsApart(task.payload) ? APART : 0);
  }

  private static void write(Attempt attempt, long createdAt, Out out) {
    long start = attempt.start().toEpochMilli();
    out.number(attempt.number());
    out.difference(start - createdAt);
    out.difference(attempt.end().toEpochMilli() - start);
    out.text(attempt.node());
    out.text(attempt.outcome());
    out.number(attempt.error().isPresent() ? 1 : 0);
    out.text(attempt.error().orElse(null));
  }

  /**
   * Reads what {@link #pack} wrote.
   *
   * @param apart the payload, if it stands apart
   */
  static StoredTask unpack(byte[] packed, String queue, @Nullable Payload apart) {
    In in = new In(packed, ID);
    String id = in.text();
    in.number();
    List<Tag> tags = (packed[0] & TAGGED) == 0 ? List.of() : tags(in);
    int marks = (int) in.number();
    long seq = in.number();
    long createdAt = in.number();
    long dueAt = createdAt + in.difference();
    long readyAt = dueAt + in.difference();
    long updatedAt = createdAt + in.difference();
    long bufferMillis = in.number();
    long nextAt = (marks & NEVER) == 0 ? readyAt + in.difference() : Due.NEVER;
    long stoppedAt = (marks & STOPPED) == 0 ? Due.NEVER : createdAt + in.difference();
    boolean claimed = (marks & CLAIMED) != 0;
    long token = claimed ? in.number() : 0;
    int attempt = claimed ? (int) in.number() : 0;
    int claims = claimed ? (int) in.number() : 0;
    int lapses = claimed ? (int) in.number() : 0;
    long claimedAt = claimed ? createdAt + in.difference() : 0;
    List<Attempt> attempts = claimed ? attempts(in, createdAt) : List.of();
    String zone = (marks & ZONE) == 0 ? null : in.text();
    String rule = (marks & RULE) == 0 ? null : in.text();
    String owner = (marks & OWNER) == 0 ? null : in.text();
    String cancelBy = (marks & CANCEL_BY) == 0 ? null : in.text();
    String outcome = (marks & OUTCOME) == 0 ? null : in.text();
    Payload payload = apart == null ? Payload.of(in.rest()) : apart;

    StoredTask task = new StoredTask(queue, id, seq, slot(packed), payload, createdAt, zone);
    task.state = state(packed);
    task.lane = lane(packed);
    task.rule = rule;
    task.dueAt = dueAt;
    task.bufferMillis = bufferMillis;
    task.readyAt = readyAt;
    task.nextAt = nextAt;
    task.updatedAt = updatedAt;
    task.stoppedAt = stoppedAt;
    task.token = token;
    task.attempt = attempt;
    task.claims = claims;
    task.lapses = lapses;
    task.claimedAt = claimedAt;
    task.owner = owner;
    task.cancelBy = cancelBy;
    task.attempts = attempts;
    task.outcome = outcome;
    task.tags = tags;
    return task;
  }

  private static List<Tag> tags(In in) {
    return IntStream.range(0, (int) in.number()).mapToObj(i -> Tag.parse(in.text())).toList();
  }

  private static List<Attempt> attempts(In in, long createdAt) {
    int count = (int) in.number();
    if (count == 0) {
      return List.of();
    }
    List<Attempt> attempts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int number = (int) in.number();
      long start = createdAt + in.difference();
      long end = start + in.difference();
      attempts.add(new Attempt(number, in.text(), Instant.ofEpochMilli(start), Instant.ofEpochMilli(end), in.text(),
          in.number() == 0 ? Optional.empty() : Optional.of(in.text())));
    }
    return List.copyOf(attempts);
  }

  /** Returns whether a payload is kept beside the packed task, not in it. */
  static boolean standsApart(Payload payload) {
    return payload.size() > LARGEST_PAYLOAD;
  }

  static TaskState state(byte[] packed) {
    return STATES[packed[0] & STATE];
  }

  static int lane(byte[] packed) {
    return packed[0] >> LANE_SHIFT & LANE;
  }

  /** See {@link dev.bide.task.TaskId#slot}. */
  static int slot(byte[] packed) {
    return (packed[1] & 0xff) << 8 | packed[2] & 0xff;
  }

  /** Returns whether the task was claimed before, and that claim counts. */
  static boolean retried(byte[] packed) {
    return (packed[0] & RETRIED) != 0;
  }

  /** Returns whether the task is a failed life whose id lives again. */
  static boolean revived(byte[] packed) {
    return (packed[0] & REVIVED) != 0;
  }

  /** Notes that the task is a failed life whose id lives again. */
  static void setRevived(byte[] packed) {
    packed[0] |= REVIVED;
  }

  /** Compares the id of a task with an id in UTF-8, byte by byte. */
  static int compareId(byte[] packed, byte[] id) {
    In in = new In(packed, ID);
    int length = (int) in.number();
    return Arrays.compareUnsigned(packed, in.at, in.at + length, id, 0, id.length);
  }

  /** Returns the id of a task in UTF-8. */
  static byte[] id(byte[] packed) {
    In in = new In(packed, ID);
    int length = (int) in.number();
    return Arrays.copyOfRange(packed, in.at, in.at + length);
  }

  /** Returns whether the id of a task begins with these bytes. */
  static boolean idStartsWith(byte[] packed, byte[] prefix) {
    In in = new In(packed, ID);
    return in.number() >= prefix.length
        && Arrays.equals(packed, in.at, in.at + prefix.length, prefix, 0, prefix.length);
  }

  /** Returns the number of the queue of a task. */
  static int queue(byte[] packed) {
    In in = new In(packed, ID);
    in.skipText();
    return (int) in.number();
  }

  /** Returns how many tags a task has. */
  static int tags(byte[] packed) {
    return (packed[0] & TAGGED) == 0 ? 0 : (int) inTags(packed).number();
  }

  /** Returns one of the tags of a task, {@code key=value} in UTF-8. */
  static byte[] tag(byte[] packed, int number) {
    In in = toTag(packed, number);
    int length = (int) in.number();
    return Arrays.copyOfRange(packed, in.at, in.at + length);
  }

  /** Compares one of the tags of a task with a tag, byte by byte. */
  static int compareTag(byte[] packed, int number, byte[] tag) {
    In in = toTag(packed, number);
    int length = (int) in.number();
    return Arrays.compareUnsigned(packed, in.at, in.at + length, tag, 0, tag.length);
  }

  private static In toTag(byte[] packed, int number) {
    In in = inTags(packed);
    in.number();
    for (int i = 0; i < number; i++) {
      in.skipText();
    }
    return in;
  }

  private static In inTags(byte[] packed) {
    In in = new In(packed, ID);
    in.skipText();
    in.number();
    return in;
  }

  private static final class Out {
    private byte[] bytes;
    private int size;

    Out(int expected) {
      bytes = new byte[expected];
    }

    void octet(int value) {
      room(1);
      bytes[size++] = (byte) value;
    }

    void number(long value) {
      room(10);
      long rest = value;
      while ((rest & ~0x7fL) != 0) {
        bytes[size++] = (byte) (rest & 0x7f | 0x80);
        rest >>>= 7;
      }
      bytes[size++] = (byte) rest;
    }

    void difference(long value) {
      number(value << 1 ^ value >> 63);
    }

    /** Nothing at all for null. */
    void text(@Nullable String text) {
      if (text != null) {
        text(text.getBytes(UTF_8));
      }
    }

    void text(byte[] utf8) {
      number(utf8.length);
      bytes(utf8);
    }

    void bytes(byte[] more) {
      room(more.length);
      System.arraycopy(more, 0, bytes, size, more.length);
      size += more.length;
    }

    byte[] packed() {
      return Arrays.copyOf(bytes, size);
    }

    private void room(int needed) {
      if (bytes.length - size < needed) {
        bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + needed));
      }
    }
  }

  private static final class In {
    private final byte[] bytes;
    private int at;

    In(byte[] bytes, int at) {
      this.bytes = bytes;
      this.at = at;
    }

    long number() {
      long rest = 0;
      for (int shift = 0;; shift += 7) {
        byte next = bytes[at++];
        rest |= (next & 0x7fL) << shift;
        if (next >= 0) {
          return rest;
        }
      }
    }

    long difference() {
      long zigzag = number();
      return zigzag >>> 1 ^ -(zigzag & 1);
    }

    String text() {
      int length = (int) number();
      at += length;
      return new String(bytes, at - length, length, UTF_8);
    }

    void skipText() {
      int length = (int) number();
      at += length;
    }

    byte[] rest() {
      return Arrays.copyOfRange(bytes, at, bytes.length);
    }
  }
}
