package dev.bide.bench.frame;

import java.io.IOException;

/** Another process, which ends with this one at the latest. */
public final class Companion implements AutoCloseable {
  private final Process process;

  private Companion(Process process) {
    this.process = process;
  }

  /** Starts it. */
  public static Companion start(ProcessBuilder builder) throws IOException {
    Companion companion = new Companion(builder.start());
    Runtime.getRuntime().addShutdownHook(new Thread(companion::close, "end " + companion.process.pid()));
    return companion;
  }

  /** Returns the process. */
  public Process process() {
    return process;
  }

  /** Asks it to end, and waits until it has. */
  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }
}
