package dev.bide.bench.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class GoalTest {

  @Test
  void aGoalIsOneLineOfWords() {
    assertEquals("goal drain 0.412 >=0.400 met", Goal.atLeast("drain", 0.412, 0.4).toString());
    assertEquals("goal reopen 1234ms <=1000ms short", Goal.atMost("reopen", 1_234, 1_000, "ms").toString());
    assertEquals("goal late 12.3ms <=12.5ms met", Goal.atMost("late", 12.34, 12.5, "ms").toString());
  }

  @Test
  void theLimitItselfIsGoodEnough() {
    assertTrue(Goal.atLeast("a", 0.5, 0.5).met());
    assertFalse(Goal.atLeast("a", Math.nextDown(0.5), 0.5).met());
    assertTrue(Goal.atMost("a", 50, 50, "ms").met());
    assertFalse(Goal.atMost("a", Math.nextUp(50.0), 50, "ms").met());
  }

  @Test
  void whatCouldNotBeMeasuredIsShort() {
    assertEquals("goal peer unmeasured >=5.000 short", Goal.atLeast("peer", Double.NaN, 5).toString());
    assertEquals("goal heap unmeasured <=64.0MB short", Goal.atMost("heap", Double.NaN, 64, "MB").toString());
  }
}
