package dev.bide.bench.embedded;

import dev.bide.bench.frame.Benchmark;
import dev.bide.bench.frame.Run;
import org.jspecify.annotations.Nullable;

/** The library with its embedded store. */
public final class Embedded implements Benchmark {
  private final @Nullable Sizes sizes;

  /** With the sizes that the run asks for. */
  public Embedded() {
    this(null);
  }

  /** With these sizes, whatever the run asks for. */
  Embedded(@Nullable Sizes sizes) {
    this.sizes = sizes;
  }

  @Override
  public String name() {
    return "embedded";
  }

  @Override
  public String about() {
    return "the library on its SQLite store, beside a bare loop on SQLite and beanstalkd";
  }

  @Override
  public void measure(Run run) throws Exception {
    Sizes wanted = sizes != null ? sizes : run.full() ? Sizes.FULL : Sizes.REDUCED;
    run.say("tasks    " + Supply.WORDS);
    run.say("floor    " + BareLoop.WORDS);
    Batches.measure(run, wanted);
    Singles.measure(run, wanted);
    Drain.measure(run, wanted);
    Backlog.measure(run, wanted);
    InMemory.measure(run, wanted);
    Lateness.measure(run, wanted);
    Beanstalk.measure(run, wanted);
  }
}
