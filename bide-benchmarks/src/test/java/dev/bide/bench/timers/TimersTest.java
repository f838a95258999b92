package dev.bide.bench.timers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.bide.bench.frame.CommandLine;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TimersTest {
  private static final Sizes TINY = new Sizes(false, 1, 1, 1, 1, List.of(1_000), 100, 1_000, 1, List.of(1_000), 1,
      1_000, Duration.ofMillis(5), 1_000, 100, Duration.ofMillis(20), 1_000, Duration.ofMillis(20), 2_000,
      Duration.ofMillis(30));

  @Test
  void everyPartRunsInSmallAndSaysHowItsGoalStands(@TempDir Path folder) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream printed = new PrintStream(out, true, UTF_8);
    assertEquals(0, CommandLine.run(List.of(new Timers(TINY)), printed, printed, "timers", "--folder",
        folder.toString()), () -> out.toString(UTF_8));
    Set<String> goals = out.toString(UTF_8).lines().filter(line -> line.startsWith("goal "))
        .map(line -> line.split(" ")[1]).collect(Collectors.toCollection(TreeSet::new));
    // Its delays came with Java 25.
    goals.removeIf(goal -> goal.endsWith("-fork-join"));
    assertEquals(new TreeSet<>(Set.of("window-1000-stpe", "window-1000-netty", "window-1000-agrona",
        "window-1000-kafka", "random-1000-stpe", "random-1000-netty", "random-1000-agrona", "random-1000-kafka",
        "window-2-threads-1000-stpe", "window-2-threads-1000-netty", "window-2-threads-1000-kafka",
        "load-1000-delay-queue", "load-1000-stpe", "load-1000-netty", "load-1000-agrona", "load-1000-kafka",
        "heap-1000", "heap-1000-netty", "heap-1000-stpe", "most-2000-heap", "most-2000-random", "live-1000-stpe",
        "live-1000-netty", "live-1000-kafka", "live-1000-out-of-order", "one-deadline", "one-deadline-more-heap",
        "accuracy-early", "accuracy-p50", "accuracy-p99-stpe", "idle-1000")), goals);
  }
}
