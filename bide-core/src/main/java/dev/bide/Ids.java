package dev.bide;

import java.util.function.LongSupplier;

/**
 * Makes ids for tasks and nodes: 26 characters of Crockford's base 32, 48 bits of time before 80 random bits, so that
 * ids made later sort later and the index of a store grows at its end.
 */
final class Ids {
  private static final String DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";

  private Ids() {}

  /** Returns a new id out of random {@code bits}. */
  static String next(long epochMillis, LongSupplier bits) {
    StringBuilder id = new StringBuilder(26);
    digits(id, epochMillis, 10);
    digits(id, bits.getAsLong(), 8);
    digits(id, bits.getAsLong(), 8);
    return id.toString();
  }

  /** Returns a few random characters. */
  static String random(LongSupplier bits) {
    StringBuilder digits = new StringBuilder(8);
    digits(digits, bits.getAsLong(), 8);
    return digits.toString();
  }

  private static void digits(StringBuilder to, long bits, int count) {
    for (int i = count - 1; i >= 0; i--) {
      to.append(DIGITS.charAt((int) (bits >>> 5 * i) & 31));
    }
  }
}
