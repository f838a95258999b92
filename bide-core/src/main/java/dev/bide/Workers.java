package dev.bide;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs the handler of one queue, a bounded number at once, and holds what was claimed ahead of them.
 *
 * <p>The credit of the handler is how many tasks it may hold in all. Used by the engine's thread only, but for
 * {@link #run}, which is a handler's.
 */
final class Workers {
  /** The node whose handler the current thread runs. */
  private static final ThreadLocal<String> CURRENT = new ThreadLocal<>();
  private static final long REJECTED_NANOS = Duration.ofMillis(100).toNanos();

  /** Handles one task. */
  interface Runner {
    /**
     * Returns how it ended; a failure of the handler is an outcome too. Throws only what must reach the thread, such as
     * a {@link VirtualMachineError}.
     */
    Outcome run(HeldClaim claim);

    /** Returns the outcome for a task whose {@link #run} threw. */
    Outcome thrown(HeldClaim claim, Throwable failure);
  }

  private final Node node;
  private final Dispatcher dispatcher;
  private final int handlers;
  private final Deque<HeldClaim> ahead = new ArrayDeque<>();
  private final Set<HeldClaim> running = new LinkedHashSet<>();
  private int credit;
  private @Nullable Runner runner;

  Workers(Node node, Dispatcher dispatcher, int handlers, int prefetch) {
    this.node = node;
    this.dispatcher = dispatcher;
    this.handlers = handlers;
    credit = handlers + prefetch;
  }

  /** Returns whether the current thread runs a handler of {@code node}. */
  static boolean current(Node node) {
    return node.name().equals(CURRENT.get());
  }

  void begin(Runner runner) {
    this.runner = runner;
  }

  void credit(int credit) {
    this.credit = credit;
  }

  /** Returns how many more tasks would be started at once. */
  int idle() {
    return free(Math.min(handlers, credit));
  }

  /** Returns how many more tasks may be claimed. */
  int room() {
    return free(credit);
  }

  private int free(int most) {
    return runner == null ? 0 : Math.max(0, most - running.size() - ahead.size());
  }

  void add(HeldClaim claim) {
    ahead.add(claim);
    startMore();
  }

  private void startMore() {
    while (running.size() < handlers && !ahead.isEmpty()) {
      HeldClaim claim = ahead.remove();
      running.add(claim);
      try {
        node.handlers().execute(() -> run(claim));
      } catch (RejectedExecutionException e) {
        running.remove(claim);
        dispatcher.release(claim);
        dispatcher.holdOff(REJECTED_NANOS);
      }
    }
  }

  private void run(HeldClaim claim) {
    Runner its = runner;
    if (its == null || !claim.start(node.clock().getAsLong())) {
      node.engineThread().accept(() -> ended(claim, Outcome.release()));
      return;
    }
    dispatcher.started(claim);
    CURRENT.set(node.name());
    claim.entered();
    Outcome outcome;
    try {
      outcome = its.run(claim);
    } catch (Throwable thrown) {
      // Whatever it is, the task must not be forgotten; then it goes on up.
      end(claim, its.thrown(claim, thrown));
      throw thrown;
    }
    end(claim, outcome);
  }

  private void end(HeldClaim claim, Outcome outcome) {
    // One that was interrupted by the shutdown is given back, whatever it says of itself: nobody knows how far it came.
    CURRENT.remove();
    Outcome counted = claim.left() ? Outcome.release() : outcome;
    node.engineThread().accept(() -> ended(claim, counted));
  }

  private void ended(HeldClaim claim, Outcome outcome) {
    running.remove(claim);
    if (claim.beginSettling()) {
      dispatcher.settle(claim, outcome);
    }
    startMore();
  }

  /** Starts nothing from now on; returns what has not started. */
  List<HeldClaim> stop() {
    credit = 0;
    List<HeldClaim> notStarted = List.copyOf(ahead);
    ahead.clear();
    return notStarted;
  }
}
