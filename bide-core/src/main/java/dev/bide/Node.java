package dev.bide;

import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * What the parts of one node share, and all they know of the world outside.
 *
 * @param name this start of this process, unlike any other
 * @param clock the engine's monotonic clock, in nanoseconds from near 0
 * @param time what is known of the store's clock
 * @param gate keeps suspects apart
 * @param events takes what happens
 * @param engineThread runs something on the engine's thread, after which the duties have a turn
 * @param onEngineThread whether the current thread is the engine's
 * @param starter gives tasks to {@code handlers}, which may block
 * @param handlers runs handlers
 * @param callbacks runs what callers do with the answers to their settlements
 * @param chance random numbers from 0 to 1
 */
record Node(String name, LongSupplier clock, StoreTime time, SuspectGate gate, Events events,
    Consumer<Runnable> engineThread, BooleanSupplier onEngineThread, Executor starter, Executor handlers,
    Executor callbacks, DoubleSupplier chance) {

  /** Refuses a call that waits for the engine, made by a listener on the engine's own thread. */
  void requireMayWait() {
    if (onEngineThread.getAsBoolean()) {
      throw new IllegalStateException("a listener must not wait: what it waits for happens on its own thread");
    }
  }
}
