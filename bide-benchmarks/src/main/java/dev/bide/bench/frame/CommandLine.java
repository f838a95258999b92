package dev.bide.bench.frame;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;

/**
 * What was asked for.
 *
 * @param benchmark the one to run
 * @param check whether a goal that is not reached makes the run fail
 * @param full whether it takes the time it needs
 * @param folder where it may make files
 */
public record CommandLine(Benchmark benchmark, boolean check, boolean full, Path folder) {

  /**
   * Runs one of {@code all}.
   *
   * @return the exit status: 1 if it broke, or if {@code --check} was given and a goal is short; 2 if the arguments are
   *   wrong; else 0
   */
  public static int run(List<Benchmark> all, PrintStream out, PrintStream err, String... args) {
    if (Arrays.asList(args).contains("--help")) {
      out.print(usage(all));
      return 0;
    }
    CommandLine line;
    try {
      line = of(all, args);
    } catch (IllegalArgumentException e) {
      err.print("bench: " + e.getMessage() + "\n\n" + usage(all));
      return 2;
    }
    return line.run(out, err);
  }

  /**
   * Reads the arguments.
   *
   * @throws IllegalArgumentException if they are wrong, with what is allowed
   */
  static CommandLine of(List<Benchmark> all, String... args) {
    if (args.length == 0) {
      throw new IllegalArgumentException("which one?");
    }
    Benchmark named = all.stream().filter(one -> one.name().equals(args[0])).findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no such benchmark: " + args[0]));
    CommandLine line = new CommandLine(named, false, false,
        Path.of(Objects.requireNonNull(System.getProperty("java.io.tmpdir"))));
    for (Iterator<String> rest = Arrays.asList(args).listIterator(1); rest.hasNext();) {
      String option = rest.next();
      line = switch (option) {
        case "--check" -> new CommandLine(named, true, line.full, line.folder);
        case "--full" -> new CommandLine(named, line.check, true, line.folder);
        case "--folder" -> new CommandLine(named, line.check, line.full, folder(rest));
        default -> throw new IllegalArgumentException("no such option: " + option);
      };
    }
    return line;
  }

  private static Path folder(Iterator<String> rest) {
    if (!rest.hasNext()) {
      throw new IllegalArgumentException("--folder needs a value");
    }
    return Path.of(rest.next());
  }

  static String usage(List<Benchmark> all) {
    StringBuilder text = new StringBuilder("usage: ./bench NAME [options]\n");
    all.forEach(one -> text.append(String.format("  %-12s %s%n", one.name(), one.about())));
    return text.append("""
        options
          --check      exits with 1 if a goal is short
          --full       takes the sizes and the time that the published figures need; else at most five minutes
          --folder DIR where files are made, and removed afterwards; the temporary folder unless given
        """).toString();
  }

  private int run(PrintStream out, PrintStream err) {
    try (Folder root = Folder.in(folder)) {
      out.println(benchmark.name() + (full ? ", full" : ", reduced"));
      out.println("machine  " + Machine.hardware());
      out.println("java     " + Machine.java());
      out.println("versions " + Machine.versions());
      Instant begun = Instant.now().truncatedTo(ChronoUnit.SECONDS);
      out.println("date     " + begun);
      out.println("disk     " + Machine.disk(root.path()));
      sync(out, "before", root);
      Run run = new Run(full, root, out, err);
      try {
        benchmark.measure(run);
        out.println();
        sync(out, "after", root);
        out.println("took     " + begun.until(Instant.now(), ChronoUnit.SECONDS) + " s");
      } finally {
        run.goals().forEach(out::println);
      }
      return check && !run.goals().stream().allMatch(Goal::met) ? 1 : 0;
    } catch (Exception e) {
      err.println("bench: " + benchmark.name() + " broke");
      e.printStackTrace(err);
      return 1;
    }
  }

  private static void sync(PrintStream out, String when, Folder folder) throws Exception {
    out.println("sync     " + when + ": " + Disk.words(Disk.syncMillis(folder.path())) + " (write and sync of 4 KB)");
  }
}
