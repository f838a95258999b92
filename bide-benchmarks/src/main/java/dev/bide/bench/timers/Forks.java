package dev.bide.bench.timers;

import static java.util.Objects.requireNonNull;

import dev.bide.bench.frame.Child;
import java.util.Map;
import java.util.regex.Pattern;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs single operations by JMH, each time in a new JVM. */
final class Forks {
  private static final TimeValue ONE_CALL = TimeValue.milliseconds(1);

  private Forks() {}

  /** Returns what a pair costs: {@code how} is a method of {@link Pair}. */
  static Map<String, Double> pairs(Sizes sizes, Library library, int pending, String how, int threads)
      throws RunnerException {
    RunResult found = new Runner(options(sizes, Pair.class, how, pending).param("library", library.name())
        .param("shotMillis", "" + sizes.shotMillis()).threads(threads).syncIterations(false)
        .warmupTime(ONE_CALL).warmupIterations(sizes.warmUps())
        .measurementTime(ONE_CALL).measurementIterations(sizes.shots()).build()).runSingle();
    double pairs = score(found, "pairs");
    return Map.of(Comparison.NANOS, 1e9 / pairs, Comparison.CPU_NANOS, score(found, "cpuNanos") / pairs);
  }

  private static double score(RunResult found, String counter) {
    return requireNonNull(found.getSecondaryResults().get(counter), counter).getScore();
  }

  /** Returns the nanoseconds of an operation: {@code what} is a method of {@link Single}. */
  static double single(Sizes sizes, int pending, String what) throws RunnerException {
    RunResult found = new Runner(options(sizes, Single.class, what, pending).warmupIterations(sizes.singleShots())
        .measurementIterations(sizes.singleShots()).build()).runSingle();
    return found.getPrimaryResult().getStatistics().getPercentile(50) / Single.TIMES;
  }

  private static ChainedOptionsBuilder options(Sizes sizes, Class<?> benchmark, String method, int pending) {
    return new OptionsBuilder().include("^" + Pattern.quote(benchmark.getName() + "." + method) + "$")
        .param("pending", "" + pending).forks(sizes.forked() ? 1 : 0)
        .jvmArgs(Child.options(Apart.megabytes(pending)).toArray(String[]::new))
        .shouldDoGC(false).shouldFailOnError(true).verbosity(VerboseMode.SILENT);
  }
}
