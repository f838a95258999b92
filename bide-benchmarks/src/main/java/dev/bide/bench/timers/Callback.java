package dev.bide.bench.timers;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;

/**
 * What is called when a timer goes off, by each library as it likes it, so that none of them has to be given a wrapper.
 */
interface Callback extends Runnable, TimerTask {
  /** Does nothing. */
  Callback NOTHING = () -> {};

  @Override
  default void run(Timeout timeout) {
    run();
  }
}
