package dev.bide.bench.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.bide.bench.frame.CommandLine;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedTest {
  private static final Sizes TINY = new Sizes(1, 1_000, 1_000, Duration.ofMillis(20), 1, 1_000, List.of(1_000), 1_000,
      Duration.ofMillis(100));

  @Test
  void everyPartRunsInSmallAndSaysHowItsGoalStands(@TempDir Path folder) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream printed = new PrintStream(out, true, UTF_8);
    assertEquals(0, CommandLine.run(List.of(new Embedded(TINY)), printed, printed, "embedded", "--folder",
        folder.toString()), () -> out.toString(UTF_8));
    Set<String> goals = out.toString(UTF_8).lines().filter(line -> line.startsWith("goal "))
        .map(line -> line.split(" ")[1]).collect(Collectors.toSet());
    assertEquals(Set.of("scheduleAll", "scheduleAll-beside-finished", "schedule-8-threads", "schedule-32-threads",
        "drain", "bytes-a-task-1000", "reopen-1000", "reopen-heap-1000", "insert-into-1000", "counts-of-1000",
        "counts-ready-of-1000", "load-of-1000", "load-between-hours-of-1000", "list-of-1000", "memory-heap-a-task-1000",
        "lateness-200-p50", "lateness-200-p99", "lateness-5000-p99", "lateness-early",
        "beanstalkd-schedule", "beanstalkd-scheduleAsync", "beanstalkd-cancel",
        "beanstalkd-cancelAsync"), goals);
  }
}
