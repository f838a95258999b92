package dev.bide;

import dev.bide.spi.Claimed;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps apart the tasks that may end this process, for all queues of the node.
 *
 * <p>A node may hold several suspects, but a grave one only as its single suspect. A dispatcher asks for a pass before
 * each claim, and gives it back with what came of it. While a pass that allows a grave suspect is out, no other
 * dispatcher gets one. When a grave suspect was left behind, or may have been for {@value #PATIENCE} passes, no new
 * suspects are taken until the node holds none, so that it gets its turn.
 *
 * <p>Used by the engine's thread only.
 */
final class SuspectGate {
  private static final int PATIENCE = 16;

  /**
   * What a claim may bring.
   *
   * @param wanted how many suspects it could take
   * @param suspects how many suspects may come: as many, or none
   * @param grave whether one grave suspect may come instead
   */
  record Pass(int wanted, int suspects, boolean grave) {
    static final Pass NONE = new Pass(0, 0, false);
  }

  private final List<Runnable> waiting = new ArrayList<>();
  private int held;
  private int outstanding;
  private boolean closed;
  private boolean graveWaits;
  private int impatience;

  /** Returns whether a pass can be had. */
  boolean open() {
    return !closed && (!graveWaits || empty());
  }

  private boolean empty() {
    return held + outstanding == 0;
  }

  /** Returns a pass for up to {@code wanted} suspects. */
  Pass ask(int wanted) {
    if (wanted == 0 || !open()) {
      return new Pass(wanted, 0, false);
    }
    closed = empty();
    outstanding += wanted;
    return new Pass(wanted, wanted, closed);
  }

  /**
   * Takes a pass back.
   *
   * @param claims what was claimed with it
   * @param suspectsLeft whether the store holds back due suspects
   * @param opened is called once when it is worth asking again; only if {@code suspectsLeft}
   */
  void answered(Pass pass, List<Claimed> claims, boolean suspectsLeft, Runnable opened) {
    int came = (int) claims.stream().filter(Claimed::suspect).count();
    outstanding -= pass.suspects();
    held += came;
    if (pass.grave()) {
      closed = claims.stream().anyMatch(Claimed::grave);
      graveWaits = false;
      impatience = 0;
    }
    if (suspectsLeft) {
      // A pass that was not used up leaves only grave ones behind; one that was may have.
      graveWaits |= pass.suspects() > came || pass.suspects() > 0 && ++impatience > PATIENCE;
      waiting.add(opened);
    }
    // One that was refused is woken too: the gate may have opened while it asked without.
    if (pass.wanted() > 0) {
      wake();
    }
  }

  /** Notes that a suspect is held no more. */
  void gone(Claimed suspect) {
    held--;
    if (suspect.grave()) {
      closed = false;
    }
    wake();
  }

  private void wake() {
    if (open()) {
      List<Runnable> all = List.copyOf(waiting);
      waiting.clear();
      all.forEach(Runnable::run);
    }
  }
}
