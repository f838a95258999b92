package dev.bide.sqlite;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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
    return start(command(folder, List.of(), main, arguments));
  }

  /** Starts a command, which may prepare something and then run that of {@link #command}. */
  static Child start(List<String> command) throws IOException {
    return new Child(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Returns the command that runs {@code main} in a JVM with {@code options}. */
  static List<String> command(Path folder, List<String> options, Class<?> main, String... arguments)
      throws IOException {
    Path unpacked = Files.createDirectories(folder.resolve("unpacked"));
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dorg.sqlite.tmpdir=" + unpacked));
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  /** Returns the next line that it printed; null when it has ended. */
  @SuppressWarnings("NullAway") // BufferedReader says null.
  String line() throws IOException {
    return output.readLine();
  }

  /** Returns whether it still runs. */
  boolean alive() {
    return process.isAlive();
  }

  /** Sends it a signal, {@code TERM} for instance. */
  void signal(String name) throws IOException, InterruptedException {
    Process sent = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).inheritIO().start();
    if (sent.waitFor() != 0) {
      throw new IOException(name + " was not sent to " + process.pid());
    }
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
    process.onExit().join();
  }
}
