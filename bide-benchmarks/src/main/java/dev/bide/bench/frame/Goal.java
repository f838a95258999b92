package dev.bide.bench.frame;

import java.util.Locale;

/**
 * A figure and the limit it should keep.
 *
 * @param name one word
 * @param value what was measured; not a number if it could not be
 * @param sign {@code >=} or {@code <=}
 * @param limit the worst that is good enough
 * @param unit written behind the numbers; empty for a ratio
 */
public record Goal(String name, double value, String sign, double limit, String unit) {

  /** A ratio that should be {@code least} or more. */
  public static Goal atLeast(String name, double value, double least) {
    return new Goal(name, value, ">=", least, "");
  }

  /** A cost that should be {@code most} or less. */
  public static Goal atMost(String name, double value, double most, String unit) {
    return new Goal(name, value, "<=", most, unit);
  }

  /** Returns whether it is reached. What could not be measured is not. */
  public boolean met() {
    return sign.equals(">=") ? value >= limit : value <= limit;
  }

  /** Returns the line {@code goal NAME value wanted met|short}. */
  @Override
  public String toString() {
    String found = Double.isNaN(value) ? "unmeasured" : number(value) + unit;
    return String.join(" ", "goal", name, found, sign + number(limit) + unit, met() ? "met" : "short");
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, Math.abs(value) >= 100 ? "%.0f" : Math.abs(value) >= 10 ? "%.1f" : "%.3f", value);
  }
}
