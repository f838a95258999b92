package dev.bide.bench.timers;

import dev.bide.bench.frame.Figures;
import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Rounds;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Costs of one of our libraries and of others, by name, from rounds that alternate. */
final class Comparison {
  /** Nanoseconds for each of what is done. */
  static final String NANOS = "nanos";
  /** Of all processors together. */
  static final String CPU_NANOS = "cpu-nanos";

  private final Library ours;
  private final List<Library> libraries = new ArrayList<>();
  private final Map<Library, List<Map<String, Double>>> told = new EnumMap<>(Library.class);

  private Comparison(Library ours, List<Library> others) {
    this.ours = ours;
    libraries.add(ours);
    libraries.addAll(others);
  }

  /** What each does in a round. */
  interface Trial {
    /** Returns what it cost. */
    Map<String, Double> play(Library library) throws Exception;
  }

  /** Plays {@code rounds} of ours and of the others; they begin anew each time, and so warm up by themselves. */
  static Comparison play(int rounds, Library ours, List<Library> others, Trial trial) throws Exception {
    Comparison comparison = new Comparison(ours, others);
    Rounds.alternate(rounds, comparison.libraries,
        library -> comparison.told.computeIfAbsent(library, any -> new ArrayList<>()).add(trial.play(library)));
    return comparison;
  }

  /** Returns who was compared, ours first. */
  List<Library> libraries() {
    return libraries;
  }

  /** Returns a cost of each round. */
  Figures figures(Library library, String cost) {
    return Figures.of(told.getOrDefault(library, List.of()).stream().map(one -> value(one, cost)).toList());
  }

  /** Returns the middle of the rounds in words. */
  String median(Library library, String cost) {
    return Table.number(figures(library, cost).median());
  }

  /** Returns in words how many times that of ours the cost of another was, or nothing for ours. */
  String times(Library other, String cost) {
    if (other == ours) {
      return "";
    }
    Figures ratio = ratio(other, cost);
    return Table.number(ratio.median()) + " (" + ratio.spread() + ")";
  }

  /** Returns, of each round, how many times that of ours the cost of another was. */
  private Figures ratio(Library other, String cost) {
    List<Double> ratios = new ArrayList<>();
    List<Map<String, Double>> others = told.getOrDefault(other, List.of());
    List<Map<String, Double>> own = told.getOrDefault(ours, List.of());
    for (int round = 0; round < others.size(); round++) {
      ratios.add(value(others.get(round), cost) / value(own.get(round), cost));
    }
    return Figures.of(ratios);
  }

  private static double value(Map<String, Double> costs, String cost) {
    return costs.getOrDefault(cost, Double.NaN);
  }

  /** Says how many times that of ours the cost of others is, and wanted to be, if they are here. */
  void goals(Run run, String name, String cost, Map<Library, Double> wanted) {
    for (Library other : libraries) {
      if (wanted.containsKey(other)) {
        run.goal(Goal.atLeast(name + "-" + other.key(), ratio(other, cost).median(), wanted.get(other)));
      }
    }
  }

  /** Says what part of another's cost ours is, and wanted to be at most. */
  void part(Run run, String name, String cost, Library other, double most) {
    run.goal(Goal.atMost(name + "-" + other.key(), 1 / ratio(other, cost).median(), most, ""));
  }
}
