package dev.bide.bench.frame;

/** Something that can be measured by its name. */
public interface Benchmark {

  /** Returns its name on the command line. */
  String name();

  /** Returns in one line what it measures. */
  String about();

  /** Measures, and tells {@code run} what it found. */
  void measure(Run run) throws Exception;
}
