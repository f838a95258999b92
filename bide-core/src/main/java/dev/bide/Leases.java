package dev.bide;

import static dev.bide.TaskEvent.Kind.LEASE_LOST;
import static dev.bide.TaskEvent.Kind.STORE_FAILED;

import dev.bide.spi.Renewed;
import dev.bide.spi.Reply;
import dev.bide.spi.TaskStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the leases of all that this node holds of one queue: each is renewed after a third of its time, in batches,
 * until its settlement is answered.
 *
 * <p>A lease is counted from before it was asked for, on the monotonic clock, and as no longer than the store's clock may
 * make it, so this node never believes in it longer than the store does. Used by the engine's thread only.
 */
final class Leases implements Duty {
  private static final int BATCH = 1_000;
  private static final long RETRY_NANOS = Duration.ofMillis(100).toNanos();

  private final Node node;
  private final String queue;
  private final long leaseMillis;
  private final long leaseNanos;
  private final long sureNanos;
  /** When each is to be renewed; {@link Duty#NEVER} for one that is lost. */
  private final Map<HeldClaim, Long> renewals = new LinkedHashMap<>();
  private long earliest = NEVER;
  private @Nullable Renewal underWay;

  Leases(Node node, String queue, long leaseMillis) {
    this.node = node;
    this.queue = queue;
    this.leaseMillis = leaseMillis;
    leaseNanos = Duty.nanos(leaseMillis);
    sureNanos = StoreTime.leastNanos(leaseNanos / 1_000_000);
  }

  /** Returns how long a claim surely holds. */
  long sureNanos() {
    return sureNanos;
  }

  /** Adds a claim that was asked for at {@code sent}. */
  void add(HeldClaim claim, long sent) {
    renewAt(claim, sent + leaseNanos / 3);
  }

  /** Forgets a claim that is settled or given up. */
  void remove(HeldClaim claim) {
    renewals.remove(claim);
  }

  boolean isEmpty() {
    return renewals.isEmpty();
  }

  /** Returns all that is held. */
  List<HeldClaim> held() {
    return List.copyOf(renewals.keySet());
  }

  private void renewAt(HeldClaim claim, long moment) {
    renewals.put(claim, moment);
    earliest = Math.min(earliest, moment);
  }

  @Override
  public long turn(long now, Consumer<StoreRequest<?>> out) {
    if (underWay != null || now < earliest) {
      return underWay != null ? NEVER : earliest;
    }
    // What is due within a thirtieth of the lease goes along, so that claims taken one by one are not renewed one by one.
    long horizon = now + leaseNanos / 30;
    List<HeldClaim> due = new ArrayList<>();
    earliest = NEVER;
    renewals.forEach((claim, moment) -> {
      if (moment <= horizon && due.size() < BATCH) {
        due.add(claim);
      } else {
        earliest = Math.min(earliest, moment);
      }
    });
    if (due.isEmpty()) {
      return earliest;
    }
    underWay = new Renewal(due, now);
    out.accept(underWay);
    return NEVER;
  }

  /** One batch of renewals, until it is answered. */
  private final class Renewal implements StoreRequest<Reply<List<Renewed>>> {
    private final List<HeldClaim> claims;
    private final long sent;

    Renewal(List<HeldClaim> claims, long sent) {
      this.claims = claims;
      this.sent = sent;
    }

    @Override
    public boolean urgent() {
      return true;
    }

    @Override
    public Reply<List<Renewed>> perform(TaskStore store) {
      return store.renew(claims.stream().map(HeldClaim::held).toList(), leaseMillis);
    }

    @Override
    public void answered(Reply<List<Renewed>> reply, long now) {
      underWay = null;
      node.time().learn(reply, sent, now);
      for (int i = 0; i < claims.size(); i++) {
        if (renewals.containsKey(claims.get(i))) {
          renewed(claims.get(i), reply.value().get(i), sent, now);
        }
      }
    }

    @Override
    public void failed(RuntimeException failure, long now) {
      underWay = null;
      node.events().queue(STORE_FAILED, queue, Texts.of(failure), failure);
      claims.stream().filter(renewals::containsKey).forEach(claim -> renewAt(claim, now + RETRY_NANOS));
    }
  }

  private void renewed(HeldClaim claim, Renewed answer, long sent, long now) {
    switch (answer) {
      case RENEWED, CANCEL_REQUESTED -> {
        claim.renewed(sent + sureNanos, answer == Renewed.CANCEL_REQUESTED);
        renewAt(claim, sent + leaseNanos / 3);
      }
      case BUSY -> renewAt(claim, now + leaseNanos / 10);
      case LOST -> {
        renewals.put(claim, NEVER);
        // One on its way to the store may have been settled just now, which ends a lease too.
        if (claim.stage() != HeldClaim.Stage.SETTLING) {
          claim.taken();
          node.events().claim(LEASE_LOST, queue, claim.task, "", null);
        }
      }
    }
  }
}
