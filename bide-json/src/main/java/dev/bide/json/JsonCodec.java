package dev.bide.json;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.bide.spi.Codec;
import dev.bide.task.Payload;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JacksonException.Reference;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.TreeNode;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Payloads as JSON: records above all, and whatever else Jackson reads and writes without class names.
 *
 * <p>Thread-safe. On the class path it is found by itself; no queue needs to name it. Types change while tasks wait, and
 * the reader copes:
 *
 * <ul>
 * <li>a field that the type does not have (any more, or yet) is ignored;
 * <li>a field that the payload does not have is {@code null}, {@code Optional.empty()}, 0 or false; the compact
 * constructor of a record is the place for another default;
 * <li>enums are written by name, dates, times and durations as ISO-8601 text.
 * </ul>
 *
 * <p>What cannot be read without loss is refused: a number outside its type, a fraction for an integer, an unknown enum
 * constant, a number in place of one, text behind the value, more than 500 levels, a number of more than 1,000 digits.
 * No payload holds or chooses a class name: types that ask for it, {@code @JsonTypeInfo(use = CLASS)} or a field of
 * type {@code Class}, are refused when they are first used. For several kinds of task in one queue use
 * {@code @JsonTypeInfo(use = NAME)} on a sealed interface.
 */
public final class JsonCodec implements Codec {
  /** What core handles itself, and what says nothing of what to read. */
  private static final Set<Class<?>> NOT_OURS = Set.of(byte[].class, String.class, Payload.class, Object.class,
      Class.class);

  private final JsonMapper mapper;

  /** A codec with a mapper of its own; what {@link java.util.ServiceLoader} finds. */
  public JsonCodec() {
    this(JsonMapper.builder()
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
            DeserializationFeature.ACCEPT_FLOAT_AS_INT)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .enable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
        .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
        .disable(EnumFeature.READ_ENUMS_USING_TO_STRING, EnumFeature.WRITE_ENUMS_USING_TO_STRING)
        .disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS, DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS,
            DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE, DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID)
        .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
        .build());
  }

  private JsonCodec(JsonMapper mapper) {
    this.mapper = NoClassNames.in(mapper);
  }

  /**
   * A codec with the settings of {@code mapper}, to be given to {@code QueueSpec.codec}. Class names stay refused.
   *
   * @throws IllegalArgumentException if {@code mapper} has default typing, which writes class names
   */
  public static JsonCodec of(JsonMapper mapper) {
    return new JsonCodec(requireNonNull(mapper, "mapper"));
  }

  /**
   * Returns true but for what core handles itself ({@code byte[]}, {@code String}, {@code Payload}), for {@code Object}
   * and {@code Class}, and for abstract types of the application that do not say by {@code @JsonTypeInfo} or
   * {@code @JsonDeserialize} what to make of them.
   */
  @Override
  public boolean handles(Class<?> type) {
    boolean open = Modifier.isAbstract(type.getModifiers()) && !type.isPrimitive() && !type.isArray()
        && !type.getName().startsWith("java.") && !TreeNode.class.isAssignableFrom(type);
    boolean told = type.isAnnotationPresent(JsonTypeInfo.class) || type.isAnnotationPresent(JsonDeserialize.class);
    return !NOT_OURS.contains(type) && (!open || told);
  }

  @Override
  public Payload encode(Object value) {
    try {
      return Payload.of(mapper.writeValueAsBytes(value));
    } catch (JacksonException e) {
      throw refused("cannot write " + value.getClass().getTypeName() + " as JSON", e);
    }
  }

  @Override
  public <T> T decode(Payload payload, Class<T> type) {
    T value;
    try {
      value = mapper.readValue(payload.bytes(), type);
    } catch (JacksonException e) {
      throw refused("cannot read " + type.getTypeName() + " from JSON", e);
    }
    if (value == null) {
      throw new IllegalArgumentException("cannot read " + type.getTypeName() + " from JSON: it is null");
    }
    return value;
  }

  /** Says what and where, and neither quotes nor carries Jackson's own words: they hold parts of the payload. */
  private static IllegalArgumentException refused(String what, JacksonException e) {
    String path = path(e.getPath());
    TokenStreamLocation at = e.getLocation();
    boolean located = at != null && at.getLineNr() > 0;
    return new IllegalArgumentException(what + (path.isEmpty() ? "" : " at " + path)
        + (located ? " (line " + at.getLineNr() + ", column " + at.getColumnNr() + ")" : "") + ": " + reason(e));
  }

  private static String reason(JacksonException e) {
    if (e instanceof NoClassNames.Found) {
      return e.getOriginalMessage();
    }
    Throwable cause = e.getCause();
    Class<?> target = e instanceof MismatchedInputException mismatch ? mismatch.getTargetType() : null;
    return e.getClass().getSimpleName() + (target == null ? "" : ", " + target.getTypeName() + " expected")
        + (cause == null ? "" : ", caused by " + cause.getClass().getTypeName());
  }

  /** Returns {@code items[3].price}; the keys of maps are contents, and stay out. */
  private static String path(List<Reference> references) {
    StringBuilder path = new StringBuilder();
    for (Reference reference : references) {
      @Nullable
      String name = reference.getPropertyName();
      if (name == null) {
        path.append('[').append(reference.getIndex()).append(']');
      } else if (reference.from() instanceof Map) {
        path.append("[*]");
      } else {
        path.append(path.isEmpty() ? "" : ".").append(name);
      }
    }
    return path.toString();
  }
}
