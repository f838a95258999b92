package dev.bide.memory;

import dev.bide.tck.StoreFixture;
import dev.bide.tck.TaskStoreContract;

class MemoryTaskStoreTest extends TaskStoreContract {

  @Override
  protected StoreFixture newFixture() {
    return new MemoryFixture();
  }
}
