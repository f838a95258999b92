package dev.bide.json;

import static com.fasterxml.jackson.annotation.JsonTypeInfo.Id.CLASS;
import static com.fasterxml.jackson.annotation.JsonTypeInfo.Id.MINIMAL_CLASS;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotationIntrospectorPair;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/** Refuses whatever would put the name of a class into a payload, or load a class that a payload names. */
final class NoClassNames extends AnnotationIntrospectorPair {
  private static final long serialVersionUID = 1;

  private NoClassNames(AnnotationIntrospector given) {
    super(given, nopInstance());
  }

  /**
   * Returns {@code mapper} with the refusals added.
   *
   * @throws IllegalArgumentException if it has default typing
   */
  static JsonMapper in(JsonMapper mapper) {
    if (mapper.serializationConfig().getDefaultTyper(mapper.constructType(Object.class)) != null) {
      throw new IllegalArgumentException("a mapper for payloads must not have default typing: it writes class names");
    }
    return mapper.rebuild()
        .annotationIntrospector(new NoClassNames(mapper.serializationConfig().getAnnotationIntrospector()))
        .addModule(new SimpleModule("bide-no-class-names")
            .addSerializer(Class.class, new Writer())
            .addKeySerializer(Class.class, new Writer())
            .addDeserializer(Class.class, new Reader())
            .addKeyDeserializer(Class.class, new KeyReader()))
        .build();
  }

  @Override
  public JsonTypeInfo.@Nullable Value findPolymorphicTypeInfo(MapperConfig<?> config, Annotated annotated) {
    JsonTypeInfo.Value info = super.findPolymorphicTypeInfo(config, annotated);
    if (info != null && (info.getIdType() == CLASS || info.getIdType() == MINIMAL_CLASS)) {
      throw new Found("@JsonTypeInfo of " + annotated.getName() + " asks for class names; use names, Id.NAME");
    }
    return info;
  }

  /** Says what would have named a class; the message holds nothing of a payload. */
  static final class Found extends DatabindException {
    private static final long serialVersionUID = 1;

    Found(String message) {
      super(message);
    }

    private static Found ofClass() {
      return new Found("a payload holds no classes");
    }
  }

  private static final class Writer extends ValueSerializer<Object> {
    @Override
    public void serialize(Object value, JsonGenerator json, SerializationContext context) {
      throw Found.ofClass();
    }
  }

  private static final class Reader extends ValueDeserializer<Class<?>> {
    @Override
    public Class<?> deserialize(JsonParser json, DeserializationContext context) {
      throw Found.ofClass();
    }
  }

  private static final class KeyReader extends KeyDeserializer {
    @Override
    public Object deserializeKey(String key, DeserializationContext context) {
      throw Found.ofClass();
    }
  }
}
