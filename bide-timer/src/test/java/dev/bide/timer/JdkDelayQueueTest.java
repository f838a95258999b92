package dev.bide.timer;

import java.util.Collection;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.DelayQueue;
import java.util.function.LongSupplier;

/** Shows that the contract asks for nothing that the JDK's queue does not do. */
class JdkDelayQueueTest extends DelayQueueContract {

  @Override
  BlockingQueue<Item> create(LongSupplier clock) {
    return new DelayQueue<>();
  }

  @Override
  BlockingQueue<Item> create(Collection<Item> elements) {
    return new DelayQueue<>(elements);
  }
}
