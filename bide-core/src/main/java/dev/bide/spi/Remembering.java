package dev.bide.spi;

import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import dev.bide.task.TaskState;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the answers of a call small enough to be kept with every batch: about ten bytes an answer. Numbers are
 * variable-length, seven bits a byte, as differences from the answer before, zigzag (0, −1, 1, −2 … become 0, 1, 2, 3
 * …).
 */
final class Remembering {
  private static final Answer[] ANSWERS = Answer.values();
  private static final TaskState[] STATES = TaskState.values();

  private Remembering() {}

  static Payload ofWritten(List<Written> answers) {
    Out out = new Out();
    long seq = 0;
    long dueAt = 0;
    for (Written each : answers) {
      TaskState found = each.found();
      out.number(each.answer().ordinal());
      out.number(found == null ? STATES.length : found.ordinal());
      out.number(each.seq() - seq);
      out.moment(each.dueAt(), dueAt);
      out.moment(each.nextAt(), each.dueAt() == Due.NEVER ? 0 : each.dueAt());
      seq = each.seq();
      dueAt = each.dueAt() == Due.NEVER ? dueAt : each.dueAt();
    }
    return out.payload();
  }

  static List<Written> written(Payload payload) {
    In in = new In(payload);
    List<Written> answers = new ArrayList<>();
    long seq = 0;
    long dueBefore = 0;
    while (in.more()) {
      Answer answer = ANSWERS[(int) in.number()];
      int found = (int) in.number();
      seq += in.number();
      long dueAt = in.moment(dueBefore);
      long nextAt = in.moment(dueAt == Due.NEVER ? 0 : dueAt);
      dueBefore = dueAt == Due.NEVER ? dueBefore : dueAt;
      answers.add(new Written(answer, found == STATES.length ? null : STATES[found], seq, dueAt, nextAt));
    }
    return answers;
  }

  static Payload ofClaims(List<Claimed> claims) {
    Out out = new Out();
    long seq = 0;
    for (Claimed each : claims) {
      out.number(each.seq() - seq);
      out.number(each.token());
      seq = each.seq();
    }
    return out.payload();
  }

  static List<Held> held(String queue, Payload payload) {
    In in = new In(payload);
    List<Held> claims = new ArrayList<>();
    long seq = 0;
    while (in.more()) {
      seq += in.number();
      claims.add(new Held(queue, seq, in.number()));
    }
    return claims;
  }

  private static final class Out {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    void number(long value) {
      long rest = value << 1 ^ value >> 63;
      while ((rest & ~0x7fL) != 0) {
        bytes.write((int) (rest & 0x7f | 0x80));
        rest >>>= 7;
      }
      bytes.write((int) rest);
    }

    /** A moment or {@link Due#NEVER}: whether it is one, then the difference from {@code origin}. */
    void moment(long value, long origin) {
      number(value == Due.NEVER ? 0 : 1);
      if (value != Due.NEVER) {
        number(value - origin);
      }
    }

    Payload payload() {
      return Payload.of(bytes.toByteArray());
    }
  }

  private static final class In {
    private final ByteBuffer bytes;

    In(Payload payload) {
      bytes = ByteBuffer.wrap(payload.bytes());
    }

    boolean more() {
      return bytes.hasRemaining();
    }

    long number() {
      long rest = 0;
      for (int shift = 0;; shift += 7) {
        byte next = bytes.get();
        rest |= (next & 0x7fL) << shift;
        if (next >= 0) {
          return rest >>> 1 ^ -(rest & 1);
        }
      }
    }

    long moment(long origin) {
      return number() == 0 ? Due.NEVER : origin + number();
    }
  }
}
