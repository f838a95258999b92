package dev.bide.memory;

import dev.bide.spi.SteadyClock;
import dev.bide.spi.TaskStore;
import dev.bide.tck.StoreFixture;
import dev.bide.tck.TaskStoreContract;
import java.util.function.LongSupplier;

class MemoryTaskStoreTest extends TaskStoreContract {

  @Override
  protected StoreFixture newFixture() {
    return new MemoryFixture();
  }

  private static final class MemoryFixture implements StoreFixture {
    private final MemoryRecords records = new MemoryRecords();
    private volatile LongSupplier clock = SteadyClock.ofThisMachine(alarm -> {});
    private TaskStore store = MemoryTaskStore.over(records, () -> clock.getAsLong());

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
}
