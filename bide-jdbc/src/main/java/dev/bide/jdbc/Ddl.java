package dev.bide.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Stream;

/** Reads the files that create tables. */
final class Ddl {
  private Ddl() {}

  /** Returns the statements of a file beside this class; each ends with a semicolon at the end of a line. */
  static List<String> statements(String name) {
    try (InputStream in = Ddl.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new AssertionError("no file " + name + " beside " + Ddl.class);
      }
      String text = new String(in.readAllBytes(), UTF_8);
      return Stream.of(text.split(";\\R")).filter(statement -> !statement.isBlank()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
