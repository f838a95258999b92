package dev.bide.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.bide.Bide;
import dev.bide.Claim;
import dev.bide.Outcome;
import dev.bide.QueueSpec;
import dev.bide.TaskQueue;
import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.Codec;
import dev.bide.task.Payload;
import dev.bide.task.TaskState;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;

class JsonCodecTest {
  private static final String SECRET = "4111-1111";

  private final JsonCodec codec = new JsonCodec();

  enum Size {
    SMALL, LARGE {
      @Override
      public String toString() {
        return "quite large";
      }
    }
  }

  record Item(String name, int quantity, BigDecimal price, Size size) {}

  record Times(Instant instant, Duration duration, LocalDate date, OffsetDateTime offset, ZonedDateTime zoned,
      ZoneId zone, DayOfWeek day) {}

  record Order(String id, List<Item> items, Map<String, Item> byName, Set<Size> sizes, Optional<String> note,
      Optional<Item> gift, OptionalLong weight, boolean urgent, double rate, long version, BigInteger big) {}

  record Created(String id) {}

  /** As {@link Created}, some versions later. */
  record Later(String id, int quantity, boolean urgent, Optional<String> note, @Nullable List<String> tags) {}

  record Strict(String id, int quantity) {
    Strict {
      if (quantity < 0) throw new IllegalStateException("negative: " + id);
    }
  }

  record Prices(Map<String, Integer> cents) {}

  record Nested(@Nullable Nested inner) {}

  record Anything(Object value) {}

  record Number(BigDecimal decimal, BigInteger integer) {}

  record ByClass(Class<?> type) {}

  record ByClassKey(Map<Class<?>, String> types) {}

