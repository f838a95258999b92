package dev.bide;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.bide.CircuitBreaker.State;
import dev.bide.spi.Claimed;
import dev.bide.task.Payload;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a circuit breaker of three failures and a pause of 100 ns opens, probes and closes. */
class BreakerTest {
  private final Breaker breaker = new Breaker(3, 100);
  private final HeldClaim old = claim();
  private HeldClaim probe = claim();
  private long now;

  private static HeldClaim claim() {
    return new HeldClaim("q", new Claimed("a", 1, 1, 1, 0, false, Payload.of("x"), 0, 0, 0, 0, false, false, null),
        Long.MAX_VALUE);
  }

  /**
   * Each word is one step: {@code s}, {@code f} and {@code n} end some task with success, failure or nothing,
   * {@code os} and {@code of} one that was claimed at the beginning; {@code p} claims a probe, and {@code ps},
   * {@code pf}, {@code pn} and {@code pl} end it, or lose it; a number lets so many nanoseconds pass.
   */
  private void play(String steps) {
    breaker.claimed(old);
    for (String step : steps.split(" ")) {
      switch (step) {
        case "" -> {
        }
        case "s" -> end(some(), Breaker.Sign.SUCCESS);
        case "f" -> end(some(), Breaker.Sign.FAILURE);
        case "n" -> end(some(), Breaker.Sign.NOTHING);
        case "os" -> end(old, Breaker.Sign.SUCCESS);
        case "of" -> end(old, Breaker.Sign.FAILURE);
        case "p" -> {
          probe = claim();
          breaker.claimed(probe);
        }
        case "ps" -> end(probe, Breaker.Sign.SUCCESS);
        case "pf" -> end(probe, Breaker.Sign.FAILURE);
        case "pn" -> end(probe, Breaker.Sign.NOTHING);
        case "pl" -> probe.taken();
        default -> now += Long.parseLong(step);
      }
      breaker.turn(now);
    }
  }

  /** A task that was claimed when that was allowed last. */
  private HeldClaim some() {
    return state() == State.CLOSED ? claimed(breaker) : claim();
  }

  private static HeldClaim claimed(Breaker breaker) {
    HeldClaim claim = claim();
    breaker.claimed(claim);
    return claim;
  }

  private void end(HeldClaim claim, Breaker.Sign sign) {
    State before = state();
    assertEquals(breaker.ended(claim, sign, now), state() != before);
  }

  private State state() {
    return view().state();
  }

  private CircuitBreaker view() {
    return breaker.view(new StoreTime(1_000, 0, 0));
  }

  @ParameterizedTest(name = "{0} -> {1}, {2} may be claimed")
  @CsvSource(textBlock = """
      '',                        CLOSED,   all, 0, 0
      f f,                       CLOSED,   all, 2, 0
      f f f,                     OPEN,     0,   3, 1
      f f s f f,                 CLOSED,   all, 2, 0
      f f n f,                   OPEN,     0,   3, 1
      n n n,                     CLOSED,   all, 0, 0
      f f f f s n,               OPEN,     0,   3, 1
      f f f 99,                  OPEN,     0,   3, 1
      f f f 100,                 PROBING,  1,   3, 1
      f f f 100 s f f f n,       PROBING,  1,   3, 1
      f f f 100 p,               PROBING,  0,   3, 1
      f f f 100 p s f f f 1000,  PROBING,  0,   3, 1
      f f f 100 p ps,            CLOSED,   all, 0, 1
      f f f 100 p ps f f,        CLOSED,   all, 2, 1
      f f f 100 p ps f f f,      OPEN,     0,   3, 2
      f f f 100 p pf,            OPEN,     0,   4, 2
      f f f 100 p pf 99,         OPEN,     0,   4, 2
      f f f 100 p pf 100,        PROBING,  1,   4, 2
      f f f 100 p pf 100 p ps,   CLOSED,   all, 0, 2
      f f of,                    OPEN,     0,   3, 1
      f f f 100 p ps of f f,     CLOSED,   all, 2, 1
      f f f 100 p ps f f os f,   OPEN,     0,   3, 2
      f f f 100 p of os,         PROBING,  0,   3, 1
      f f f 100 p pl p ps pf,    CLOSED,   all, 0, 1
      f f f 100 p pn,            PROBING,  1,   3, 1
      f f f 100 p pn p ps,       CLOSED,   all, 0, 1
      f f f 100 p pn p pf,       OPEN,     0,   4, 2
      f f f 100 p pl,            PROBING,  1,   3, 1
      f f f 100 p pl ps,         PROBING,  1,   3, 1
      f f f 100 p pl pf,         PROBING,  1,   3, 1
      f f f 100 p pl p pf,       OPEN,     0,   4, 2
      """)
  void aSequenceOfOutcomesLeadsToOneState(String steps, State state, String most, long failures, long opened) {
    play(steps);
    assertEquals(state, state());
    assertEquals(most.equals("all") ? Integer.MAX_VALUE : Integer.parseInt(most), breaker.most());
    assertEquals(failures, view().failures());
    assertEquals(opened, view().opened());
    assertEquals(state == State.OPEN, view().openUntil().isPresent());
  }

  @Test
  void itSaysWhenThePauseIsOver() {
    assertEquals(Duty.NEVER, breaker.next());
    play("7 f f f");
    assertEquals(107, breaker.next());
    play("100");
    assertEquals(Duty.NEVER, breaker.next());
  }

  @Test
  void itTellsTheEndOfThePauseInTheTimeOfTheStore() {
    Breaker slow = new Breaker(1, 2_000_000_000);
    assertEquals(true, slow.ended(claimed(slow), Breaker.Sign.FAILURE, 0));
    assertEquals(new CircuitBreaker(State.OPEN, 1, 1, Optional.of(Instant.ofEpochMilli(3_000))),
        slow.view(new StoreTime(1_000, 0, 0)));
  }

  @Test
  void oneThatWasNotAskedForCountsAndNeverOpens() {
    Breaker off = new Breaker(0, 0);
    for (int i = 0; i < 100_000; i++) {
      assertEquals(false, off.ended(claimed(off), Breaker.Sign.FAILURE, i));
    }
    assertEquals(new CircuitBreaker(State.CLOSED, 100_000, 0, Optional.empty()), off.view(new StoreTime(0, 0, 0)));
  }
}
