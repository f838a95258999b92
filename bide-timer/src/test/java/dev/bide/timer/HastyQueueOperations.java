package dev.bide.timer;

import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;

/** Calls of which the move is wrong: between its cancel and its put the element is nowhere. */
@Param(name = "thread", gen = ThreadIdGen.class)
public final class HastyQueueOperations {
  private final QueueOperations calls = new QueueOperations();

  /** An empty queue. */
  public HastyQueueOperations() {}

  @Operation
  public void put(@Param(name = "thread") int thread) {
    calls.put(0, thread);
  }

  @Operation
  public void move(@Param(name = "thread") int thread) {
    if (calls.cancel(thread)) {
      calls.put(0, thread);
    }
  }

  @Operation
  public int size() {
    return calls.size();
  }
}
