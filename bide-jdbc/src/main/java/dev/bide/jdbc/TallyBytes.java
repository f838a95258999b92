package dev.bide.jdbc;

import dev.bide.spi.Tally;
import java.io.ByteArrayOutputStream;

/**
 * Writes counters of queues as bytes: for each queue its number and how many counters follow, then for each the step
 * from the key before it, from 0 at first, and the count. All are varints, seven bits a byte, the lowest first; counts
 * are written 0, 1, 2, 3, 4 … for 0, -1, 1, -2, 2 …
 *
 * <p>Bytes written one after the other count together.
 */
final class TallyBytes {
  private final byte[] bytes;
  private int at;

  private TallyBytes(byte[] bytes) {
    this.bytes = bytes;
  }

  static void encode(long queue, Tally tally, ByteArrayOutputStream out) {
    long[] counters = {0, 0};
    tally.forEach((key, count) -> counters[0]++);
    write(queue, out);
    write(counters[0], out);
    tally.forEach((key, count) -> {
      write(key - counters[1], out);
      write(count << 1 ^ count >> 63, out);
      counters[1] = key;
    });
  }

  private static void write(long value, ByteArrayOutputStream out) {
    long rest = value;
    while (rest >>> 7 != 0) {
      out.write((int) (rest | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  /** Hands out all counters. */
  static void decode(byte[] bytes, Taker taker) {
    TallyBytes in = new TallyBytes(bytes);
    while (in.at < bytes.length) {
      long queue = in.read();
      long key = 0;
      for (long left = in.read(); left > 0; left--) {
        key += in.read();
        long count = in.read();
        taker.take(queue, key, count >>> 1 ^ -(count & 1));
      }
    }
  }

  private long read() {
    long value = 0;
    int shift = 0;
    byte next;
    do {
      next = bytes[at++];
      value |= (next & 0x7fL) << shift;
      shift += 7;
    } while (next < 0);
    return value;
  }

  /** Takes counters. */
  @FunctionalInterface
  interface Taker {
    void take(long queue, long key, long count);
  }
}
