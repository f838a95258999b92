package dev.bide.bench.frame;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder that goes with all that is in it when it is closed. */
public final class Folder implements AutoCloseable {
  private final Path path;

  private Folder(Path path) {
    this.path = path;
  }

  /** Makes a new folder in {@code parent}, which goes at the end of the process at the latest. */
  static Folder in(Path parent) throws IOException {
    Folder folder = new Folder(Files.createTempDirectory(Files.createDirectories(parent), "bide-bench-"));
    Runtime.getRuntime().addShutdownHook(new Thread(folder::close, "remove " + folder.path));
    return folder;
  }

  Folder inside(String name) throws IOException {
    return new Folder(Files.createTempDirectory(path, name + "-"));
  }

  /** Returns where it is. */
  public Path path() {
    return path;
  }

  /** Returns the path of something in it. */
  public Path file(String name) {
    return path.resolve(name);
  }

  @Override
  public void close() {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> files = Files.walk(path)) {
      List<Path> innermostFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : innermostFirst) {
        Files.deleteIfExists(file);
      }
    } catch (NoSuchFileException | UncheckedIOException e) {
      // What is being closed may remove its own files at the same time.
      close();
    } catch (IOException e) {
      System.err.println("bench: cannot remove " + path + ": " + e);
    }
  }
}
