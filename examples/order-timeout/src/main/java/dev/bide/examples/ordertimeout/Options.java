package dev.bide.examples.ordertimeout;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The options of a command line, {@code --name value} each. Every mistake is an {@link IllegalArgumentException}. */
final class Options {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h)");

  private final Map<String, String> values = new LinkedHashMap<>();

  private Options() {}

  /** Reads {@code args}; only the {@code known} names may occur, each once. */
  static Options of(String[] args, String... known) {
    Options options = new Options();
    for (int i = 0; i < args.length; i += 2) {
      String name = args[i].startsWith("--") ? args[i].substring(2) : "";
      if (!List.of(known).contains(name)) {
        throw new IllegalArgumentException(
            "no such option: " + args[i] + "; there are --" + String.join(", --", known));
      }
      if (i + 1 == args.length) {
        throw new IllegalArgumentException("--" + name + " needs a value");
      }
      if (options.values.put(name, args[i + 1]) != null) {
        throw new IllegalArgumentException("--" + name + " comes twice");
      }
    }
    return options;
  }

  String text(String name, String otherwise) {
    return values.getOrDefault(name, otherwise);
  }

  int number(String name, int otherwise, int least, int most) {
    String text = values.get(name);
    if (text == null) {
      return otherwise;
    }
    if (!text.matches("\\d{1,9}") || Integer.parseInt(text) < least || Integer.parseInt(text) > most) {
      throw bad(name, "a number from " + least + " to " + most, text);
    }
    return Integer.parseInt(text);
  }

  Duration duration(String name, Duration otherwise, Duration least, Duration most) {
    String text = values.get(name);
    Duration duration = text == null ? otherwise : parse(text);
    if (duration == null || duration.compareTo(least) < 0 || duration.compareTo(most) > 0) {
      throw bad(name, "a duration such as 30m, 90s or 500ms, from " + show(least) + " to " + show(most), text);
    }
    return duration;
  }

  <E extends Enum<E>> E oneOf(String name, E otherwise) {
    String text = values.get(name);
    if (text == null) {
      return otherwise;
    }
    E[] all = otherwise.getDeclaringClass().getEnumConstants();
    return Arrays.stream(all).filter(one -> show(one).equals(text)).findFirst().orElseThrow(
        () -> bad(name, "one of " + String.join(", ", Arrays.stream(all).map(Options::show).toList()), text));
  }

  private static @Nullable Duration parse(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      return null;
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      default -> Duration.ofHours(number);
    };
  }

  /** Returns a duration as it is written on the command line. */
  static String show(Duration duration) {
    long millis = duration.toMillis();
    if (millis % 1_000 != 0) {
      return millis + "ms";
    }
    long seconds = millis / 1_000;
    return seconds % 3_600 == 0 ? seconds / 3_600 + "h" : seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }

  static String show(Enum<?> one) {
    return one.name().toLowerCase(Locale.ROOT);
  }

  private static IllegalArgumentException bad(String name, String allowed, @Nullable String got) {
    return new IllegalArgumentException("--" + name + " must be " + allowed + ", got " + got);
  }
}
