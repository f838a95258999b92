package dev.bide;

import static java.util.Objects.requireNonNull;

import dev.bide.spi.Claimed;
import dev.bide.spi.Held;
import dev.bide.spi.Settled;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A task this node has claimed, from the claim to the answer to its settlement. Thread-safe: it is shared by the
 * engine's thread, which keeps its lease, and the thread that works on it.
 */
final class HeldClaim {

  /** How far this node has come with it. */
  enum Stage {
    /** Claimed; nobody works on it yet. */
    HELD,
    /** A handler runs, or a caller has it. */
    STARTED,
    /** Its outcome is known, and on its way to the store. */
    SETTLING,
    /** The store has answered, or it was given up. */
    GONE
  }

  final String queue;
  final Claimed task;
  final CompletableFuture<Settled> settled = new CompletableFuture<>();
  // Guarded by this.
  private Stage stage = Stage.HELD;
  private long leaseEnd;
  private boolean cancelRequested;
  private boolean taken;
  private boolean returned;
  /** What counts instead of what the handler says: set when it is interrupted. */
  private @Nullable Outcome instead;
  private @Nullable Thread runner;
  private @Nullable Runnable cancel;

  /**
   * A claim whose lease ends at {@code leaseEnd}, in nanoseconds of the engine's clock, counted from before it was
   * asked for.
   */
  HeldClaim(String queue, Claimed task, long leaseEnd) {
    this.queue = queue;
    this.task = task;
    this.leaseEnd = leaseEnd;
    cancelRequested = task.cancelRequested();
  }

  /**
   * Begins the work, on the calling thread, unless the lease has run out by this node's clock or the claim is on its
   * way back.
   */
  synchronized boolean start(long now) {
    if (stage != Stage.HELD || leaseEnd <= now || taken) {
      return false;
    }
    stage = Stage.STARTED;
    return true;
  }

  /** From here to {@link #left} an interrupt reaches the calling thread. */
  synchronized void entered() {
    runner = Thread.currentThread();
    if (instead != null) {
      runner.interrupt();
    }
  }

  /** Ends {@link #entered}. An interrupt that was ours does not stay with the thread. */
  synchronized void left() {
    runner = null;
    if (instead != null) {
      Thread.interrupted();
    }
  }

  /** The work goes on without a thread: an interrupt is a call of {@code cancel} from now on. */
  void goesOn(Runnable cancel) {
    synchronized (this) {
      this.cancel = cancel;
      if (instead == null) {
        return;
      }
    }
    cancel.run();
  }

  /** The work is over, and can be interrupted no more. Returns the outcome that counts: {@code told}, unless it was. */
  synchronized Outcome returned(Outcome told) {
    returned = true;
    return instead == null ? told : instead;
  }

  /**
   * Interrupts whoever works on it, once.
   *
   * @param outcome what counts from now on, whatever a handler returns
   * @return false if it is over, or was interrupted before: nothing happens then
   */
  boolean interrupt(Outcome outcome) {
    Runnable call;
    synchronized (this) {
      if (returned || instead != null) {
        return false;
      }
      instead = outcome;
      call = cancel;
      if (call == null && runner != null) {
        runner.interrupt();
      }
    }
    if (call != null) {
      call.run();
    }
    return true;
  }

  /** Returns the outcome that counts since it was interrupted. */
  synchronized Outcome instead() {
    return requireNonNull(instead);
  }

  /** Moves on to {@link Stage#SETTLING}; false if it was there before. */
  synchronized boolean beginSettling() {
    boolean first = stage == Stage.HELD || stage == Stage.STARTED;
    stage = first ? Stage.SETTLING : stage;
    return first;
  }

  /** Moves on to {@link Stage#SETTLING} if nobody has begun to work on it; false if somebody has. */
  synchronized boolean giveBack() {
    return stage == Stage.HELD && beginSettling();
  }

  synchronized void gone() {
    stage = Stage.GONE;
  }

  synchronized Stage stage() {
    return stage;
  }

  synchronized long leaseEnd() {
    return leaseEnd;
  }

  synchronized void renewed(long leaseEnd, boolean cancelRequested) {
    this.leaseEnd = Math.max(this.leaseEnd, leaseEnd);
    this.cancelRequested |= cancelRequested;
  }

  /** Notes that the store knows of another owner, or of none. */
  synchronized void taken() {
    taken = true;
  }

  /** Returns whether the store knows of no other owner, as far as this node has heard. */
  synchronized boolean owned() {
    return !taken;
  }

  /** Returns whether the lease has been lost, or has run out by this node's clock. */
  synchronized boolean lost(long now) {
    return taken || leaseEnd <= now;
  }

  synchronized boolean cancelRequested() {
    return cancelRequested;
  }

  Held held() {
    return new Held(queue, task.seq(), task.token());
  }
}
