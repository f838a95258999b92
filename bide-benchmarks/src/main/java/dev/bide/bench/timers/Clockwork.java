package dev.bide.bench.timers;

/**
 * The timers of one library, as all of them are used here: a timer is named by a slot, in which its handle is kept, and
 * one that is scheduled has a slot of its own. As thread-safe as the library.
 */
interface Clockwork extends AutoCloseable {

  /**
   * Has {@code callback} called after a delay. What has no thread to do so keeps the slot with the timer, if it can.
   */
  void schedule(int slot, long delayNanos, Callback callback);

  /** Takes back the timer of a slot, if it has not gone off. */
  void cancel(int slot);

  /** Lets time go on where the library has neither clock nor thread. */
  default void turn() {}

  /** Waits until a thread of the library has done all that was asked for so far. */
  default void keepUp() throws InterruptedException {}

  @Override
  void close();
}
