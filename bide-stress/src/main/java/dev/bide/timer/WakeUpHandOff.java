package dev.bide.timer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A timer is added while the ticker lies down: the ticker sees it, or is woken for it. */
@JCStressTest
@Outcome(id = {"1, 0", "0, 1", "1, 1"}, expect = ACCEPTABLE, desc = "woken, or seen")
@Outcome(expect = FORBIDDEN, desc = "slept through")
@State
public class WakeUpHandOff {
  private static final long LATER = 100;

  private final Stripe stripe = new Stripe(new IndexedHeap(), new Permits(1), 1);
  private final Alarm alarm = new Alarm();

  /** Adds first, and asks then. */
  @Actor
  public void add(II_Result result) {
    stripe.schedule(5, () -> {}, false);
    result.r1 = alarm.earlier(5) ? 1 : 0;
  }

  /** Says first how long it will sleep, and looks then. */
  @Actor
  public void sleep(II_Result result) {
    alarm.awake();
    alarm.sleepUntil(LATER);
    result.r2 = stripe.next() < LATER ? 1 : 0;
  }
}
