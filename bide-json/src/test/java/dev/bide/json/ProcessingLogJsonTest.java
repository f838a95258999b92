package dev.bide.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.Bide;
import dev.bide.Outcome;
import dev.bide.ProcessingLog;
import dev.bide.QueueSpec;
import dev.bide.Retry;
import dev.bide.TaskEvent;
import dev.bide.TaskQueue;
import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Core writes its log without a library; one that others trust must read it. */
class ProcessingLogJsonTest {
  private static final JsonMapper STRICT = JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
      .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
  private static final List<String> ORDER = List.of("at", "event", "queue", "task", "token", "attempt", "node",
      "latenessMs", "detail", "cause");
  private static final long SEED = 42;

  private static Map<String, Object> read(String line) {
    return STRICT.readValue(line, new TypeReference<>() {});
  }

  @Test
  void everyTextIsReadBackAsItWas() {
    Random random = new Random(SEED);
    List<String> lines = new ArrayList<>();
    ProcessingLog log = ProcessingLog.to(lines::add);
    for (int i = 0; i < 20_000; i++) {
      String detail = odd(random);
      log.on(new TaskEvent(TaskEvent.Kind.RETRIED, "orders", "cancel-" + i, Long.MAX_VALUE - i, 1, "n", Instant.EPOCH,
          Optional.of(Duration.ofMillis(i)), detail, Optional.empty()));
      Map<String, Object> fields = read(lines.get(i));
      assertEquals(detail, fields.getOrDefault("detail", ""), () -> "seed " + SEED + ": " + lines);
      assertEquals(Long.MAX_VALUE - i, fields.get("token"));
      assertEquals(i, fields.get("latenessMs"));
      lines.set(i, "");
    }
  }

  /** Mostly what gives trouble: quotes, backslashes, controls, line ends, halves of pairs. */
  private static String odd(Random random) {
    String troubles = "\"\\/u{},:\n\r\t\b\f\0\u001b\u007f\u0085\u2028\u2029\ufeff\uffff\ud83d\ude00";
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(8); length > 0; length--) {
      text.append(random.nextInt(4) == 0
          ? (char) random.nextInt(Character.MAX_VALUE + 1)
          : troubles.charAt(random.nextInt(troubles.length())));
    }
    return text.toString();
  }

  @Test
  void aTasksLifeIsFoundByItsId(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("processing.log");
    CountDownLatch done = new CountDownLatch(2);
    try (ProcessingLog log = ProcessingLog.to(file);
        Bide bide = Bide.on(MemoryTaskStore.create()).listener(log).listener(event -> {
          if (event.kind() == TaskEvent.Kind.COMPLETED) {
            done.countDown();
          }
        }).start()) {
      TaskQueue<String> queue = bide
          .queue(QueueSpec.of("orders", String.class).retry(Retry.fixed(Duration.ofMillis(5)).attempts(3)));
      queue.schedule("cancel-41", "secret", When.in(Duration.ofMillis(5)));
      queue.schedule("cancel-411", "secret", When.in(Duration.ofMillis(5)));
      queue.handle(claim -> {
        if (claim.attempt() == 1) {
          throw new IllegalStateException("the \"shop\"\nis closed");
        }
        return Outcome.done();
      });
      assertTrue(done.await(30, TimeUnit.SECONDS));
    }
    List<String> lines = Files.readAllLines(file);
    for (String line : lines) {
      List<String> names = List.copyOf(read(line).keySet());
      assertEquals(ORDER.stream().filter(names::contains).toList(), names, line);
      assertTrue(names.containsAll(List.of("at", "event", "node")), line);
      assertFalse(line.contains("secret"), line);
    }
    List<Map<String, Object>> life = lines.stream().filter(line -> line.contains("\"task\":\"cancel-41\""))
        .map(ProcessingLogJsonTest::read).toList();
    assertEquals(List.of("SCHEDULED", "CLAIMED", "STARTED", "RETRIED", "CLAIMED", "STARTED", "COMPLETED"),
        life.stream().map(fields -> fields.get("event")).toList());
    assertEquals("java.lang.IllegalStateException: the \"shop\" is closed", life.get(3).get("cause"));
  }
}
