package dev.bide.bench.frame;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A measurement that needs a JVM of its own: it prints lines {@code name=number}. */
public final class Child {
  /** From this version of Java on a JVM warns of some calls that libraries make, or takes the option not to. */
  private static final int UNSAFE_WARNS = 23;

  private Child() {}

  /**
   * Runs {@code main} with the class path of this process, and returns what it printed.
   *
   * @param heapMegabytes the greatest size of its heap
   * @throws IOException if it failed; what it had to say went to the error output
   */
  public static Map<String, Double> run(int heapMegabytes, Class<?> main, Object... args)
      throws IOException, InterruptedException {
    String java = Objects.requireNonNull(System.getProperty("java.home")) + "/bin/java";
    List<String> command = new ArrayList<>(List.of(java));
    command.addAll(options(heapMegabytes));
    command.addAll(List.of("-cp", Objects.requireNonNull(System.getProperty("java.class.path")), main.getName()));
    for (Object arg : args) {
      command.add(arg.toString());
    }
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    try (Companion child = Companion.start(builder)) {
      Process process = child.process();
      Map<String, Double> found = new LinkedHashMap<>();
      process.inputReader(UTF_8).lines().map(line -> line.split("=", 2))
          .forEach(pair -> found.put(pair[0], Double.valueOf(pair[1])));
      if (process.waitFor() != 0) {
        throw new IOException(main.getSimpleName() + " ended with " + process.exitValue());
      }
      return found;
    }
  }

  /** Returns the options of a JVM for a measurement: its heap, and that nothing is printed but what is told. */
  public static List<String> options(int heapMegabytes) {
    List<String> options = new ArrayList<>(List.of("-Xmx" + heapMegabytes + "m", "-Dslf4j.internal.verbosity=ERROR"));
    if (Runtime.version().feature() >= UNSAFE_WARNS) {
      options.add("--sun-misc-unsafe-memory-access=allow");
    }
    return options;
  }

  /** Prints a figure for the process that waits for it. */
  public static void tell(String name, double value) {
    System.out.println(name + "=" + value);
  }

  /** Returns the bytes of heap in use when all garbage is gone. */
  public static long heapInUse() {
    Runtime runtime = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      System.gc();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }
}
