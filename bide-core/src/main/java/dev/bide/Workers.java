package dev.bide;

import static dev.bide.TaskEvent.Kind.STUCK;
import static dev.bide.TaskEvent.Kind.TIMED_OUT;
import static java.lang.System.Logger.Level.WARNING;

import dev.bide.delay.When;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the handler of one queue, a bounded number at once, and holds what was claimed ahead of them.
 *
 * <p>The credit of the handler is how many tasks it may hold in all. Used by the engine's thread only, but for
 * {@link #handOver} and {@link #run}, which belong to the starter's thread and to a handler's.
 */
final class Workers {
  /** The node whose handler the current thread runs. */
  private static final ThreadLocal<String> CURRENT = new ThreadLocal<>();
  private static final System.Logger LOG = System.getLogger(Bide.class.getName());
  private static final long REFUSED_NANOS = Duration.ofMillis(100).toNanos();

  /** Handles one task. */
  interface Runner {
    /**
     * Has {@code told} called with how it ended, on any thread, before this returns or later; the first word counts. A
     * failure of the handler is an outcome too. Throws only what must reach the thread, such as a
     * {@link VirtualMachineError}.
     */
    void run(HeldClaim claim, Consumer<Outcome> told);

    /** Returns the outcome for a task whose handler runs too long. */
    Outcome timedOut(HeldClaim claim);
  }

  private final Node node;
  private final Dispatcher dispatcher;
  private final int handlers;
  private final long timeoutNanos;
  private final Timeouts timeouts = new Timeouts();
  private final Deque<HeldClaim> ahead = new ArrayDeque<>();
  private final Set<HeldClaim> running = new LinkedHashSet<>();
  private int credit;
  private long heldOff;
  private long refusals;
  private @Nullable Runner runner;

  Workers(Node node, Dispatcher dispatcher, QueueSpec<?> spec) {
    this.node = node;
    this.dispatcher = dispatcher;
    handlers = spec.handlers();
    Duration timeout = spec.handlerTimeout();
    timeoutNanos = timeout == null ? Duty.NEVER : Duty.nanos(When.millisUp(timeout));
    credit = handlers + spec.prefetch();
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
  int room(long now) {
    return heldOff(now) == Duty.NEVER ? free(credit) : 0;
  }

  /** Returns when handlers may be given something again, after the executor has refused; {@link Duty#NEVER} if now. */
  long heldOff(long now) {
    return heldOff > now ? heldOff : Duty.NEVER;
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
        node.starter().execute(() -> handOver(claim));
      } catch (Throwable e) {
        refused(claim, e);
      }
    }
  }

  /** Gives a claim to the executor, which may block, or throw, or run it here. */
  private void handOver(HeldClaim claim) {
    try {
      node.handlers().execute(() -> run(claim));
    } catch (Throwable e) {
      // A stranger's executor, or no more threads to be had. Whatever it is, the claim must not be forgotten.
      node.engineThread().accept(() -> refused(claim, e));
    }
  }

  private void refused(HeldClaim claim, Throwable why) {
    dispatcher.giveBack(claim);
    if (claim.stage() == HeldClaim.Stage.STARTED || !running.remove(claim)) {
      // The executor has run it, and threw all the same.
      return;
    }
    heldOff = node.nanos() + REFUSED_NANOS;
    if (refusals++ % 1000 == 0) {
      LOG.log(WARNING, "the executor does not take a handler; the task is given back: queue=" + claim.queue + " task="
          + claim.task.id(), why);
    }
  }

  private void run(HeldClaim claim) {
    Runner its = runner;
    long now = node.nanos();
    if (its == null || !claim.start(now)) {
      node.engineThread().accept(() -> ended(claim, Outcome.release()));
      return;
    }
    if (timeoutNanos != Duty.NEVER) {
      node.engineThread().accept(() -> timeouts.started(claim, now + timeoutNanos));
    }
    // One thread may run a handler within another, where waiting lets virtual time pass.
    String outer = CURRENT.get();
    CURRENT.set(node.name());
    claim.entered();
    try {
      dispatcher.started(claim);
      its.run(claim, outcome -> told(claim, outcome));
    } catch (Throwable thrown) {
      // Whatever it is, the task must not be forgotten; then it goes on up.
      told(claim, HandlerRunner.UNTOLD);
      throw thrown;
    } finally {
      if (outer == null) {
        CURRENT.remove();
      } else {
        CURRENT.set(outer);
      }
      claim.left();
    }
  }

  private void told(HeldClaim claim, Outcome outcome) {
    Outcome counted = claim.returned(outcome);
    node.engineThread().accept(() -> ended(claim, counted));
  }

  private void ended(HeldClaim claim, Outcome outcome) {
    running.remove(claim);
    timeouts.returned(claim);
    settle(claim, outcome);
    startMore();
  }

  private void settle(HeldClaim claim, Outcome outcome) {
    if (claim.beginSettling()) {
      dispatcher.settle(claim, outcome);
    }
  }

  /**
   * Interrupts the handlers that run too long, settles for those that ignore it, and starts what was held off; returns
   * when to look again.
   */
  long turn(long now) {
    Runner its = runner;
    if (its == null) {
      return Duty.NEVER;
    }
    long next = timeouts.turn(now, claim -> timedOut(claim, its.timedOut(claim)),
        claim -> stuck(claim, claim.instead()));
    if (heldOff(now) == Duty.NEVER) {
      startMore();
    }
    return ahead.isEmpty() ? next : Math.min(next, heldOff(now));
  }

  private boolean timedOut(HeldClaim claim, Outcome outcome) {
    boolean first = claim.interrupt(outcome);
    if (first) {
      node.events().claim(TIMED_OUT, claim.queue, claim.task, outcome.note(), null);
    }
    return first;
  }

  /** Settles for a handler that does not return. It keeps its place here until it does. */
  private void stuck(HeldClaim claim, Outcome outcome) {
    node.events().claim(STUCK, claim.queue, claim.task, "still running after it was interrupted: " + outcome.note(),
        null);
    claim.taken();
    settle(claim, outcome);
  }

  /** Starts nothing of what it holds ahead. */
  void forget() {
    ahead.clear();
  }

  /** Starts nothing from now on. */
  void stop() {
    credit = 0;
    forget();
  }
}