  record Typed(@JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) Object value) {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.MINIMAL_CLASS)
  interface Minimal {}

  record Small(int x) implements Minimal {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
  @JsonSubTypes({@JsonSubTypes.Type(value = Cancel.class, name = "cancel"),
      @JsonSubTypes.Type(value = Remind.class, name = "remind")})
  sealed interface Command permits Cancel, Remind {}

  record Cancel(String order) implements Command {}

  record Remind(String order, int level) implements Command {}

  sealed interface Untold permits One {}

  record One() implements Untold {}

  record Failing(String secret) {
    @Override
    public String secret() {
      throw new IllegalStateException(secret);
    }
  }

  /** Written by hand, the old way. */
  public static final class Bean {
    private String name = "unnamed";
    private int count = 7;

    public String getName() {
      return name;
    }

    public void setName(String name) {
      this.name = name;
    }

    public int getCount() {
      return count;
    }

    public void setCount(int count) {
      this.count = count;
    }
  }

  @Test
  void recordsComeBackAsTheyWere() {
    Item item = new Item("naïve 茶 🍵 \u0000 \"\\", 3, new BigDecimal("12.340"), Size.LARGE);
    Order order = new Order("42", List.of(item), Map.of("tea", item), Set.of(Size.SMALL), Optional.of("now"),
        Optional.empty(), OptionalLong.of(Long.MAX_VALUE), true, 0.1, Long.MIN_VALUE,
        BigInteger.TWO.pow(200));
    assertEquals(order, again(order));
    assertEquals(new Order("", List.of(), Map.of(), Set.of(), Optional.empty(), Optional.of(item), OptionalLong.empty(),
        false, -0.0, 0, BigInteger.ZERO),
        again(new Order("", List.of(), Map.of(), Set.of(), Optional.empty(), Optional.of(item), OptionalLong.empty(),
            false, -0.0, 0, BigInteger.ZERO)));
  }

  @Test
  void timesAreIsoTextAndKeepNanosecondsOffsetsAndZones() {
    Times times = new Times(Instant.parse("2026-03-01T10:00:00.000000001Z"), Duration.ofMillis(90_500),
        LocalDate.of(2026, 2, 28), OffsetDateTime.parse("2026-03-01T10:00:00+05:30"),
        ZonedDateTime.of(2026, 10, 25, 2, 30, 0, 0, ZoneId.of("Europe/Berlin")).withLaterOffsetAtOverlap(),
        ZoneId.of("Asia/Shanghai"), DayOfWeek.SUNDAY);
    assertEquals(times, again(times));
    String text = codec.encode(times).text();
    assertTrue(text.contains("\"2026-03-01T10:00:00.000000001Z\""), text);
    assertTrue(text.contains("\"PT1M30.5S\""), text);
    assertTrue(text.contains("\"2026-10-25T02:30:00+01:00[Europe/Berlin]\""), text);
  }

  @Test
  void enumsAreWrittenByName() {
    assertEquals("\"LARGE\"", codec.encode(Size.LARGE).text());
    assertEquals(Size.LARGE, read("\"LARGE\"", Size.class));
    assertRefused(Size.class, "1");
    assertRefused(Size.class, "\"quite large\"");
    assertRefused(Size.class, "\"HUGE\"");
  }

  @Test
  void plainValuesComeBackAsTheyWere() {
    for (Object value : List.of(7, Long.MAX_VALUE, 1.5, true, new BigDecimal("1.10"), Instant.EPOCH,
        Duration.ofDays(3), Optional.of("x"))) {
      assertEquals(value, codec.decode(codec.encode(value), value.getClass()));
    }
    assertEquals(Map.of("a", List.of(1, "b", false)),
        read(codec.encode(Map.of("a", List.of(1, "b", false))).text(), Map.class));
    assertEquals(List.of(1, 2), read("[1,2]", List.class));
    assertEquals(3, read("{\"a\":[3]}", JsonNode.class).at("/a/0").intValue());
  }

  @Test
  void beansComeBackAsTheyWere() {
    Bean bean = new Bean();
    bean.setName("x");
    bean.setCount(1);
    Bean back = codec.decode(codec.encode(bean), Bean.class);
    assertEquals("x", back.getName());
    assertEquals(1, back.getCount());
    assertEquals(7, read("{\"name\":\"y\"}", Bean.class).getCount());
  }

  @Test
  void aFieldThatTheTypeDoesNotHaveIsIgnored() {
    String later = codec.encode(new Later("42", 3, true, Optional.of("n"), List.of("a"))).text();
    assertEquals(new Created("42"), read(later, Created.class));
    assertEquals(new Created("42"), read("{\"new\":{\"deep\":[1,{}]},\"id\":\"42\"}", Created.class));
  }

  @Test
  void aFieldThatThePayloadDoesNotHaveIsEmpty() {
    assertEquals(new Later("42", 0, false, Optional.empty(), null),
        read(codec.encode(new Created("42")).text(), Later.class));
    assertEquals(0, read("{\"quantity\":null}", Strict.class).quantity());
    assertNull(read("{}", Created.class).id());
  }

  @Test
  void severalKindsOfTaskAreToldApartByNames() {
    assertTrue(codec.handles(Command.class));
    assertEquals("{\"@type\":\"remind\",\"order\":\"7\",\"level\":2}", codec.encode(new Remind("7", 2)).text());
    assertEquals(new Remind("7", 2), codec.decode(codec.encode(new Remind("7", 2)), Command.class));
    assertRefused(Command.class, "{\"@type\":\"java.lang.Runtime\"}");
    assertRefused(Command.class, "{\"@type\":\"" + One.class.getName() + "\"}");
  }

  @Test
  void whatCoreHandlesAndWhatCannotBeReadIsLeftAlone() {
    for (Class<?> type : List.of(byte[].class, String.class, Payload.class, Object.class, Class.class, Untold.class,
        Codec.class)) {
      assertFalse(codec.handles(type), type.getName());
    }
    for (Class<?> type : List.of(Order.class, Size.class, Bean.class, Map.class, List.class, Integer.class,
        java.lang.Number.class, int[].class, JsonNode.class, Size[].class)) {
      assertTrue(codec.handles(type), type.getName());
    }
  }

  @Test
  void classNamesAreNeitherWrittenNorRead() {
    String order = codec.encode(new Order("1", List.of(), Map.of(), Set.of(), Optional.empty(), Optional.empty(),
        OptionalLong.empty(), false, 0, 0, BigInteger.ONE)).text();
    assertFalse(order.contains("dev.bide") || order.contains("java."), order);
    assertEquals(Map.of("@class", "java.lang.Runtime"),
        read("{\"value\":{\"@class\":\"java.lang.Runtime\"}}", Anything.class).value());
    assertEquals(List.of("java.util.HashSet", List.of()),
        read("{\"value\":[\"java.util.HashSet\",[]]}", Anything.class).value());
    for (Object value : List.of(new ByClass(Order.class), new ByClassKey(Map.of(Order.class, "x")),
        new Anything(Order.class), new Typed("x"), new Small(1))) {
      assertThrows(IllegalArgumentException.class, () -> codec.encode(value), value.toString());
    }
    assertRefused(ByClass.class, "{\"type\":\"dev.bide.json.JsonCodecTest$Trap\"}");
    assertRefused(ByClassKey.class, "{\"types\":{\"dev.bide.json.JsonCodecTest$Trap\":\"x\"}}");
    assertRefused(Typed.class, "{\"value\":{\"@class\":\"dev.bide.json.JsonCodecTest$Trap\"}}");
    assertRefused(Minimal.class, "{\"@c\":\".JsonCodecTest$Small\",\"x\":1}");
    assertFalse(sprung);
  }

  private static boolean sprung;

  /** Tells when a payload makes someone load it. */
  static final class Trap {
    static {
      sprung = true;
    }
  }

  @Test
  void hostileDepthAndSizesAreRefusedQuickly() {
    assertRefused(Nested.class, "{\"inner\":".repeat(100_000));
    assertRefused(Anything.class, "{\"value\":" + "[".repeat(100_000));
    assertRefused(Created.class, "{\"unknown\":" + "[".repeat(100_000));
    assertRefused(Number.class, "{\"integer\":" + "9".repeat(200_000) + "}");
    assertRefused(Number.class, "{\"integer\":1e999999999}");
    assertRefused(Strict.class, "{\"quantity\":1e999999999}");
    assertRefused(Strict.class, "{\"quantity\":2147483648}");
    assertRefused(Strict.class, "{\"quantity\":1.5}");
    assertEquals(new BigDecimal("1e999999999"), read("{\"decimal\":1e999999999}", Number.class).decimal());
  }

  @Test
  void whatTheLimitsOfReadingRefuseIsNotWritten() {
    Nested chain = new Nested(null);
    for (int i = 0; i < 600; i++) {
      chain = new Nested(chain);
    }
    Nested deep = chain;
    assertThrows(IllegalArgumentException.class, () -> codec.encode(deep));
  }

  @Test
  void brokenPayloadsAreRefused() {
    for (String payload : List.of("", " ", "null", "{", "{}{}", "{} x", "[]", "7", "\"text\"", "{\"id\":\"x",
        "\u0000", "{'id':'x'}", "{\"id\":{}}")) {
      assertRefused(Created.class, payload);
    }
    assertThrows(IllegalArgumentException.class,
        () -> codec.decode(Payload.of(new byte[]{(byte) 0xC3, '(', '"'}), Created.class));
  }

  @Test
  void aRefusalNamesTheTypeAndThePlaceAndNeverTheContents() {
    assertMessage("{\"items\":[{\"quantity\":1},{\"quantity\":\"" + SECRET + "\"}]}", Order.class,
        Order.class.getName(), " at items[1].quantity ", "line 1, column", "int expected");
    assertMessage("{\"cents\":{\"" + SECRET + "\":\"x\"}}", Prices.class, Prices.class.getName(), " at cents[*] ");
    assertMessage("{\"id\":\"" + SECRET + "\",\"quantity\":-1}", Strict.class, "IllegalStateException");
    assertMessage("{\"id\":\"" + SECRET, Created.class, " at id ");
    assertMessage(SECRET, Created.class);
    assertMessage("{\"id\":\"x\"} " + SECRET, Created.class);
    assertMessage("\"" + SECRET + "\"", Size.class);
  }

  private void assertMessage(String payload, Class<?> type, String... parts) {
    IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> read(payload, type));
    for (String part : parts) {
      assertTrue(refusal.toString().contains(part), () -> part + " missing in: " + refusal);
    }
    for (Throwable cause = refusal; cause != null; cause = cause.getCause()) {
      String message = cause.toString();
      assertFalse(message.contains("4111"), message);
    }
  }

  @Test
  void whatCannotBeWrittenIsRefusedWithItsType() {
    IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class,
        () -> codec.encode(new Anything(List.of(new Failing(SECRET)))));
    assertTrue(refusal.toString().contains(Anything.class.getTypeName() + " as JSON at value[0].secret"),
        refusal.toString());
    assertFalse(refusal.toString().contains(SECRET), refusal.toString());
    assertThrows(IllegalArgumentException.class, () -> codec.encode(new Anything(new Object())));
    assertThrows(IllegalArgumentException.class, () -> codec.encode(new Anything(InputStream.nullInputStream())));
    assertEquals(new One(), again(new One()));
  }

  @Test
  void aMapperOfTheUserIsTakenWithItsSettings() {
    JsonCodec snake = JsonCodec.of(
        JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build());
    record Snake(String orderId) {}
    assertEquals("{\"order_id\":\"1\"}", snake.encode(new Snake("1")).text());
    assertEquals(new Snake("1"), snake.decode(Payload.of("{\"order_id\":\"1\"}"), Snake.class));
    assertThrows(IllegalArgumentException.class, () -> snake.encode(new Typed("x")));
    assertThrows(IllegalArgumentException.class, () -> snake.encode(new ByClass(Order.class)));
  }

  @Test
  void aMapperThatWritesClassNamesIsRefused() {
    JsonMapper typing = JsonMapper.builder()
        .activateDefaultTyping(BasicPolymorphicTypeValidator.builder().allowIfBaseType(Object.class).build()).build();
    assertThrows(IllegalArgumentException.class, () -> JsonCodec.of(typing));
  }

  @Test
  void queuesFindItByThemselves() {
    assertTrue(ServiceLoader.load(Codec.class).stream().anyMatch(found -> found.type() == JsonCodec.class));
    try (Bide bide = Bide.on(MemoryTaskStore.create()).start()) {
      TaskQueue<Order> orders = bide.queue(QueueSpec.of("orders", Order.class));
      Order order = new Order("42", List.of(), Map.of(), Set.of(), Optional.empty(), Optional.empty(),
          OptionalLong.empty(), false, 0, 0, BigInteger.ONE);
      orders.schedule("cancel", order, When.in(Duration.ZERO));
      List<Claim<Order>> claims = orders.take(1, Duration.ofSeconds(5));
      assertEquals(order, claims.get(0).payload());
      assertTrue(claims.get(0).settle(Outcome.done()));
    }
  }

  @Test
  void aPayloadThatCannotBeReadBecomesADeadLetterThatSaysWhyAndNotWhat() {
    MemoryTaskStore store = MemoryTaskStore.create();
    try (Bide writer = Bide.on(store).shared().start()) {
      writer.queue(QueueSpec.of("q", String.class)).schedule("bad", "{\"quantity\":\"" + SECRET + "\"}",
          When.in(Duration.ZERO));
    }
    try (Bide reader = Bide.on(store).start()) {
      TaskQueue<Strict> queue = reader.queue(QueueSpec.of("q", Strict.class));
      assertEquals(List.of(), queue.take(1, Duration.ofMillis(200)));
      assertTimeoutPreemptively(Duration.ofSeconds(10), () -> {
        while (queue.inspect("bad").orElseThrow().state() != TaskState.FAILED) Thread.onSpinWait();
      });
      String outcome = queue.inspect("bad").orElseThrow().outcome().orElseThrow();
      assertTrue(outcome.contains(Strict.class.getName()) && outcome.contains("quantity"), outcome);
      assertFalse(outcome.contains("4111"), outcome);
    }
  }

  private <T> T read(String json, Class<T> type) {
    return codec.decode(Payload.of(json), type);
  }

  @SuppressWarnings("unchecked") // the class of a value reads as that class
  private <T> T again(T value) {
    return (T) codec.decode(codec.encode(value), value.getClass());
  }

  private void assertRefused(Class<?> type, String json) {
    assertThrows(IllegalArgumentException.class, () -> read(json, type));
  }
}
