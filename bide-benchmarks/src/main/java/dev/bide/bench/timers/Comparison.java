package dev.bide.bench.timers;

import dev.bide.bench.frame.Figures;
import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Rounds;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import dev.bide.bench.frame.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One of our libraries beside others, in rounds that alternate. */
final class Comparison {
  private static final int OURS = 0;

  private final List<Library> libraries;
  private final Rounds rounds;

  private Comparison(List<Library> libraries, Rounds rounds) {
    this.libraries = libraries;
    this.rounds = rounds;
  }

  /** What each does in a round. */
  interface Trial {
    /** Returns how fast {@code library} was. */
    Work play(Library library) throws Exception;
  }

  /** Plays {@code rounds} of ours, which comes first, and of the others. */
  static Comparison play(int rounds, Library ours, List<Library> others, Trial trial) throws Exception {
    List<Library> libraries = new ArrayList<>(List.of(ours));
    libraries.addAll(others);
    return new Comparison(libraries, Rounds.playFresh(rounds,
        libraries.stream().map(library -> (Rounds.Contestant) () -> trial.play(library))
            .toArray(Rounds.Contestant[]::new)));
  }

  /** Returns an empty table for {@link #rows}; {@code each} is what is done again and again. */
  static Table table(String title, String each) {
    return new Table(title, "pending", "", "ns a " + each, "CPU ns a " + each, "ours is faster", "in rounds");
  }

  /** Adds a row for each library. */
  void rows(Table table, int pending) {
    for (int i = 0; i < libraries.size(); i++) {
      Figures ratio = rounds.ratio(OURS, i);
      table.row("" + pending, libraries.get(i).words, Table.number(1e9 / rounds.rate(i)),
          Table.number(rounds.figures(i, work -> (double) work.cpuNanos() / work.tasks()).median()),
          i == OURS ? "" : Table.number(ratio.median()), i == OURS ? "" : ratio.spread());
    }
  }

  /** Says how many times faster ours is than those that are named in {@code wanted}, if they are here. */
  void goals(Run run, String name, Map<Library, Double> wanted) {
    for (int i = 0; i < libraries.size(); i++) {
      Library other = libraries.get(i);
      if (wanted.containsKey(other)) {
        run.goal(Goal.atLeast(name + "-" + other.key(), rounds.ratio(OURS, i).median(), wanted.get(other)));
      }
    }
  }
}
