package dev.bide.spi;

import dev.bide.task.Payload;

/**
 * Turns values into payloads and back. Thread-safe. Found by {@link java.util.ServiceLoader} unless given to the queue.
 *
 * <p>A payload never names a class: the reader states the type it expects.
 */
public interface Codec {

  /** Returns whether this codec can write and read values of {@code type}. */
  boolean handles(Class<?> type);

  /**
   * Writes a value.
   *
   * @throws IllegalArgumentException if the value cannot be written
   */
  Payload encode(Object value);

  /**
   * Reads a value.
   *
   * @throws IllegalArgumentException if the payload is not one of {@code type}
   */
  <T> T decode(Payload payload, Class<T> type);
}
