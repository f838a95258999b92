package dev.bide.bench.timers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.bide.bench.frame.CommandLine;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TimersTest {
  private static final Sizes TINY = new Sizes(false, 1, 1, 1, 1, List.of(1_000));

  @Test
  void everyPartRunsInSmallAndSaysHowItsGoalStands(@TempDir Path folder) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream printed = new PrintStream(out, true, UTF_8);
    assertEquals(0, CommandLine.run(List.of(new Timers(TINY)), printed, printed, "timers", "--folder",
        folder.toString()), () -> out.toString(UTF_8));
    Set<String> goals = out.toString(UTF_8).lines().filter(line -> line.startsWith("goal "))
        .map(line -> line.split(" ")[1]).collect(Collectors.toCollection(TreeSet::new));
    assertEquals(Set.of("window-1000-stpe", "window-1000-netty", "window-1000-agrona", "window-1000-kafka",
        "random-1000-stpe", "random-1000-netty", "random-1000-agrona", "random-1000-kafka",
        "window-2-threads-1000-stpe",
        "window-2-threads-1000-netty", "window-2-threads-1000-kafka"), withoutForkJoin(goals));
  }

  /** Its delays came with Java 25. */
  private static Set<String> withoutForkJoin(Set<String> goals) {
    goals.removeIf(goal -> goal.endsWith("-fork-join"));
    return goals;
  }
}
