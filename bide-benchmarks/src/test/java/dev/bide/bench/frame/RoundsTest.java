package dev.bide.bench.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundsTest {
  private final List<String> played = new ArrayList<>();

  @Test
  void contestantsAlternateAndTheFirstRoundDoesNotCount() throws Exception {
    Rounds rounds = Rounds.play(3, contestant("a", 1, 4, 2, 4), contestant("b", 1, 2, 2, 1));
    assertEquals(List.of("a", "b", "b", "a", "a", "b", "b", "a"), played);
    assertEquals(4, rounds.rate(0));
    assertEquals(2, rounds.rate(1));
  }

  @Test
  void allAreVisitedInEachRoundInAnOrderThatTurns() throws Exception {
    Rounds.alternate(3, List.of("a", "b"), played::add);
    assertEquals(List.of("a", "b", "b", "a", "a", "b"), played);
  }

  @Test
  void aRatioIsTakenInEachRound() throws Exception {
    Figures ratio = Rounds.play(3, contestant("a", 1, 4, 2, 4), contestant("b", 1, 2, 2, 1)).ratio(0, 1);
    assertEquals(2, ratio.median());
    assertEquals("1.00-4.00", ratio.spread());
  }

  @Test
  void aRowSaysRatesRatioSpreadAndCost() throws Exception {
    Rounds rounds = Rounds.play(2, contestant("a", 1, 400, 400), contestant("b", 1, 200, 100));
    Table table = new Table("t", "", "a second", "the other", "ratio", "in rounds", "cost of a task", "of the other's");
    rounds.row(table, "both", 0, 1);
    String row = table.toString().lines().toList().get(2);
    assertEquals("both 400 150 3.00 2.00-4.00 0.500 commits, 8.00 B, 3.00 us CPU 0.500 commits, 8.00 B, 3.00 us CPU",
        row.strip().replaceAll(" +", " "));
  }

  /** Each round takes a second and does as many tasks as are given. */
  private Rounds.Contestant contestant(String name, int... tasks) {
    List<Integer> left = new ArrayList<>();
    for (int count : tasks) {
      left.add(count);
    }
    return () -> {
      played.add(name);
      int count = left.remove(0);
      return new Work(count, 1_000_000_000L, count / 2, count * 3_000L, count * 8L);
    };
  }
}
