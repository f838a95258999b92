package dev.bide.examples.ordertimeout;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A shop in a process of its own, which can be killed like any other. */
final class ShopProcess implements AutoCloseable {
  private static final Pattern OPEN = Pattern.compile("the shop is open at (\\S+)\n");
  private static final int START_SECONDS = 60;

  private final Process process;
  private final Path output;
  private final URI url;

  private ShopProcess(Process process, Path output) throws IOException, InterruptedException {
    this.process = process;
    this.output = output;
    url = awaitUrl();
  }

  /**
   * Starts a shop, and waits until it is open.
   *
   * @param main the class whose main method runs it
   * @throws IOException if it does not open; the message holds what it said
   */
  static ShopProcess start(Class<?> main, Settings settings) throws IOException, InterruptedException {
    Path output = Files.createTempFile(settings.data(), "shop-", ".out");
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
        System.getProperty("java.class.path"), main.getName()));
    command.addAll(settings.arguments());
    return new ShopProcess(
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start(), output);
  }

  private URI awaitUrl() throws IOException, InterruptedException {
    for (int i = 0; i < START_SECONDS * 50; i++) {
      boolean ended = process.waitFor(20, TimeUnit.MILLISECONDS);
      Matcher said = OPEN.matcher(Files.readString(output));
      if (said.find()) {
        return URI.create(said.group(1));
      }
      if (ended) {
        break;
      }
    }
    kill();
    throw new IOException("the shop did not open: " + Files.readString(output).strip());
  }

  URI url() {
    return url;
  }

  /** Ends it at once, with SIGKILL: it can do nothing more. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /**
   * Asks it to end, with SIGTERM.
   *
   * @return whether it did in 30 s
   */
  boolean stop() throws InterruptedException {
    process.destroy();
    return process.waitFor(30, TimeUnit.SECONDS);
  }

  /** Kills it if it still runs. */
  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
