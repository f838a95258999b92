package dev.bide.task;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * MurmurHash3 x86_32 by Austin Appleby (public domain), which every language has, so that others can compute a task's
 * slot.
 */
final class Murmur3 {
  private static final int C1 = 0xcc9e2d51;
  private static final int C2 = 0x1b873593;

  private Murmur3() {}

  static int hash32(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    int hash = 0;
    int whole = bytes.length & ~3;
    for (int i = 0; i < whole; i += 4) {
      int block = bytes[i] & 0xff | (bytes[i + 1] & 0xff) << 8 | (bytes[i + 2] & 0xff) << 16 | bytes[i + 3] << 24;
      hash = Integer.rotateLeft(hash ^ mix(block), 13) * 5 + 0xe6546b64;
    }
    int tail = 0;
    for (int i = bytes.length - 1; i >= whole; i--) {
      tail = tail << 8 | bytes[i] & 0xff;
    }
    hash ^= mix(tail) ^ bytes.length;
    hash = (hash ^ hash >>> 16) * 0x85ebca6b;
    hash = (hash ^ hash >>> 13) * 0xc2b2ae35;
    return hash ^ hash >>> 16;
  }

  private static int mix(int block) {
    return Integer.rotateLeft(block * C1, 15) * C2;
  }
}
