package dev.bide;

import dev.bide.spi.Codec;
import dev.bide.task.Payload;
import java.util.function.Predicate;

/** Texts, but for those that cannot be read: {@code readable} says which, or breaks down itself. */
record TextCodec(Predicate<String> readable) implements Codec {
  @Override
  public boolean handles(Class<?> type) {
    return true;
  }

  @Override
  public Payload encode(Object value) {
    return Payload.of(String.valueOf(value));
  }

  @Override
  public <T> T decode(Payload payload, Class<T> type) {
    if (!readable.test(payload.text())) {
      throw new IllegalArgumentException("not a text");
    }
    return type.cast(payload.text());
  }
}
