package dev.bide;

import static java.util.Objects.requireNonNull;

import dev.bide.spi.Settled;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A task whose time has come, held by this node: what a {@link Handler} is given, and what {@link TaskQueue#take}
 * returns.
 *
 * <p>While it is held, its lease is renewed in the background. One that was taken is settled by the taker, from any
 * thread, in any order; closing it unsettled gives it back, its attempt not counted. One that was given to a handler is
 * settled by what the handler returns. Thread-safe.
 *
 * @param <P> the type of the payload
 */
public final class Claim<P> implements AutoCloseable {

  /** Sends a settlement on its way. */
  interface Settler {
    /** Takes the outcome of a claim that nobody has settled yet. */
    void settle(HeldClaim claim, Outcome outcome);
  }

  private final HeldClaim held;
  private final P payload;
  private final Node node;
  private final @Nullable Settler settler;

  /** A claim to be settled by its taker through {@code settler}, or by its handler if that is null. */
  Claim(HeldClaim held, P payload, Node node, @Nullable Settler settler) {
    this.held = held;
    this.payload = payload;
    this.node = node;
    this.settler = settler;
  }

  /** Returns the name of the queue. */
  public String queue() {
    return held.queue;
  }

  /** Returns the id of the task. */
  public String id() {
    return held.task.id();
  }

  /** Returns what the task carries. */
  public P payload() {
    return payload;
  }

  /** Returns the number of this attempt, 1 for the first. */
  public int attempt() {
    return held.task.attempt();
  }

  /**
   * Returns the fencing token of this claim: it grows with each claim of the task, so that others can refuse a stale
   * owner too.
   */
  public long token() {
    return held.task.token();
  }

  /** Returns when the task was promised to run. */
  public Instant dueAt() {
    return Instant.ofEpochMilli(held.task.dueAt());
  }

  /** Returns when it was claimed, by the store's clock. */
  public Instant claimedAt() {
    return Instant.ofEpochMilli(held.task.claimedAt());
  }

  /** Returns whether a caller has asked for the task to be cancelled since it was claimed; learnt with each renewal. */
  public boolean cancelRequested() {
    return held.cancelRequested();
  }

  /**
   * Returns whether the lease was lost, or may have been: another node may work on the task by now, and a settlement
   * may be refused. Work that must not be done twice should stop here.
   */
  public boolean lost() {
    return held.lost(node.nanos());
  }

  /**
   * Says how a taken claim ended, and waits until the store has it.
   *
   * @return false if the claim was not valid any more: nothing changed
   * @throws IllegalStateException if it is settled already, or is a handler's, or the {@link Bide} it came from is
   * closed, or a {@link TaskListener} calls this: what it would wait for happens on its own thread
   */
  public boolean settle(Outcome outcome) {
    node.requireMayWait();
    begin(outcome);
    return valid(Futures.join(held.settled, node.driver()));
  }

  /** As {@link #settle}, without waiting; what depends on it runs on a thread that all such steps of the node share. */
  public CompletionStage<Boolean> settleAsync(Outcome outcome) {
    begin(outcome);
    return held.settled.handleAsync((settled, failure) -> valid(Futures.result(settled, failure)), node.callbacks());
  }

  private void begin(Outcome outcome) {
    requireNonNull(outcome, "outcome");
    if (settler == null) {
      throw new IllegalStateException(
          "a handler settles its claim by what it returns: queue=" + queue() + " task=" + id());
    }
    if (!held.beginSettling()) {
      throw new IllegalStateException("settled already: queue=" + queue() + " task=" + id() + " token=" + token());
    }
    settler.settle(held, outcome);
  }

  private static boolean valid(Settled settled) {
    return settled.verdict() != Settled.Verdict.STALE;
  }

  /** Gives a taken claim back if it is not settled; nothing else happens. */
  @Override
  public void close() {
    if (settler != null && held.beginSettling()) {
      settler.settle(held, Outcome.release());
    }
  }

  @Override
  public String toString() {
    return "queue=" + queue() + " task=" + id() + " token=" + token() + " attempt=" + attempt();
  }
}
