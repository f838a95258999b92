package dev.bide.bench.timers;

import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.SystemTimerReaper;
import org.apache.kafka.server.util.timer.TimerTask;

/**
 * Kafka's hierarchical wheels with their defaults: ticks of a millisecond, 20 slots, a thread that expires and one that
 * calls.
 */
final class Kafka implements Clockwork {
  private final SystemTimerReaper timer = new SystemTimerReaper("reaper", new SystemTimer("timer"));
  private final TimerTask[] tasks;

  Kafka(int slots) {
    tasks = new TimerTask[slots];
  }

  private static final class Task extends TimerTask {
    private final Callback callback;

    Task(long delayNanos, Callback callback) {
      super(TimeUnit.NANOSECONDS.toMillis(delayNanos + 999_999));
      this.callback = callback;
    }

    @Override
    public void run() {
      callback.run();
    }
  }

  @Override
  public void schedule(int slot, long delayNanos, Callback callback) {
    Task task = new Task(delayNanos, callback);
    tasks[slot] = task;
    timer.add(task);
  }

  @Override
  public void cancel(int slot) {
    tasks[slot].cancel();
  }

  @Override
  public void close() {
    try {
      timer.close();
    } catch (Exception e) {
      throw new IllegalStateException("Kafka's timer does not close", e);
    }
  }
}
