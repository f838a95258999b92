package dev.bide.bench.frame;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandLineTest {
  @TempDir
  Path folder;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  /** A benchmark that does what it is told. */
  private record Scripted(String name, Part part) implements Benchmark {
    interface Part {
      void of(Run run) throws Exception;
    }

    @Override
    public String about() {
      return "is made up";
    }

    @Override
    public void measure(Run run) throws Exception {
      part.of(run);
    }
  }

  private final Benchmark good = new Scripted("good", run -> {
    run.print(new Table("a table", "full").row("" + run.full()));
    Files.writeString(run.folder("part").file("data"), "data");
    run.goal(Goal.atLeast("one", 2, 1));
  });
  private final Benchmark bad = new Scripted("bad", run -> {
    run.goal(Goal.atLeast("one", 2, 1));
    run.goal(Goal.atLeast("two", 0.5, 1));
  });
  private final Benchmark broken = new Scripted("broken", run -> {
    run.goal(Goal.atLeast("one", 2, 1));
    throw new IOException("no disk");
  });

  @Test
  void aRunSaysWhereItWasMadeAndWhatItFound() {
    assertEquals(0, run("good", "--full", "--check"));
    List<String> lines = lines(out);
    for (String begin : List.of("good, full", "machine  ", "java     ", "versions bide ", "date     ", "disk     ",
        "sync     before: p50 ", "a table", "  true", "sync     after: p50 ")) {
      assertTrue(lines.stream().anyMatch(line -> line.startsWith(begin)), () -> begin + " not in " + lines);
    }
    assertEquals("goal one 2.000 >=1.000 met", lines.get(lines.size() - 1));
  }

  @Test
  void itIsReducedUnlessAskedForInFull() {
    assertEquals(0, run("good"));
    assertTrue(lines(out).contains("good, reduced"));
    assertTrue(lines(out).contains("  false"));
  }

  @Test
  void aGoalThatIsShortFailsACheckOnly() {
    assertEquals(0, run("bad"));
    assertEquals(1, run("bad", "--check"));
    assertTrue(lines(out).contains("goal two 0.500 >=1.000 short"));
  }

  @Test
  void aRunThatBreaksFailsAndTellsWhatItHadFound() {
    assertEquals(1, run("broken"));
    assertTrue(lines(out).contains("goal one 2.000 >=1.000 met"));
    assertTrue(err.toString(UTF_8).contains("no disk"));
  }

  @Test
  void nothingIsLeftBehind() throws IOException {
    run("good");
    run("broken");
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void aMistakeListsNamesAndOptions() {
    for (String mistake : List.of("", "fast", "good --quick", "good --folder", "--check good")) {
      String[] args = mistake.isEmpty() ? new String[0] : mistake.split(" ");
      assertEquals(2, CommandLine.run(List.of(good, bad), stream(out), stream(err), args), mistake);
    }
    String text = err.toString(UTF_8);
    for (String part : List.of("which one?", "no such benchmark: fast", "no such option: --quick",
        "--folder needs a value", "no such benchmark: --check", "good         is made up", "bad          is made up",
        "--check", "--full", "--folder DIR")) {
      assertTrue(text.contains(part), part);
    }
    assertEquals("", out.toString(UTF_8));
  }

  @Test
  void helpIsNoMistake() {
    assertEquals(0, CommandLine.run(List.of(good), stream(out), stream(err), "--help"));
    assertTrue(out.toString(UTF_8).startsWith("usage: ./bench NAME"));
  }

  private int run(String name, String... options) {
    List<String> args = Stream
        .concat(Stream.of(name, "--folder", folder.toString()), Stream.of(options)).toList();
    return CommandLine.run(List.of(good, bad, broken), stream(out), stream(err), args.toArray(new String[0]));
  }

  private static PrintStream stream(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, UTF_8);
  }

  private static List<String> lines(ByteArrayOutputStream bytes) {
    return bytes.toString(UTF_8).lines().toList();
  }
}
