package dev.bide.checks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A Java block of a Markdown page.
 *
 * <p>A block holds statements, local types among them, behind imports if it needs more than the usual ones. One that
 * declares a class, an interface or a public type is a file of its own: it is compiled, not run. A comment in front of
 * a block changes that:
 *
 * <pre>{@code
 * <!-- sample: fragment -->    the block is compiled, not run; it may be members of a class
 * <!-- sample: setup
 * var orders = new Orders();   lines that the reader does not see, put before those of the block
 * -->
 * }</pre>
 *
 * @param page the page
 * @param line the first line of the block, counted from 1
 * @param runs whether it can run
 * @param sources what to compile: the first that compiles is meant. A source has its lines where the page has them, so
 * that a message and a stack trace name a line of the page
 */
record Sample(Path page, int line, boolean runs, List<String> sources) {
  private static final String IMPORTS = "import dev.bide.*; import dev.bide.task.*; import dev.bide.delay.*; "
      + "import dev.bide.spi.*; import dev.bide.memory.*; import java.time.*; import java.util.*; "
      + "import java.nio.file.*; import static java.time.Duration.*; ";

  /** An exception of any thread ends the sample, and fails it. */
  private static final String MAIN = "public static void main(String[] args) throws Exception { "
      + "Thread.setDefaultUncaughtExceptionHandler((t, e) -> { e.printStackTrace(); Runtime.getRuntime().halt(1); }); "
      + "run(); } static void run() throws Exception { ";

  private static final Pattern FILE = Pattern.compile(
      "((public|abstract|final|sealed|non-sealed) )*(class|interface|@interface) .*|public (record|enum) .*");

  static List<Sample> of(Path page) throws IOException {
    List<String> lines = Files.readAllLines(page);
    List<Sample> samples = new ArrayList<>();
    boolean fragment = false;
    String[] code = blank(lines.size());
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.equals("<!-- sample: fragment -->")) {
        fragment = true;
      } else if (line.equals("<!-- sample: setup")) {
        i = copy(lines, i + 1, "-->", code, page);
      } else if (line.startsWith("<!-- sample:")) {
        throw new IllegalArgumentException(page + ":" + (i + 1) + ": no such kind of sample: " + line);
      } else if (line.equals("```java")) {
        int first = i + 1;
        i = copy(lines, first, "```", code, page);
        samples.add(sample(page, first + 1, fragment, code));
        fragment = false;
        code = blank(lines.size());
      } else if (line.startsWith("```")) {
        i = copy(lines, i + 1, "```", blank(lines.size()), page);
      }
    }
    return samples;
  }

  String where() {
    return page + ":" + line;
  }

  private static Sample sample(Path page, int line, boolean fragment, String[] code) {
    // The first line of a page is never code: it is free for what goes around the code.
    String imports = IMPORTS;
    boolean file = Arrays.stream(code, line - 1, code.length).anyMatch(text -> FILE.matcher(text).matches());
    for (int i = 0; i < code.length; i++) {
      if (!code[i].startsWith("import ")) continue;
      imports += code[i] + " ";
      code[i] = "";
    }
    String body = String.join("\n", Arrays.asList(code).subList(1, code.length)) + "\n";
    String whole = imports + "\n" + body;
    String members = imports + "class Sample { " + "\n" + body + "}";
    String statements = imports + "class Sample { " + MAIN + "\n" + body + "} }";
    if (file) return new Sample(page, line, false, List.of(whole));
    if (fragment) return new Sample(page, line, false, List.of(statements, members));
    return new Sample(page, line, true, List.of(statements));
  }

  /** Copies up to the end mark, each line to its own place; returns the place of the mark. */
  private static int copy(List<String> lines, int from, String end, String[] code, Path page) {
    for (int i = from; i < lines.size(); i++) {
      if (lines.get(i).strip().equals(end)) return i;
      code[i] = lines.get(i);
    }
    throw new IllegalArgumentException(page + ":" + from + ": not ended by " + end);
  }

  private static String[] blank(int lines) {
    String[] code = new String[lines];
    Arrays.fill(code, "");
    return code;
  }
}
