package dev.bide.timer;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;

/**
 * The calls of a {@link LoopTimer}, of which some are its loop's. A thread cancels and moves what it scheduled last.
 * The clock stands still but for the loop, which goes on by a millisecond with each {@link #runOne}.
 */
@Param(name = "delay", gen = IntGen.class, conf = "1:3")
@Param(name = "thread", gen = ThreadIdGen.class)
public final class LoopOperations {
  private final AtomicLong millis = new AtomicLong();
  private final AtomicLong wakeUps = new AtomicLong();
  private final LoopTimer timer = new LoopTimer(new IndexedHeap(), wakeUps::incrementAndGet, e -> {},
      new MonotonicTime(() -> MILLISECONDS.toNanos(millis.get())));
  private final List<String> called = new ArrayList<>();
  private final long[] handles = new long[8];
  private final int[] scheduled = new int[8];

  /** A timer of which nothing was asked yet. */
  public LoopOperations() {}

  @Operation
  public void schedule(@Param(name = "delay") int delay, @Param(name = "thread") int thread) {
    String name = thread + "-" + scheduled[thread]++;
    handles[thread] = timer.schedule(delay, MILLISECONDS, () -> called.add(name));
  }

  @Operation
  public boolean cancel(@Param(name = "thread") int thread) {
    return timer.cancel(handles[thread]);
  }

  @Operation
  public boolean move(@Param(name = "delay") int delay, @Param(name = "thread") int thread) {
    return timer.move(handles[thread], delay, MILLISECONDS);
  }

  @Operation(nonParallelGroup = "loop")
  public String runOne() {
    called.clear();
    millis.incrementAndGet();
    timer.runDue(1);
    return called.toString();
  }

  @Operation(nonParallelGroup = "loop")
  public long sleep() {
    return timer.millisToNext();
  }
}
