package dev.bide;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.Codec;
import dev.bide.task.Payload;
import org.junit.jupiter.api.Test;

/** There is no codec on the class path here. */
class CodecsTest {
  record CancelOrder(String id) {}

  @Test
  void aTypeWithoutACodecIsRefusedWithWhatToAdd() {
    try (Bide bide = Bide.on(MemoryTaskStore.create()).start()) {
      IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class,
          () -> bide.queue(QueueSpec.of("orders", CancelOrder.class)));
      assertTrue(refusal.toString().contains(CancelOrder.class.getName()), refusal.toString());
      assertTrue(refusal.toString().contains("add bide-json"), refusal.toString());
      assertTrue(refusal.toString().contains("QueueSpec.codec"), refusal.toString());
    }
  }

  @Test
  void bytesTextsAndPayloadsNeedNone() {
    assertArrayEquals(new byte[]{1, -1}, again(new byte[]{1, -1}, byte[].class));
    assertEquals("茶 🍵", again("茶 🍵", String.class));
    assertEquals(Payload.of("x"), again(Payload.of("x"), Payload.class));
  }

  @Test
  void aGivenCodecIsTakenWhateverItSays() {
    Codec given = new Codec() {
      @Override
      public boolean handles(Class<?> type) {
        return false;
      }

      @Override
      public Payload encode(Object value) {
        return Payload.EMPTY;
      }

      @Override
      public <T> T decode(Payload payload, Class<T> type) {
        throw new IllegalArgumentException("nothing to read");
      }
    };
    assertSame(given, Codecs.find(CancelOrder.class, given));
  }

  private static <T> T again(T value, Class<T> type) {
    Codec codec = Codecs.find(type, null);
    return codec.decode(codec.encode(value), type);
  }
}
