package dev.bide.bench;

import dev.bide.bench.embedded.Embedded;
import dev.bide.bench.frame.CommandLine;
import dev.bide.bench.pullpush.PullPush;
import dev.bide.bench.timers.Timers;
import java.util.List;

/** Runs one of the benchmarks. */
final class Main {
  private Main() {}

  /** Takes the name of a benchmark and options; {@link CommandLine} says which. */
  public static void main(String[] args) {
    System.exit(CommandLine.run(List.of(new Embedded(), new PullPush(), new Timers()), System.out, System.err, args));
  }
}
