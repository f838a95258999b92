package dev.bide;

import static java.lang.System.Logger.Level.ERROR;

import dev.bide.spi.Driver;
import dev.bide.spi.TaskStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Runs the duties of a node: whenever its driver says so, all that was posted, then a turn of each duty. */
final class Engine {
  private static final System.Logger LOG = System.getLogger(Bide.class.getName());
  private static final long AFTER_FAILURE_NANOS = Duration.ofSeconds(1).toNanos();
  /** So many steps between two turns of the duties, however many are posted. */
  private static final int MOST_STEPS = 10_000;

  private final Driver driver;
  private final Queue<Runnable> inbox = new ConcurrentLinkedQueue<>();
  private final Calls calls;
  private volatile boolean over;
  /** These are used by the engine's thread only. */
  private final List<Duty> duties = new ArrayList<>();
  private long failures;

  /** An engine on {@code store}; {@link #start} it once. */
  Engine(TaskStore store, Driver driver) {
    this.driver = driver;
    calls = new Calls(store, driver, this::post);
  }

  void start() {
    driver.start(this::step);
  }

  /**
   * Runs something on the engine's thread, after which the duties have a turn; on any thread. After the engine has
   * ended, it is run on the caller's, and no duty has a turn.
   */
  void post(Runnable step) {
    inbox.add(step);
    if (over) {
      drain();
    } else {
      driver.wake();
    }
  }

  /**
   * As {@link #post}, but wakes nobody: the step is run with the next one that is, or at the end; on any thread.
   */
  void leave(Runnable step) {
    inbox.add(step);
    if (over) {
      drain();
    }
  }

  /** Adds a duty; on any thread. */
  void add(Duty duty) {
    post(() -> duties.add(duty));
  }

  private long step() {
    for (int i = 0; i < MOST_STEPS && !inbox.isEmpty(); i++) {
      guarded(inbox.remove());
    }
    long now = driver.nanos();
    guarded(() -> calls.giveUp(now));
    long next = calls.nextGiveUp();
    for (Duty duty : List.copyOf(duties)) {
      next = Math.min(next, turn(duty, now));
    }
    return inbox.isEmpty() ? next : now;
  }

  private synchronized void drain() {
    for (Runnable step = inbox.poll(); step != null; step = inbox.poll()) {
      guarded(step);
    }
  }

  private long turn(Duty duty, long now) {
    try {
      return duty.turn(now, request -> calls.send(duty, request));
    } catch (Throwable e) {
      report(duty.getClass().getSimpleName() + " is called again", e);
      return now + AFTER_FAILURE_NANOS;
    }
  }

  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      report("it is not repeated", e);
    }
  }

  /**
   * Whatever a step throws, the others go on: without them nothing would be settled or renewed any more. The first
   * failure is logged, then every thousandth.
   */
  private void report(String then, Throwable failure) {
    try {
      if (failures++ % 1000 == 0) {
        LOG.log(ERROR, "a step of the engine failed; " + then, failure);
      }
    } catch (Throwable e) {
      // Out of memory, most likely; there is nobody left to tell.
      e.addSuppressed(failure);
    }
  }

  /** Ends the engine, and runs what was posted last. */
  void end() {
    driver.end();
    over = true;
    drain();
  }
}
