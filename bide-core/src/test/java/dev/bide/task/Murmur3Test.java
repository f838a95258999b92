package dev.bide.task;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Murmur3Test {

  /** With seed 0. The first four are widely published, the others computed by a second implementation. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "''|0", "hello|248bfa47", "'hello, world'|149bbb7f", "The quick brown fox jumps over the lazy dog|2e4ff723",
      "a|3c2569b2", "ab|9bbfd75f", "abc|b3dd93fa", "abcd|43ed676a", "abcde|e89b9af6",
      "ü|7840e6aa", "订单|223f1cb6", "😀|beb42efa"})
  void agreesWithKnownVectors(String text, String hash) {
    assertEquals(hash, Integer.toHexString(Murmur3.hash32(text)));
  }
}
