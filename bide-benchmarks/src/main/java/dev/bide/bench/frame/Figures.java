package dev.bide.bench.frame;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Figures of the same thing, measured again and again; one at least. Immutable. */
public final class Figures {
  private final List<Double> sorted;

  private Figures(List<Double> sorted) {
    this.sorted = sorted;
  }

  /** Returns the figures in any order. */
  public static Figures of(Collection<? extends Number> figures) {
    if (figures.isEmpty()) {
      throw new IllegalArgumentException("there are no figures");
    }
    return new Figures(figures.stream().map(Number::doubleValue).sorted().toList());
  }

  /** Returns these and {@code others} together. */
  public Figures and(Figures others) {
    return of(Stream.concat(sorted.stream(), others.sorted.stream()).toList());
  }

  /** Returns the middle one; of an even number the mean of the two in the middle. */
  public double median() {
    int size = sorted.size();
    return (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
  }

  /**
   * Returns the least figure that so many of a hundred do not exceed.
   *
   * @param percent more than 0, up to 100
   */
  public double percentile(double percent) {
    return sorted.get((int) Math.ceil(sorted.size() * percent / 100) - 1);
  }

  /** Returns the greatest. */
  public double most() {
    return sorted.get(sorted.size() - 1);
  }

  /** Returns how many there are. */
  public int count() {
    return sorted.size();
  }

  /** Returns the least and the greatest with two decimals: {@code 0.51-0.63}. */
  public String spread() {
    return String.format(Locale.ROOT, "%.2f-%.2f", sorted.get(0), most());
  }
}
