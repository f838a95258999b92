package dev.bide.bench.frame;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;

/** What a run is made on and with, in words. */
final class Machine {
  private Machine() {}

  static String hardware() {
    double gigabytes = ManagementFactory
        .getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
            ? system.getTotalMemorySize() / 1e9
            : Double.NaN;
    return String.format(Locale.ROOT, "%d cores, %.1f GB, %s %s (%s)", Runtime.getRuntime().availableProcessors(),
        gigabytes, property("os.name"), property("os.version"), property("os.arch"));
  }

  static String java() {
    return property("java.vendor") + " " + property("java.vm.version") + ", heap up to "
        + Runtime.getRuntime().maxMemory() / 1_000_000 + " MB";
  }

  /** The commit is told by whoever starts the process. */
  static String versions() {
    return "bide " + System.getProperty("bide.commit", "of an unknown commit") + ", sqlite-jdbc " + sqlite();
  }

  static String disk(Path folder) throws IOException {
    return Files.getFileStore(folder).type() + " at " + folder;
  }

  private static String sqlite() {
    try (InputStream version = Machine.class
        .getResourceAsStream("/META-INF/maven/org.xerial/sqlite-jdbc/pom.properties")) {
      return version == null
          ? "?"
          : new String(version.readAllBytes(), UTF_8).lines().filter(line -> line.startsWith("version="))
              .map(line -> line.substring("version=".length())).findFirst().orElse("?");
    } catch (IOException e) {
      return "?";
    }
  }

  private static String property(String name) {
    return Objects.requireNonNull(System.getProperty(name), name);
  }
}
