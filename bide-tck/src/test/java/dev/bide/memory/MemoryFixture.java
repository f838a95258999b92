package dev.bide.memory;

import dev.bide.spi.SteadyClock;
import dev.bide.spi.TaskStore;
import dev.bide.tck.StoreFixture;
import java.util.function.LongSupplier;

/** A store in memory; a restart gives a new store object over the same records. */
public final class MemoryFixture implements StoreFixture {
  private final MemoryRecords records = new MemoryRecords();
  private volatile LongSupplier clock = SteadyClock.ofThisMachine(alarm -> {});
  private TaskStore store = MemoryTaskStore.over(records, () -> clock.getAsLong());

  /** A fixture without records. */
  public MemoryFixture() {}

  @Override
  public TaskStore open() {
    return store;
  }

  @Override
  public void setNow(long epochMillis) {
    clock = () -> epochMillis;
  }

  @Override
  public TaskStore reopen() {
    store.close();
    store = MemoryTaskStore.over(records, () -> clock.getAsLong());
    return store;
  }

  @Override
  public void close() {
    store.close();
  }
}
