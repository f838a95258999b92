package dev.bide;

import static dev.bide.TaskEvent.Kind.CLAIMED;
import static dev.bide.TaskEvent.Kind.COMPLETED;
import static dev.bide.TaskEvent.Kind.SCHEDULED;
import static dev.bide.TaskEvent.Kind.STORE_FAILED;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessingLogTest {
  private static final Instant AT = Instant.parse("2026-03-01T10:00:00.005Z");

  @TempDir
  Path folder;

  private static TaskEvent event(String task) {
    return new TaskEvent(SCHEDULED, "q", task, 0, 0, "n", AT, Optional.empty(), "", Optional.empty());
  }

  private static String line(String task) {
    return "{\"at\":\"2026-03-01T10:00:00.005Z\",\"event\":\"SCHEDULED\",\"queue\":\"q\",\"task\":\"" + task
        + "\",\"node\":\"n\"}";
  }

  private static String line(TaskEvent event) {
    List<String> lines = new CopyOnWriteArrayList<>();
    ProcessingLog.to(lines::add).on(event);
    assertEquals(1, lines.size());
    return lines.get(0);
  }

  @Test
  void anEventIsOneLineWithItsFieldsInOrder() {
    assertEquals("{\"at\":\"2026-03-01T10:00:00.005Z\",\"event\":\"CLAIMED\",\"queue\":\"orders\","
        + "\"task\":\"cancel-41\",\"token\":3,\"attempt\":2,\"node\":\"shop-7f3a\",\"latenessMs\":5,"
        + "\"detail\":\"no \\\"line\\\"\",\"cause\":\"java.lang.IllegalStateException: two lines\"}",
        line(new TaskEvent(CLAIMED, "orders", "cancel-41", 3, 2, "shop-7f3a", AT, Optional.of(Duration.ofMillis(5)),
            "no \"line\"", Optional.of(new IllegalStateException("two\nlines")))));
  }

  @Test
  void whatIsEmptyIsAbsent() {
    assertEquals("{\"at\":\"2026-03-01T10:00:00.005Z\",\"event\":\"STORE_FAILED\",\"node\":\"n\"}",
        line(new TaskEvent(STORE_FAILED, "", "", 0, 0, "n", AT, Optional.empty(), "", Optional.empty())));
  }

  @Test
  void instantsHaveMillisecondsAlways() {
    for (String at : List.of("2026-03-01T10:00:00.000Z", "2026-03-01T10:00:00.120Z", "1969-12-31T23:59:59.999Z")) {
      TaskEvent event = new TaskEvent(CLAIMED, "q", "a", 0, 0, "n", Instant.parse(at), Optional.of(Duration.ZERO), "",
          Optional.empty());
      assertEquals("{\"at\":\"" + at + "\",\"event\":\"CLAIMED\",\"queue\":\"q\",\"task\":\"a\",\"node\":\"n\","
          + "\"latenessMs\":0}", line(event));
    }
  }

  @Test
  void aCauseThatCannotTellItsMessageCostsNoLine() {
    RuntimeException mute = new RuntimeException() {
      @Override
      public String getMessage() {
        throw new IllegalStateException("no message");
      }
    };
    TaskEvent event = new TaskEvent(STORE_FAILED, "", "", 0, 0, "n", AT, Optional.empty(), "", Optional.of(mute));
    assertTrue(line(event).endsWith(",\"cause\":\"" + mute.getClass().getName() + "\"}"), line(event));
  }

  @Test
  void aFileIsAppendedToLineByLine() throws IOException {
    Path file = folder.resolve("processing.log");
    try (ProcessingLog log = ProcessingLog.to(file)) {
      log.on(event("a"));
      assertEquals(line("a") + "\n", Files.readString(file), "before it is closed");
      try (ProcessingLog another = ProcessingLog.to(file)) {
        another.on(event("b"));
      }
      log.on(event("\u00fc"));
    }
    assertEquals(line("a") + "\n" + line("b") + "\n" + line("\u00fc") + "\n", Files.readString(file));
  }

  @Test
  void aLineThatWasCutShortDoesNotSpoilTheNext() throws IOException {
    Path file = folder.resolve("processing.log");
    Files.writeString(file, line("a") + "\n{\"at\":\"20");
    try (ProcessingLog log = ProcessingLog.to(file)) {
      log.on(event("b"));
    }
    assertEquals(List.of(line("a"), "{\"at\":\"20", line("b")), Files.readAllLines(file));
  }

  @Test
  void aFullDiskCostsItsLinesAndNoMore() {
    ByteArrayOutputStream disk = new ByteArrayOutputStream();
    OutputStream tight = new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new AssertionError("a line is written with one call");
      }

      @Override
      public void write(byte[] bytes, int from, int length) throws IOException {
        boolean full = new String(bytes, UTF_8).contains("full");
        disk.write(bytes, from, full ? length / 2 : length);
        if (full) {
          throw new IOException("No space left on device");
        }
      }
    };
    try (LineFile file = new LineFile(tight, false)) {
      file.add("one");
      assertThrows(UncheckedIOException.class, () -> file.add("full"));
      file.add("two");
      file.add("three");
    }
    assertEquals("one\nfu\ntwo\nthree\n", disk.toString(UTF_8));
  }

  @Test
  void aFileThatCannotBeOpenedOrIsClosedIsRefused() {
    assertThrows(UncheckedIOException.class, () -> ProcessingLog.to(folder.resolve("no/such.log")));
    assertThrows(UncheckedIOException.class, () -> ProcessingLog.to(folder));
    ProcessingLog log = ProcessingLog.to(folder.resolve("processing.log"));
    log.close();
    log.close();
    assertThrows(UncheckedIOException.class, () -> log.on(event("a")));
  }

  @Test
  void manyThreadsWriteWholeLinesAlsoWhenInterrupted() throws Exception {
    Path file = folder.resolve("processing.log");
    try (ProcessingLog log = ProcessingLog.to(file)) {
      CountDownLatch go = new CountDownLatch(1);
      List<Thread> threads = IntStream.range(0, 8).mapToObj(i -> new Thread(() -> {
        Await.latch(go);
        Thread.currentThread().interrupt();
        for (int n = 0; n < 200; n++) {
          log.on(event(i + "-" + n));
        }
      })).toList();
      threads.forEach(Thread::start);
      go.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
    }
    List<String> expected = IntStream.range(0, 8).boxed()
        .flatMap(i -> IntStream.range(0, 200).mapToObj(n -> line(i + "-" + n))).sorted().toList();
    assertEquals(expected, Files.readAllLines(file).stream().sorted().toList());
  }

  @Test
  void aLogThatCannotBeWrittenHoldsUpNoTask() {
    ProcessingLog log = ProcessingLog.to(folder.resolve("processing.log"));
    log.close();
    List<TaskEvent> events = new CopyOnWriteArrayList<>();
    try (LogCapture warnings = new LogCapture();
        Bide bide = Bide.on(MemoryTaskStore.create()).listener(log).listener(events::add).start()) {
      TaskQueue<String> queue = bide.queue(QueueSpec.of("q", String.class));
      queue.handle(claim -> Outcome.done());
      queue.schedule("a", "x", When.now());
      Await.until("it is done", () -> events.stream().anyMatch(event -> event.kind() == COMPLETED));
      assertEquals(1, warnings.messages().stream().filter(message -> message.contains("a listener failed")).count());
    }
  }
}
