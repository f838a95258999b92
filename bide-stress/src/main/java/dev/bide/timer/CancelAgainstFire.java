package dev.bide.timer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A timer is cancelled while it comes due: it is one of the two. */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "cancelled")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "called")
@Outcome(expect = FORBIDDEN, desc = "both, or neither")
@State
public class CancelAgainstFire {
  private final Stripe stripe = new Stripe(new IndexedHeap(), new Permits(1), 1);
  private final long handle = stripe.schedule(5, () -> {}, false);

  /** Cancels. */
  @Actor
  public void cancel(II_Result result) {
    result.r1 = stripe.cancel(handle) ? 1 : 0;
  }

  /** Takes out what is due. */
  @Actor
  public void fire(II_Result result) {
    result.r2 = stripe.drain(5, new long[1], new Runnable[1]);
  }
}
