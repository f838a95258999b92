package dev.bide.bench.frame;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * What grows while work is done. Each may answer -1, always: it is not known.
 *
 * @param commits transactions of the store
 * @param cpuNanos time of processors
 * @param bytes given to the operating system to write
 */
public record Meter(LongSupplier commits, LongSupplier cpuNanos, LongSupplier bytes) {

  /** Measures what this process does. */
  public static Meter here(LongSupplier commits) {
    return new Meter(commits, Meter::ownNanos, () -> written("self"));
  }

  /** Measures what another process does for this one: its bytes, and the processors' time of both. */
  public static Meter beside(ProcessHandle other) {
    return new Meter(() -> -1, () -> ownNanos() + other.info().totalCpuDuration().orElse(Duration.ZERO).toNanos(),
        () -> written("" + other.pid()));
  }

  private static long ownNanos() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getProcessCpuTime()
        : -1;
  }

  private static long written(String process) {
    Path io = Path.of("/proc", process, "io");
    if (!Files.isReadable(io)) {
      return -1;
    }
    try {
      return Files.readAllLines(io).stream().filter(line -> line.startsWith("wchar: "))
          .mapToLong(line -> Long.parseLong(line.substring("wchar: ".length()))).findFirst().orElse(-1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
