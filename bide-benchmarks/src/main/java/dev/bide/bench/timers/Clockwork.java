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

  /**
   * Schedules so many, with delays that are all the same in each run, and waits until the library has done its part.
   */
  default void fill(int timers) throws InterruptedException {
    Delays delays = new Delays();
    for (int slot = 0; slot < timers; slot++) {
      schedule(slot, delays.next(), Callback.NOTHING);
    }
    keepUp();
  }

  /** Returns what of the heap a slot takes here, which is not the library's; a reference, unless said otherwise. */
  default int slotBytes() {
    return Integer.BYTES;
  }

  /** Lets time go on where the library has neither clock nor thread. */
  default void turn() {}

  /** Waits until a thread of the library has done all that was asked for so far. */
  default void keepUp() throws InterruptedException {}

  @Override
  void close();
}
