package dev.bide;

import dev.bide.spi.Driver;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * What the parts of one node share, and all they know of the world outside.
 *
 * @param name this start of this process, unlike any other
 * @param driver moves it; its clock is the engine's
 * @param callbacks runs what callers do with the answers to their settlements and calls, and the cancels of their
 * stages
 * @param time what is known of the store's clock
 * @param gate keeps suspects apart
 * @param events takes what happens
 * @param engineThread runs something on the engine's thread, after which the duties have a turn
 * @param later the same, but with the next turn that the duties have anyway
 * @param starter gives tasks to {@code handlers}, which may block
 * @param handlers runs handlers
 * @param ownThreads whether {@code handlers} are threads of the node's own, which it may keep as long as it likes
 */
record Node(String name, Driver driver, Callbacks callbacks, StoreTime time, SuspectGate gate, Events events,
    Consumer<Runnable> engineThread, Consumer<Runnable> later, Executor starter, Executor handlers,
    boolean ownThreads) {

  /** Returns now by the engine's monotonic clock, in nanoseconds from near 0. */
  long nanos() {
    return driver.nanos();
  }

  /** Returns a random number from 0 to 1. */
  double chance() {
    return (driver.randomBits() >>> 11) * 0x1p-53;
  }

  /** Refuses a call that waits for the engine, made by a listener on the engine's own thread. */
  void requireMayWait() {
    if (driver.stepping()) {
      throw new IllegalStateException("a listener must not wait: what it waits for happens on its own thread");
    }
  }
}
