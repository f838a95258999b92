package dev.bide.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.Bide;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The library with a mistake in it: sources are changed, compiled and loaded before the right ones, and the simulator
 * plays on them.
 */
record Planted(String mistake, List<Change> changes) {
  private static final Path SOURCES = Path.of("..", "bide-core", "src", "main", "java", "dev", "bide");

  /** One place of a source, which must occur just once, and what stands there instead. Spaces may differ. */
  record Change(String file, String right, String wrong) {
    String in(String source) {
      Pattern place = Pattern.compile("\\s*" + String.join("\\s+", quoted(right.strip().split("\\s+"))));
      List<String> found = place.matcher(source).results().map(result -> result.group()).toList();
      assertEquals(1, found.size(), () -> file + " no longer holds this once, so the mistake must be planted anew: "
          + right);
      return place.matcher(source).replaceFirst(Matcher.quoteReplacement(" " + wrong));
    }

    private static List<String> quoted(String[] words) {
      return List.of(words).stream().map(Pattern::quote).toList();
    }
  }

  static Planted in(String file, String mistake, String right, String wrong) {
    return new Planted(mistake, List.of(new Change(file, right, wrong)));
  }

  /** The same with another change. */
  Planted and(String file, String right, String wrong) {
    List<Change> more = new ArrayList<>(changes);
    more.add(new Change(file, right, wrong));
    return new Planted(mistake, more);
  }

  /** Plays worlds until one is broken; returns how that was noticed, or nothing after {@code most} worlds. */
  Optional<String> play(int most, Path folder) throws IOException, ReflectiveOperationException {
    compile(folder);
    List<URL> urls = new ArrayList<>(List.of(url(folder)));
    for (Class<?> known : List.of(Simulation.class, Bide.class)) {
      urls.add(known.getProtectionDomain().getCodeSource().getLocation());
    }
    try (URLClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader())) {
      // The code's own assertions would notice some of it first.
      loader.setDefaultAssertionStatus(false);
      Class<?> simulation = loader.loadClass(Simulation.class.getName());
      Method of = simulation.getMethod("of", long.class);
      Method run = simulation.getMethod("run");
      for (long seed = 1; seed <= most; seed++) {
        try {
          run.invoke(of.invoke(null, seed));
        } catch (InvocationTargetException e) {
          assertTrue(e.getCause() instanceof AssertionError, () -> String.valueOf(e.getCause()));
          return String.valueOf(e.getCause().getMessage()).lines().findFirst();
        }
      }
      return Optional.empty();
    }
  }

  private void compile(Path folder) throws IOException {
    Path sources = Files.createDirectories(folder.resolve("sources"));
    List<Path> changed = new ArrayList<>();
    for (String file : changes.stream().map(Change::file).distinct().toList()) {
      String source = Files.readString(SOURCES.resolve(file + ".java"));
      for (Change change : changes) {
        source = change.file.equals(file) ? change.in(source) : source;
      }
      changed.add(Files.writeString(sources.resolve(Path.of(file).getFileName() + ".java"), source));
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options = List.of("-proc:none", "-nowarn", "-d", folder.toString(), "-classpath",
          System.getProperty("java.class.path"));
      assertTrue(compiler.getTask(said, files, null, options, null, files.getJavaFileObjectsFromPaths(changed)).call(),
          said::toString);
    }
  }

  private static URL url(Path folder) {
    try {
      return folder.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return mistake;
  }
}
