package dev.bide.task;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/** The bytes a task carries; Bide never looks inside. Immutable. */
public final class Payload {
  /** No bytes at all. */
  public static final Payload EMPTY = new Payload(new byte[0]);

  private final byte[] bytes;

  private Payload(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Copies {@code bytes} into a payload. */
  public static Payload of(byte[] bytes) {
    return bytes.length == 0 ? EMPTY : new Payload(bytes.clone());
  }

  /** Returns {@code text} in UTF-8. */
  public static Payload of(String text) {
    return text.isEmpty() ? EMPTY : new Payload(text.getBytes(UTF_8));
  }

  /** Returns a copy of the bytes. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** Reads the bytes as UTF-8; malformed input is replaced, not refused. */
  public String text() {
    return new String(bytes, UTF_8);
  }

  /** Returns whether the bytes of {@code part} in UTF-8 are somewhere in it. */
  public boolean contains(String part) {
    byte[] wanted = part.getBytes(UTF_8);
    for (int i = 0; i <= bytes.length - wanted.length; i++) {
      if (Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the number of bytes. */
  public int size() {
    return bytes.length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Payload that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** Names the size only, so that contents never reach a log by accident. */
  @Override
  public String toString() {
    return "Payload[" + bytes.length + " bytes]";
  }
}
