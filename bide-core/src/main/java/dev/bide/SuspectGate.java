package dev.bide;

import dev.bide.spi.Claimed;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps apart the tasks that may end this process, for all queues of the node.
 *
 * <p>A node may hold several suspects, but a grave one only as its single suspect. A dispatcher asks for a pass before
 * each claim, and gives it back with what came of it. While a pass that allows a grave suspect is out, no other
 * dispatcher gets one; when a grave suspect was left behind, no new suspects are taken until the node holds none, so
 * that it gets its turn.
 *
 * <p>Used by the engine's thread only.
 */
final class SuspectGate {

  /**
   * What a claim may bring.
   *
   * @param suspects how many suspects
   * @param grave whether one grave suspect may come instead
   */
  record Pass(int suspects, boolean grave) {
    static final Pass NONE = new Pass(0, false);
  }

  private final List<Runnable> waiting = new ArrayList<>();
  private int held;
  private int outstanding;
  private boolean closed;
  private boolean graveWaits;

  /** Returns a pass for up to {@code wanted} suspects. */
  Pass ask(int wanted) {
    boolean empty = held + outstanding == 0;
    if (wanted == 0 || closed || graveWaits && !empty) {
      return Pass.NONE;
    }
    outstanding += wanted;
    closed = empty;
    return new Pass(wanted, empty);
  }

  /**
   * Takes a pass back.
   *
   * @param claims what was claimed with it
   * @param suspectsLeft whether the store holds back due suspects
   * @param opened is called once when it is worth asking again; only if {@code suspectsLeft}
   */
  void answered(Pass pass, List<Claimed> claims, boolean suspectsLeft, Runnable opened) {
    outstanding -= pass.suspects();
    int came = (int) claims.stream().filter(Claimed::suspect).count();
    held += came;
    if (pass.grave()) {
      closed = claims.stream().anyMatch(Claimed::grave);
      graveWaits = false;
    }
    if (suspectsLeft) {
      graveWaits |= pass.suspects() > came;
      waiting.add(opened);
    }
    if (!pass.equals(Pass.NONE)) {
      open();
    }
  }

  /** Notes that a suspect is held no more. */
  void gone(Claimed suspect) {
    held--;
    if (suspect.grave()) {
      closed = false;
    }
    open();
  }

  private void open() {
    if (!closed && (!graveWaits || held + outstanding == 0)) {
      List<Runnable> all = List.copyOf(waiting);
      waiting.clear();
      all.forEach(Runnable::run);
    }
  }
}
