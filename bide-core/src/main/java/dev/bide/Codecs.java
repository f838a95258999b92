package dev.bide;

import dev.bide.spi.Codec;
import dev.bide.task.Payload;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Finds what turns the payloads of a type into bytes and back. */
final class Codecs {
  private Codecs() {}

  /**
   * Returns {@code given} if there is one, else a built-in codec for bytes and texts, else one from the class path.
   *
   * @throws IllegalArgumentException if there is none for {@code type}
   */
  static Codec find(Class<?> type, @Nullable Codec given) {
    if (given != null) {
      return given;
    }
    if (Plain.INSTANCE.handles(type)) {
      return Plain.INSTANCE;
    }
    for (Codec codec : ServiceLoader.load(Codec.class)) {
      if (codec.handles(type)) {
        return codec;
      }
    }
    throw new IllegalArgumentException("nothing on the class path turns " + type.getName()
        + " into a payload: add bide-json, which handles records, or give the queue a codec with QueueSpec.codec");
  }

  /** Bytes, texts and payloads as they are. */
  private static final class Plain implements Codec {
    static final Plain INSTANCE = new Plain();

    @Override
    public boolean handles(Class<?> type) {
      return type == byte[].class || type == String.class || type == Payload.class;
    }

    @Override
    public Payload encode(Object value) {
      return value instanceof byte[] bytes
          ? Payload.of(bytes)
          : value instanceof String text ? Payload.of(text) : (Payload) value;
    }

    @Override
    public <T> T decode(Payload payload, Class<T> type) {
      return type.cast(type == byte[].class ? payload.bytes() : type == String.class ? payload.text() : payload);
    }
  }
}
