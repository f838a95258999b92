package dev.bide.examples.ordertimeout;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Appends lines to a file, each with one write, so that none is torn or lost when the process is killed. Thread-safe.
 */
final class LogFile implements Consumer<String>, AutoCloseable {
  private final FileOutputStream out;

  LogFile(Path file) throws IOException {
    out = new FileOutputStream(file.toFile(), true);
  }

  @Override
  public void accept(String line) {
    try {
      out.write((line + "\n").getBytes(UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
