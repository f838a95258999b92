package dev.bide.bench.frame;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Rounds of several contestants that alternate, so that what the machine does meanwhile meets all of them. The order
 * turns round after round, so that nobody always comes first; and one round of each goes before, uncounted.
 */
public final class Rounds {
  private static final String[] COLUMNS = {"", "a second", "the other", "ratio", "in rounds", "cost of a task",
      "of the other's"};

  private final List<List<Work>> works;

  private Rounds(List<List<Work>> works) {
    this.works = works;
  }

  /** One who takes part. */
  public interface Contestant {
    /** Plays a round; the preparation of it is not in the work. */
    Work play() throws Exception;
  }

  /** What is done with one of several in its round. */
  public interface Visit<T> {
    /** Does it. */
    void to(T one) throws Exception;
  }

  /** Plays {@code rounds} of each. */
  public static Rounds play(int rounds, Contestant... contestants) throws Exception {
    List<List<Work>> works = new ArrayList<>();
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i < contestants.length; i++) {
      all.add(i);
      works.add(new ArrayList<>());
    }
    alternate(rounds + 1, all, i -> works.get(i).add(contestants[i].play()));
    works.forEach(played -> played.remove(0));
    return new Rounds(works);
  }

  /** Visits each of {@code all} once a round, in an order that turns. */
  public static <T> void alternate(int rounds, List<T> all, Visit<? super T> visit) throws Exception {
    List<T> order = new ArrayList<>(all);
    for (int round = 0; round < rounds; round++) {
      for (T one : order) {
        visit.to(one);
      }
      Collections.reverse(order);
    }
  }

  /** Returns a figure of each round of one contestant. */
  public Figures figures(int contestant, ToDoubleFunction<Work> figure) {
    return Figures.of(works.get(contestant).stream().map(figure::applyAsDouble).toList());
  }

  /** Returns the tasks of a second, the middle of the rounds. */
  public double rate(int contestant) {
    return figures(contestant, Work::rate).median();
  }

  /** Returns, of each round, how many times the rate of {@code other} that of {@code one} was. */
  public Figures ratio(int one, int other) {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < works.get(one).size(); round++) {
      ratios.add(works.get(one).get(round).rate() / works.get(other).get(round).rate());
    }
    return Figures.of(ratios);
  }

  /** Returns an empty table for {@link #row}. */
  public static Table table(String title) {
    return new Table(title, COLUMNS);
  }

  /** Adds to {@code table} how {@code one} did beside {@code other}. */
  public void row(Table table, String what, int one, int other) {
    Figures ratio = ratio(one, other);
    table.row(what, Table.number(rate(one)), Table.number(rate(other)), Table.number(ratio.median()), ratio.spread(),
        cost(one), cost(other));
  }

  /** Returns what a task cost, all rounds together. */
  private String cost(int contestant) {
    return works.get(contestant).stream().reduce(Work::and).orElseThrow().cost();
  }
}
