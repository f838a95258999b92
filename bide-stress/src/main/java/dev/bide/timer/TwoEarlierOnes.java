package dev.bide.timer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Two timers are added that are both earlier than the ticker's sleep: it is woken for the earliest at any rate, once
 * each.
 */
@JCStressTest
@Outcome(id = {"1, 1, 0", "0, 1, 0"}, expect = ACCEPTABLE, desc = "woken for the earliest")
@Outcome(expect = FORBIDDEN, desc = "not woken for it, or woken again for none")
@State
public class TwoEarlierOnes {
  private final Alarm alarm = new Alarm();

  /** The ticker sleeps. */
  public TwoEarlierOnes() {
    alarm.sleepUntil(100);
  }

  /** Adds one. */
  @Actor
  public void later(III_Result result) {
    result.r1 = alarm.earlier(5) ? 1 : 0;
  }

  /** Adds an earlier one. */
  @Actor
  public void earlier(III_Result result) {
    result.r2 = alarm.earlier(3) ? 1 : 0;
  }

  /** Adds one that is not earlier than both. */
  @Arbiter
  public void asLate(III_Result result) {
    result.r3 = alarm.earlier(3) ? 1 : 0;
  }
}
