package dev.bide.bench.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FiguresTest {

  @Test
  void theMedianIsTheMiddleWhateverTheOrder() {
    assertEquals(2, Figures.of(List.of(3, 1, 2)).median());
    assertEquals(2.5, Figures.of(List.of(4, 1, 3, 2)).median());
    assertEquals(7, Figures.of(List.of(7)).median());
  }

  @Test
  void aPercentileIsAFigureThatWasMeasured() {
    Figures hundred = Figures.of(IntStream.rangeClosed(1, 100).boxed().toList());
    assertEquals(50, hundred.percentile(50));
    assertEquals(99, hundred.percentile(99));
    assertEquals(100, hundred.percentile(99.1));
    assertEquals(100, hundred.percentile(100));
    assertEquals(2, Figures.of(List.of(1, 2)).percentile(99));
  }

  @Test
  void theSpreadIsFromTheLeastToTheGreatest() {
    assertEquals("0.51-0.63", Figures.of(List.of(0.6, 0.51, 0.63)).spread());
  }

  @Test
  void twoSetsCountAsOne() {
    assertEquals(2, Figures.of(List.of(1)).and(Figures.of(List.of(2, 9))).median());
  }

  @Test
  void noFiguresAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> Figures.of(List.of()));
  }
}
