package dev.bide.examples.ordertimeout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.bide.examples.ordertimeout.Settings.Mode;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OptionsTest {

  @Test
  void whatIsNotSaidHasADefault() {
    assertEquals(new Settings(Mode.PUSH, 8080, Path.of("shop-data"), Duration.ofMinutes(30), 8, Duration.ofSeconds(1),
        Duration.ofSeconds(30)), Settings.of());
  }

  @Test
  void everySettingCanBeSaid() {
    Settings settings = new Settings(Mode.HYBRID, 0, Path.of("d"), Duration.ofMillis(1_500), 3, Duration.ofHours(0)
        .plusMillis(20), Duration.ofMinutes(2));
    assertEquals(settings, Settings.of(settings.arguments().toArray(new String[0])));
    assertEquals(settings, Settings.of("--mode", "hybrid", "--port", "0", "--data", "d", "--timeout", "1500ms",
        "--attempts", "3", "--backoff", "20ms", "--lease", "2m"));
  }

  @Test
  void aMistakeIsExplained() {
    assertMistake("--mode must be one of push, pull, hybrid, got both", "--mode", "both");
    assertMistake("--port must be a number from 0 to 65535, got 65536", "--port", "65536");
    assertMistake("--timeout must be a duration such as 30m, 90s or 500ms, from 1ms to 8760h, got 0s", "--timeout",
        "0s");
    assertMistake("--lease must be a duration such as 30m, 90s or 500ms, from 100ms to 1h, got 30", "--lease", "30");
    assertMistake("--data needs a value", "--data");
    assertMistake("--port comes twice", "--port", "1", "--port", "2");
    assertMistake("no such option: port; there are --mode, --port, --data, --timeout, --attempts, --backoff, --lease",
        "port", "1");
  }

  private static void assertMistake(String message, String... args) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, () -> Settings.of(args)).getMessage());
  }
}
