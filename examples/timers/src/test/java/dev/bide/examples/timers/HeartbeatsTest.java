package dev.bide.examples.timers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class HeartbeatsTest {
  private final Heartbeats heartbeats = new Heartbeats(30);

  @Test
  void aNodeThatMissesItsHeartbeatIsReportedOnce() {
    heartbeats.beat("a", 0);
    heartbeats.beat("b", 0);
    heartbeats.beat("a", 20);
    assertEquals(30, heartbeats.nextLook());
    assertEquals(List.of(), heartbeats.missed(29));
    assertEquals(List.of("b"), heartbeats.missed(30));
    assertEquals(List.of(), heartbeats.missed(49));
    assertEquals(List.of("a"), heartbeats.missed(50));
    assertEquals(List.of(), heartbeats.missed(1_000));
    assertEquals(Long.MAX_VALUE, heartbeats.nextLook());
  }

  @Test
  void aNodeThatBeatsInTimeIsNotReported() {
    for (long now = 0; now < 1_000; now += 29) {
      assertEquals(List.of(), heartbeats.missed(now));
      heartbeats.beat("a", now);
    }
  }

  @Test
  void aReportedNodeIsWatchedAgainWhenItComesBack() {
    heartbeats.beat("a", 0);
    assertEquals(List.of("a"), heartbeats.missed(30));
    heartbeats.beat("a", 100);
    assertEquals(List.of(), heartbeats.missed(129));
    assertEquals(List.of("a"), heartbeats.missed(130));
  }

  @Test
  void aNodeThatLeavesIsNotMissed() {
    heartbeats.beat("a", 0);
    heartbeats.beat("b", 0);
    heartbeats.leave("a");
    heartbeats.leave("unknown");
    assertEquals(List.of("b"), heartbeats.missed(1_000));
  }

  @Test
  void nodesAreReportedInTheOrderInWhichTheyFellSilent() {
    heartbeats.beat("b", 0);
    heartbeats.beat("a", 1);
    heartbeats.beat("c", 2);
    heartbeats.beat("b", 3);
    assertEquals(List.of("a", "c", "b"), heartbeats.missed(1_000));
  }
}
