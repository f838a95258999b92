package dev.bide.bench.embedded;

import java.nio.ByteBuffer;

/**
 * A task to be scheduled.
 *
 * @param number stands for what else it has
 * @param dueAt in epoch milliseconds
 */
record Given(long number, long dueAt) {
  static final int PAYLOAD_BYTES = 100;
  private static final long FIRST_ID = 100_000_000_000L;

  /** Returns 12 digits. */
  String id() {
    return Long.toString(FIRST_ID + number);
  }

  byte[] payload() {
    return ByteBuffer.allocate(PAYLOAD_BYTES).putLong(number).array();
  }
}
