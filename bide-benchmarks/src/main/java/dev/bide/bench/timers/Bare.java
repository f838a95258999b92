package dev.bide.bench.timers;

import java.util.Arrays;

/**
 * Callbacks in an array, sorted before the first is due, and a loop that calls each at its deadline: what calling them
 * in order costs alone. For callbacks that are due within a minute, and are not cancelled.
 */
final class Bare implements Clockwork {
  private final Callback[] callbacks;
  // By slot, and from keepUp on by deadline: the deadline from the start on, and the slot below it.
  private final long[] deadlines;
  private final int slotBits;
  private final long start = System.nanoTime();
  private final Thread loop = new Thread(this::call, "bare");

  Bare(int slots) {
    callbacks = new Callback[slots];
    deadlines = new long[slots];
    slotBits = Integer.SIZE - Integer.numberOfLeadingZeros(slots);
  }

  @Override
  public void schedule(int slot, long delayNanos, Callback callback) {
    deadlines[slot] = System.nanoTime() - start + delayNanos << slotBits | slot;
    callbacks[slot] = callback;
  }

  @Override
  public void cancel(int slot) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void keepUp() {
    Arrays.sort(deadlines);
    loop.start();
  }

  private void call() {
    for (long deadline : deadlines) {
      while (System.nanoTime() - start < deadline >> slotBits) {
        Thread.onSpinWait();
      }
      callbacks[(int) deadline & (1 << slotBits) - 1].run();
    }
  }

  @Override
  public void close() {
    loop.interrupt();
  }
}
