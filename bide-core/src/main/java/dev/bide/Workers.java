package dev.bide;

import static dev.bide.TaskEvent.Kind.STUCK;
import static dev.bide.TaskEvent.Kind.TIMED_OUT;
import static java.lang.System.Logger.Level.WARNING;
import static java.util.Objects.requireNonNull;

import dev.bide.delay.When;
import dev.bide.spi.QueueSettings;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the handler of one queue, a bounded number at once, and holds what was claimed ahead of them.
 *
 * <p>A thread of the node's own that has handled a task well goes on with the next one ahead by itself, and the engine's
 * thread is told of both at once: a handler that takes microseconds would else be mostly hops between threads. An
 * executor of the user's is given each task.
 *
 * <p>The credit of the handler is how many tasks it may hold in all. Used by the engine's thread only, but for
 * {@link #handOver} and {@link #run}, which belong to the starter's thread and to a handler's.
 */
final class Workers {
  /** The node whose handler the current thread runs. */
  private static final ThreadLocal<String> CURRENT = new ThreadLocal<>();
  private static final System.Logger LOG = System.getLogger(Bide.class.getName());
  private static final int UNSET = -1;
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
  private final Prefetch prefetch;
  /** Filled by the engine's thread; threads of handlers take from it too. */
  private final Queue<Ahead> ahead = new ConcurrentLinkedQueue<>();
  private final Set<HeldClaim> running = new LinkedHashSet<>();
  /** How many are ahead or running, as far as the engine's thread has been told. */
  private int held;
  private int credit = UNSET;
  private long heldOff;
  private long refusals;
  private @Nullable Runner runner;

  /** A claim that waits for a handler, and since when. */
  private record Ahead(HeldClaim claim, long since) {}

  Workers(Node node, Dispatcher dispatcher, QueueSpec<?> spec, QueueSettings settings) {
    this.node = node;
    this.dispatcher = dispatcher;
    handlers = spec.handlers();
    prefetch = spec.prefetch(settings);
    Duration timeout = spec.handlerTimeout();
    timeoutNanos = timeout == null ? Duty.NEVER : Duty.nanos(When.millisUp(timeout));
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
    return free(Math.min(handlers, credit()));
  }

  /** Returns how many more tasks may be claimed. */
  int room(long now) {
    return heldOff(now) == Duty.NEVER ? free(credit()) : 0;
  }

  private int credit() {
    return credit == UNSET ? handlers + prefetch.tasks() : credit;
  }

  /** Returns when handlers may be given something again, after the executor has refused; {@link Duty#NEVER} if now. */
  long heldOff(long now) {
    return heldOff > now ? heldOff : Duty.NEVER;
  }

  private int free(int most) {
    return runner == null ? 0 : Math.max(0, most - held);
  }

  /** Takes what a claim brought, of {@code limit} that were asked for. */
  void add(List<HeldClaim> claims, int limit, long now) {
    prefetch.claimed(claims.size() == limit, held < handlers);
    held += claims.size();
    for (HeldClaim claim : claims) {
      prefetch.carried(claim.task.payload().size());
      ahead.add(new Ahead(claim, now));
    }
    startMore();
  }

  private void startMore() {
    while (running.size() < handlers) {
      Ahead next = ahead.poll();
      if (next == null) {
        return;
      }
      start(next.claim, node.nanos());
    }
  }

  private void start(HeldClaim claim, long now) {
    running.add(claim);
    try {
      node.starter().execute(() -> handOver(claim, now));
    } catch (Throwable e) {
      refused(claim, e);
    }
  }

  /** Gives a claim to the executor, which may block, or throw, or run it here. */
  private void handOver(HeldClaim claim, long given) {
    try {
      node.handlers().execute(() -> run(claim, given));
    } catch (Throwable e) {
      // A stranger's executor, or no more threads to be had. Whatever it is, the claim must not be forgotten.
      node.engineThread().accept(() -> refused(claim, e));
    }
  }

  private void refused(HeldClaim claim, Throwable why) {
    dispatcher.giveBack(claim);
    if (claim.stage() == HeldClaim.Stage.STARTED || !leaves(claim)) {
      // The executor has run it, and threw all the same.
      return;
    }
    heldOff = node.nanos() + REFUSED_NANOS;
    if (refusals++ % 1000 == 0) {
      LOG.log(WARNING, "the executor does not take a handler; the task is given back: queue=" + claim.queue + " task="
          + claim.task.id(), why);
    }
  }

  private void run(HeldClaim first, long given) {
    HeldClaim claim = first;
    for (long since = given; claim != null; since = node.nanos()) {
      claim = new Run(claim, since).run();
      if (claim != null) {
        // An interrupt that a handler has left here is not meant for the next.
        Thread.interrupted();
      }
    }
  }

  /** One handler at work. It belongs to its thread, and hears from others how a stage ended. */
  private final class Run implements Consumer<Outcome> {
    private final Thread thread = Thread.currentThread();
    private final HeldClaim claim;
    private final long since;
    private boolean over;
    private @Nullable Outcome told;

    Run(HeldClaim claim, long since) {
      this.claim = claim;
      this.since = since;
    }

    /** Runs the handler, and returns the claim with which its thread goes on, if there is one. */
    @Nullable
    HeldClaim run() {
      try {
        handle();
      } catch (Throwable thrown) {
        // Whatever it is, the task must not be forgotten; then it goes on up.
        accept(HandlerRunner.UNTOLD);
        end(requireNonNull(told), null);
        throw thrown;
      }
      over = true;
      Outcome outcome = told;
      if (outcome == null) {
        return null;
      }
      // After a failure the circuit breaker has its say first.
      boolean goesOn = node.ownThreads() && outcome.sign() == Breaker.Sign.SUCCESS;
      Ahead next = goesOn ? ahead.poll() : null;
      HeldClaim following = next == null ? null : next.claim;
      end(outcome, following);
      return following;
    }

    private void handle() {
      Runner its = runner;
      long now = node.nanos();
      if (its == null || !claim.start(now)) {
        told = Outcome.release();
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
        its.run(claim, this);
      } finally {
        if (outer == null) {
          CURRENT.remove();
        } else {
          CURRENT.set(outer);
        }
        claim.left();
      }
    }

    @Override
    public void accept(Outcome outcome) {
      Outcome counted = claim.returned(outcome);
      if (Thread.currentThread() != thread || over) {
        end(counted, null);
      } else if (told == null) {
        told = counted;
      }
    }

    /** While the store is being asked nothing can be done with the end of a task, so nobody is woken for it. */
    private void end(Outcome outcome, @Nullable HeldClaim next) {
      long took = node.nanos() - since;
      node.later().accept(() -> ended(claim, outcome, took, next));
      if (!dispatcher.asking() || next == null && !ahead.isEmpty()) {
        node.driver().wake();
      }
    }
  }

  private void ended(HeldClaim claim, Outcome outcome, long tookNanos, @Nullable HeldClaim next) {
    if (leaves(claim)) {
      learn(outcome.sign(), tookNanos);
    }
    if (next != null) {
      running.add(next);
    }
    timeouts.returned(claim);
    settle(claim, outcome);
    startMore();
  }

  private void learn(Breaker.Sign sign, long tookNanos) {
    switch (sign) {
      case SUCCESS -> prefetch.ended(tookNanos);
      case FAILURE -> prefetch.failed();
      case NOTHING -> {
        // It has not run, or was interrupted.
      }
    }
  }

  /** Takes a claim out of its place; returns whether it had one. */
  private boolean leaves(HeldClaim claim) {
    boolean ran = running.remove(claim);
    held -= ran ? 1 : 0;
    return ran;
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
    Ahead oldest = ahead.peek();
    if (oldest != null && now - oldest.since >= prefetch.patienceNanos()) {
      giveBackAhead();
      oldest = null;
    }
    return oldest == null ? next : Math.min(Math.min(next, heldOff(now)), waitsUntil(oldest));
  }

  private long waitsUntil(Ahead oldest) {
    long patience = prefetch.patienceNanos();
    return patience == Duty.NEVER ? Duty.NEVER : oldest.since + patience;
  }

  /** The handlers have slowed down: what was claimed ahead of them may find a faster one elsewhere. */
  private void giveBackAhead() {
    prefetch.stalled();
    for (Ahead next = ahead.poll(); next != null; next = ahead.poll()) {
      held--;
      dispatcher.giveBack(next.claim);
    }
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
    while (ahead.poll() != null) {
      held--;
    }
  }

  /** Starts nothing from now on. */
  void stop() {
    credit = 0;
    forget();
  }
}
