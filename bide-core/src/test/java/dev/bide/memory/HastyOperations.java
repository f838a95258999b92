package dev.bide.memory;

import dev.bide.task.OnExisting;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;

/** Calls for one task, of which the cancel is wrong: between its look and its write a claim may come. */
@Param(name = "thread", gen = ThreadIdGen.class)
public final class HastyOperations {
  private static final int ID = 1;

  private final StoreOperations calls = new StoreOperations();

  /** A store with one task that is due. */
  public HastyOperations() {
    calls.insert(ID, 0, OnExisting.KEEP, 0);
  }

  @Operation
  public String cancel(@Param(name = "thread") int thread) {
    return calls.cancelHastily(ID, thread);
  }

  @Operation
  public String claim(@Param(name = "thread") int thread) {
    return calls.claim(thread);
  }
}
