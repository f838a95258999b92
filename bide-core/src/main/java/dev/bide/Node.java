package dev.bide;

import java.util.concurrent.Executor;
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
 * @param handlers runs handlers
 * @param chance random numbers from 0 to 1
 */
record Node(String name, LongSupplier clock, StoreTime time, SuspectGate gate, Events events,
    Consumer<Runnable> engineThread, Executor handlers, DoubleSupplier chance) {}
