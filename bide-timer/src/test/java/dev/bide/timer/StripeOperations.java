package dev.bide.timer;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;

/**
 * The calls of a stripe of {@link Timer}, as producers and the ticker make them. A thread cancels and moves what it
 * scheduled last. There are permits for three timers, and the ticker gives those back that it takes out.
 */
@Param(name = "deadline", gen = IntGen.class, conf = "0:3")
@Param(name = "thread", gen = ThreadIdGen.class)
public final class StripeOperations {
  private static final int AT_ONCE = 2;

  private record Named(String name) implements Runnable {
    @Override
    public void run() {}
  }

  private final Permits permits = new Permits(3);
  private final Stripe stripe = new Stripe(new IndexedHeap(), permits, 1);
  private final long[] handles = new long[8];
  private final int[] scheduled = new int[8];

  /** A stripe without timers. */
  public StripeOperations() {}

  @Operation
  public boolean schedule(@Param(name = "deadline") int deadline, @Param(name = "thread") int thread) {
    handles[thread] = stripe.schedule(deadline, new Named(thread + "-" + scheduled[thread]++), false);
    return handles[thread] != 0;
  }

  @Operation
  public boolean cancel(@Param(name = "thread") int thread) {
    return stripe.cancel(handles[thread]);
  }

  @Operation
  public boolean move(@Param(name = "deadline") int deadline, @Param(name = "thread") int thread) {
    return stripe.move(handles[thread], deadline);
  }

  @Operation(nonParallelGroup = "ticker")
  public String drain(@Param(name = "deadline") int now) {
    Runnable[] callbacks = new Runnable[AT_ONCE];
    int drained = stripe.drain(now, new long[AT_ONCE], callbacks);
    permits.giveBack(drained);
    return Arrays.stream(callbacks).filter(Objects::nonNull).map(Object::toString).collect(Collectors.joining(" "));
  }
}
