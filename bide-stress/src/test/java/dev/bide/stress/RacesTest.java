package dev.bide.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the races in processes of their own, as jcstress does: some seconds each, or with {@code -Dbide.long=true} in
 * all ways of compiling them, for half an hour.
 */
class RacesTest {
  private static final List<String> LENGTH = Boolean.getBoolean("bide.long")
      ? List.of("-m", "default")
      : List.of("-m", "quick", "-sc", "false", "-af", "NONE", "-f", "1", "-iters", "2", "-time", "200", "-jvmArgs",
          "-Xmx256m");

  @Test
  void noRaceEndsInAForbiddenWay(@TempDir Path folder) throws IOException, InterruptedException {
    List<String> java = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
        System.getProperty("java.class.path"), "org.openjdk.jcstress.Main", "-r", folder.toString());
    Process process = new ProcessBuilder(Stream.concat(java.stream(), LENGTH.stream()).toList())
        .directory(folder.toFile()).redirectErrorStream(true).start();
    String said;
    try (var output = process.inputReader()) {
      said = String.join("\n", output.lines().toList());
      assertEquals(0, process.waitFor(), said);
    } finally {
      process.destroyForcibly();
    }
    assertTrue(said.contains("Failed tests: No matches."), said);
    assertTrue(said.contains("Error tests: No matches."), said);
    assertTrue(said.contains("All remaining tests: 5 matching test results."), said);
  }
}
