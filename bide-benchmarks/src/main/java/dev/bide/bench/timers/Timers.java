package dev.bide.bench.timers;

import dev.bide.bench.frame.Benchmark;
import dev.bide.bench.frame.Run;
import org.jspecify.annotations.Nullable;

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
    run.say("delays   " + Delays.WORDS);
    Pairs.measure(run, wanted);
  }
}
