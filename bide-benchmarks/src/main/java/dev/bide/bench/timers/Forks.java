package dev.bide.bench.timers;

import static java.util.Objects.requireNonNull;

import dev.bide.bench.frame.Child;
import dev.bide.bench.frame.Work;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs pairs by JMH, in a JVM of their own. */
final class Forks {
  private static final TimeValue ONE_SHOT = TimeValue.milliseconds(1);
  private static final int BASE_MEGABYTES = 512;
  private static final int BYTES_A_TIMER = 400;
  private static final int MOST_MEGABYTES = 6_000;

  private Forks() {}

  /** Returns a heap in which every library has room for so many timers, and for its garbage. */
  static int megabytes(int timers) {
    return Math.min(MOST_MEGABYTES, BASE_MEGABYTES + (int) ((long) timers * BYTES_A_TIMER >> 20));
  }

  /** Returns the pairs of a second: {@code how} is a method of {@link Pair}. */
  static Work pairs(Sizes sizes, Library library, int pending, String how, int threads) throws RunnerException {
    RunResult found = new Runner(new OptionsBuilder()
        .include("^" + Pattern.quote(Pair.class.getName() + "." + how) + "$")
        .param("library", library.name()).param("pending", "" + pending).param("shotMillis", "" + sizes.shotMillis())
        .threads(threads).syncIterations(false).shouldDoGC(false).forks(sizes.forked() ? 1 : 0)
        .warmupTime(ONE_SHOT).warmupIterations(sizes.warmUps())
        .measurementTime(ONE_SHOT).measurementIterations(sizes.shots())
        .jvmArgs(Child.options(megabytes(pending)).toArray(String[]::new))
        .verbosity(VerboseMode.SILENT).shouldFailOnError(true).build()).runSingle();
    return new Work(Math.round(score(found, "pairs")), TimeUnit.SECONDS.toNanos(1), -1,
        Math.round(score(found, "cpuNanos")), -1);
  }

  private static double score(RunResult found, String counter) {
    return requireNonNull(found.getSecondaryResults().get(counter), counter).getScore();
  }
}
