package dev.bide.timer;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a queue that do not wait, in a form in which Lincheck can mix and compare them. A thread cancels and
 * moves what it put last. The clock stands still but for {@link #advance}.
 */
@Param(name = "delay", gen = IntGen.class, conf = "0:2")
@Param(name = "thread", gen = ThreadIdGen.class)
public final class QueueOperations {
  private final AtomicLong clock = new AtomicLong();
  private final BlockingTimerQueue<String> queue = new BlockingTimerQueue<>(new ObjectTimers<>(new IndexedHeap()),
      new MonotonicTime(clock::get));
  private final long[] handles = new long[8];
  private final int[] puts = new int[8];

  /** An empty queue. */
  public QueueOperations() {}

  @Operation
  public void put(@Param(name = "delay") int delay, @Param(name = "thread") int thread) {
    handles[thread] = queue.put(thread + "-" + puts[thread]++, delay, NANOSECONDS);
  }

  @Operation
  public boolean cancel(@Param(name = "thread") int thread) {
    return queue.cancel(handles[thread]);
  }

  @Operation
  public boolean move(@Param(name = "delay") int delay, @Param(name = "thread") int thread) {
    return queue.move(handles[thread], delay, NANOSECONDS);
  }

  @Operation
  public @Nullable String poll() {
    return queue.poll();
  }

  @Operation
  public String drain() {
    return queue.drain(2).toString();
  }

  @Operation
  public int size() {
    return queue.size();
  }

  @Operation
  public long advance() {
    return clock.incrementAndGet();
  }
}
