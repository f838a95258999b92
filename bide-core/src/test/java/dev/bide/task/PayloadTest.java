package dev.bide.task;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

class PayloadTest {

  @Test
  void payloadsAreEqualIfTheirBytesAre() {
    assertEquals(Payload.of("é"), Payload.of("é".getBytes(UTF_8)));
    assertEquals(Payload.of("é").hashCode(), Payload.of("é".getBytes(UTF_8)).hashCode());
    assertNotEquals(Payload.of("a"), Payload.of("b"));
    assertNotEquals(Payload.of("a").hashCode(), Payload.of("b").hashCode());
    assertEquals(Payload.EMPTY, Payload.of(""));
  }

  @Test
  void whatIsDoneToTheArraysOfTheCallerChangesNoPayload() {
    byte[] bytes = {1, 2};
    Payload payload = Payload.of(bytes);
    bytes[0] = 9;
    payload.bytes()[1] = 9;
    assertArrayEquals(new byte[]{1, 2}, payload.bytes());
  }

  @Test
  void itsTextInALogIsItsSizeInBytes() {
    assertEquals(2, Payload.of("é").size());
    assertEquals("Payload[2 bytes]", Payload.of("é").toString());
  }
}
