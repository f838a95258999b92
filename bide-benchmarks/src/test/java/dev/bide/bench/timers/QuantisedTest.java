package dev.bide.bench.timers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.bide.timer.HashedWheel;
import dev.bide.timer.IndexedHeap;
import org.junit.jupiter.api.Test;

class QuantisedTest {
  @Test
  void inVirtualTimeAHashedWheelIsLateByWhatItRoundsUpAndAHeapIsNot() {
    assertArrayEquals(new double[]{20e6, 30e6, 30e6, 40e6, 20e6, 20e6},
        Quantised.inVirtualTime(new HashedWheel(0, 50_000_000, 8)));
    assertArrayEquals(new double[6], Quantised.inVirtualTime(new IndexedHeap()));
  }
}
