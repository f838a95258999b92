package dev.bide.timer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two want three of five permits each: together they get the five. */
@JCStressTest
@Outcome(id = {"3, 2, 0", "2, 3, 0"}, expect = ACCEPTABLE, desc = "one gets all, the other the rest")
@Outcome(expect = FORBIDDEN, desc = "more than there are, or less")
@State
public class LastPermit {
  private final Permits permits = new Permits(5);

  /** Takes. */
  @Actor
  public void one(III_Result result) {
    result.r1 = permits.take(3);
  }

  /** Takes as well. */
  @Actor
  public void other(III_Result result) {
    result.r2 = permits.take(3);
  }

  /** Counts what is left. */
  @Arbiter
  public void left(III_Result result) {
    result.r3 = permits.left();
  }
}
