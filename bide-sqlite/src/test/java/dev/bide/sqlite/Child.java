package dev.bide.sqlite;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Another JVM with the class path of this one. It dies with the test. */
final class Child implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  private Child(Process process) {
    this.process = process;
    output = process.inputReader(UTF_8);
  }

  /**
   * Starts {@code main}.
   *
   * @param folder takes what the driver unpacks, which a killed process leaves behind
   */
  static Child start(Path folder, Class<?> main, String... arguments) throws IOException {
    Path unpacked = Files.createDirectories(folder.resolve("unpacked"));
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-Dorg.sqlite.tmpdir=" + unpacked, "-cp",
        System.getProperty("java.class.path"), main.getName()));
    Stream.of(arguments).forEach(command::add);
    return new Child(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Returns the next line that it printed; null when it has ended. */
  @SuppressWarnings("NullAway") // BufferedReader says null.
  String line() throws IOException {
    return output.readLine();
  }

  /** Kills it at once, and returns the whole lines that it had printed and nobody has read. */
  List<String> kill() throws IOException, InterruptedException {
    // By its handle, since the method of the process closes the stream as well.
    process.toHandle().destroyForcibly();
    List<String> rest = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (int c = output.read(); c >= 0; c = output.read()) {
      if (c == '\n') {
        rest.add(line.toString());
        line.setLength(0);
      } else {
        line.append((char) c);
      }
    }
    process.waitFor();
    return rest;
  }

  /** Returns what is left of its output, and how it ended. */
  int end(List<String> lines) throws IOException, InterruptedException {
    for (String line = line(); line != null; line = line()) {
      lines.add(line);
    }
    return process.waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
