package dev.bide;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * Appends lines to a file, each with one write, so that none is lost or torn when the process is killed. A line that
 * was cut short all the same, by a full disk or a power cut, does not spoil the next one. Thread-safe.
 */
final class LineFile implements AutoCloseable {
  private final OutputStream out; // guarded by this
  private boolean midLine; // guarded by this

  /** Lines that go to {@code out}; if it stands in the middle of one, that is ended first. */
  LineFile(OutputStream out, boolean midLine) {
    this.out = out;
    this.midLine = midLine;
  }

  /** Opens the file, or makes it. */
  static LineFile at(Path path) {
    try {
      boolean midLine = endsMidLine(path.toFile());
      // No channel: it closes when a thread that writes is interrupted, as handlers are.
      return new LineFile(new FileOutputStream(path.toFile(), true), midLine);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean endsMidLine(File file) throws IOException {
    if (file.length() == 0) {
      return false;
    }
    try (RandomAccessFile in = new RandomAccessFile(file, "r")) {
      in.seek(in.length() - 1);
      return in.read() != '\n';
    }
  }

  synchronized void add(String line) {
    byte[] bytes = ((midLine ? "\n" : "") + line + "\n").getBytes(UTF_8);
    midLine = true;
    try {
      out.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    midLine = false;
  }

  @Override
  public synchronized void close() {
    try {
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
