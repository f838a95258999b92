package dev.bide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.bide.spi.Claimed;
import dev.bide.task.Payload;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of a handler that runs too long when it cannot even be interrupted. */
class TimeoutsTest {
  private static final long GRACE = 1_000_000_000;

  private final Timeouts timeouts = new Timeouts();
  private final List<HeldClaim> stuck = new ArrayList<>();
  private final HeldClaim claim = new HeldClaim("q",
      new Claimed("a", 1, 1, 1, 0, false, Payload.of("x"), 0, 0, 0, 0, false, false, null), Long.MAX_VALUE);

  @Test
  void anInterruptThatBreaksDownForgetsNoHandler() {
    timeouts.started(claim, 100);
    assertThrows(OutOfMemoryError.class, () -> timeouts.turn(100, each -> {
      throw new OutOfMemoryError("unable to create native thread");
    }, stuck::add));
    assertEquals(100 + GRACE, timeouts.turn(100 + GRACE - 1, each -> true, stuck::add));
    assertEquals(List.of(), stuck);
    assertEquals(Duty.NEVER, timeouts.turn(100 + GRACE, each -> true, stuck::add));
    assertEquals(List.of(claim), stuck);
  }

  @Test
  void anInterruptThatComesTooLateIsFollowedByNothing() {
    timeouts.started(claim, 100);
    assertEquals(Duty.NEVER, timeouts.turn(100, each -> false, stuck::add));
    assertEquals(Duty.NEVER, timeouts.turn(100 + GRACE, each -> true, stuck::add));
    assertEquals(List.of(), stuck);
  }
}
