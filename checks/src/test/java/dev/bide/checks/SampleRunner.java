package dev.bide.checks;

import static java.util.stream.Collectors.joining;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles samples against the class path of this test, and runs each in a process and an empty folder of its own. */
final class SampleRunner {
  private final Path scratch;
  private final Duration limit;

  SampleRunner(Path scratch, Duration limit) {
    this.scratch = scratch;
    this.limit = limit;
  }

  /** Fails with an {@link AssertionError} that names the line of the page. */
  void check(Sample sample) throws IOException, InterruptedException {
    Path classes = Files.createTempDirectory(scratch, "classes");
    compile(sample, classes);
    if (sample.runs()) run(sample, classes);
  }

  private static void compile(Sample sample, Path classes) {
    String errors = "";
    for (String source : sample.sources()) {
      String found = errors(sample.page(), source, classes);
      if (found.isEmpty()) return;
      errors += found + "\n";
    }
    throw new AssertionError(sample.where() + " does not compile:\n" + errors);
  }

  private static String errors(Path page, String source, Path classes) {
    var compiler = ToolProvider.getSystemJavaCompiler();
    var diagnostics = new DiagnosticCollector<JavaFileObject>();
    var options = List.of("-Xlint:none", "-proc:none", "--release", "17", "-d", classes.toString(), "-classpath",
        System.getProperty("java.class.path"));
    compiler.getTask(null, null, diagnostics, options, null, List.of(new Source(page, source))).call();
    return diagnostics.getDiagnostics().stream().filter(found -> found.getKind() == Diagnostic.Kind.ERROR)
        .map(found -> page + ":" + found.getLineNumber() + ": " + found.getMessage(Locale.ROOT))
        .collect(joining("\n"));
  }

  private void run(Sample sample, Path classes) throws IOException, InterruptedException {
    Path output = Files.createTempFile(scratch, "output", ".txt");
    Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-classpath",
        classes + File.pathSeparator + System.getProperty("java.class.path"), "Sample")
        .directory(Files.createTempDirectory(scratch, "work").toFile())
        .redirectErrorStream(true).redirectOutput(output.toFile()).start();
    boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    if (!ended) process.destroyForcibly().waitFor();
    if (!ended || process.exitValue() != 0)
      throw new AssertionError(sample.where() + (ended ? " fails:\n" : " still ran after " + limit + ":\n")
          + Files.readString(output));
  }

  /** Named like the page, whatever class it declares, so that stack traces name the page. */
  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(Path page, String text) {
      super(URI.create("sample:///" + page.getFileName()), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public boolean isNameCompatible(String simpleName, Kind kind) {
      return kind == Kind.SOURCE;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
