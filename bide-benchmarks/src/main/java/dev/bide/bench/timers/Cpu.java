package dev.bide.bench.timers;

import dev.bide.bench.frame.Meter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The time of processors that has been taken.
 *
 * @param nanos by thread
 */
record Cpu(Map<String, Long> nanos) {
  private static final Path THREADS = Path.of("/proc/self/task");

  /**
   * Returns that of this process. Linux tells it for each thread to the nanosecond, and for the process to ten
   * milliseconds only; elsewhere it is what the JVM says.
   */
  static Cpu ofProcess() throws IOException {
    if (!Files.isReadable(THREADS.resolveSibling("schedstat"))) {
      return new Cpu(Map.of("all", Meter.here(() -> -1).cpuNanos().getAsLong()));
    }
    Map<String, Long> nanos = new HashMap<>();
    try (Stream<Path> threads = Files.list(THREADS)) {
      for (Path thread : threads.toList()) {
        try {
          nanos.put(thread.toString(), Long.valueOf(Files.readString(thread.resolve("schedstat")).split(" ")[0]));
        } catch (IOException e) {
          // It has ended, and what it took is not counted.
        }
      }
    }
    return new Cpu(nanos);
  }

  /** Returns that of the other threads that run Java; the JVM has more for itself. */
  static Cpu ofJavaThreads() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return new Cpu(LongStream.of(threads.getAllThreadIds())
        .filter(thread -> thread != Thread.currentThread().getId()).boxed()
        .collect(Collectors.toMap(Object::toString, threads::getThreadCpuTime)));
  }

  /** Returns what was taken since {@code before}. */
  long nanosSince(Cpu before) {
    return nanos.entrySet().stream().mapToLong(thread -> thread.getValue() - before.nanos.getOrDefault(thread.getKey(),
        0L)).sum();
  }
}
