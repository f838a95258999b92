package dev.bide.timer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Two count up under a lock: both count, and the second sees what the first has written. */
@JCStressTest
@Outcome(id = "2", expect = ACCEPTABLE, desc = "one after the other")
@Outcome(expect = FORBIDDEN, desc = "at the same time")
@State
public class OneAtATime {
  private final SpinLock lock = new SpinLock();
  private int count;

  /** Counts. */
  @Actor
  public void one() {
    lock.lock();
    count++;
    lock.unlock();
  }

  /** Counts as well. */
  @Actor
  public void other() {
    lock.lock();
    count++;
    lock.unlock();
  }

  /** Looks. */
  @Arbiter
  public void count(I_Result result) {
    result.r1 = count;
  }
}
