package dev.bide.bench.timers;

import dev.bide.bench.frame.Benchmark;
import dev.bide.bench.frame.Run;
import io.netty.util.HashedWheelTimer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.agrona.DeadlineTimerWheel;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.runner.Runner;

/** Timers in memory. */
public final class Timers implements Benchmark {
  private final @Nullable Sizes sizes;

  /** With the sizes that the run asks for. */
  public Timers() {
    this(null);
  }

  /** With these sizes, whatever the run asks for. */
  Timers(@Nullable Sizes sizes) {
    this.sizes = sizes;
  }

  @Override
  public String name() {
    return "timers";
  }

  @Override
  public String about() {
    return "timers in memory, beside those of the JDK, Netty, Agrona and Kafka";
  }

  @Override
  public void measure(Run run) throws Exception {
    Sizes wanted = sizes != null ? sizes : run.full() ? Sizes.FULL : Sizes.REDUCED;
    run.say("peers    " + peers());
    run.say("delays   " + Delays.WORDS);
    Pairs.measure(run, wanted);
    Engines.measure(run, wanted);
    Filled.measure(run, wanted);
    Most.measure(run, wanted);
    Fixed.measure(run, wanted);
    Live.measure(run, wanted);
    OneDeadline.measure(run, wanted);
    Accuracy.measure(run, wanted);
    Idle.measure(run, wanted);
    Quantised.measure(run);
    Singles.measure(run, wanted);
    Comparisons.measure(run, wanted);
    Drift.measure(run, wanted);
  }

  /** Returns the jars of others, whose names have their versions. */
  private static String peers() {
    return "those of the JDK; " + Stream.of(HashedWheelTimer.class, DeadlineTimerWheel.class, SystemTimer.class,
        Runner.class).map(Timers::jar).collect(Collectors.joining(", "));
  }

  private static String jar(Class<?> type) {
    String path = type.getProtectionDomain().getCodeSource().getLocation().getPath();
    return path.substring(path.lastIndexOf('/') + 1).replace(".jar", "");
  }
}
