package dev.bide.tck;

import static java.util.Objects.requireNonNull;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.Claimed;
import dev.bide.spi.End;
import dev.bide.spi.Ended;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Held;
import dev.bide.spi.Renewed;
import dev.bide.spi.Reply;
import dev.bide.spi.Rules;
import dev.bide.spi.Settled;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Due;
import dev.bide.task.OnExisting;
import dev.bide.task.Task;
import dev.bide.task.TaskId;
import dev.bide.task.TaskState;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows the answers of a store on one queue and knows nothing else of it: whatever was asked, no task is early, has
 * two owners, begins again after its end, is left behind or forgotten. Not thread-safe: answers come in their order.
 */
final class History {
  private final int shards;
  private final Map<Long, Life> lives = new HashMap<>();
  private final Map<String, Life> latest = new HashMap<>();
  /** The last call of each stream. */
  private final Map<String, Call> calls = new HashMap<>();
  private int maxAttempts;
  private boolean paused;

  History(int shards) {
    this.shards = shards;
  }

  /** What is known of one life of an id. A held one whose lease has run out may have lost it already, or not yet. */
  private static final class Life {
    final String id;
    final long seq;
    long nextAt;
    boolean held;
    long token;
    int attempts;
    long leaseUntil;
    boolean suspect;
    boolean askedToCancel;
    @Nullable
    TaskState end;

    Life(String id, long seq, long nextAt) {
      this.id = id;
      this.seq = seq;
      this.nextAt = nextAt;
    }

    boolean heldAt(long now) {
      return held && leaseUntil > now;
    }

    boolean heldUnder(long heldToken) {
      return end == null && held && token == heldToken;
    }

    /** Notes that a lease which had run out has been ended. */
    void lose() {
      suspect |= held;
      held = false;
    }

    @Override
    public String toString() {
      return "task=" + id + " seq=" + seq + " token=" + token + (end != null ? " end=" + end : "")
          + (held ? " leaseUntil=" + leaseUntil : " nextAt=" + nextAt) + (suspect ? " suspect" : "")
          + (askedToCancel ? " asked to cancel" : "");
    }
  }

  private record Call(long number, List<Written> answers, long usedAt) {}

  void limitedTo(int attempts) {
    maxAttempts = attempts;
  }

  void paused(boolean paused) {
    this.paused = paused;
  }

  // Writes.

  void written(List<Write> writes, Stamp stamp, Reply<List<Written>> reply) {
    boolean done = done(stamp, reply);
    for (int i = 0; i < writes.size() && done; i++) {
      written(writes.get(i), reply.value().get(i), reply.now());
    }
  }

  /** Returns whether something was done now: the call came neither late nor again. */
  boolean done(Stamp stamp, Reply<List<Written>> reply) {
    String stream = stamp.node() + ' ' + stamp.stream();
    Call last = calls.get(stream);
    boolean known = last != null && reply.now() - last.usedAt < Rules.KEPT_MILLIS;
    if (reply.late()) {
      check(stamp.late(reply.now()) || last != null && stamp.number() < last.number, "late for no reason", stamp);
      return false;
    }
    boolean repeated = last != null && stamp.number() == last.number && reply.value().equals(last.answers);
    check(repeated || !known || stamp.number() > requireNonNull(last).number, "done twice", stamp);
    calls.put(stream, new Call(stamp.number(), reply.value(), reply.now()));
    return !repeated;
  }

  void written(Write write, Written answer, long now) {
    Life found = latest.get(write.id());
    Life live = found == null || found.end != null ? null : found;
    switch (answer.answer()) {
      case CREATED -> {
        check(live == null || endedByRequest(live, now), "a second life", live);
        begin(write, answer, null);
      }
      case REPLACED -> {
        end(live, TaskState.CANCELLED, now);
        begin(write, answer, null);
      }
      case EXPIRED -> {
        if (live != null) {
          end(live, TaskState.CANCELLED, now);
        }
        if (write instanceof Write.Insert) {
          begin(write, answer, TaskState.CANCELLED);
        }
      }
      case KEPT, EXISTS -> check(found != null, "kept what never was", write);
      case REFUSED, ALREADY_CLAIMED -> {
        check(live != null && live.heldAt(now), "in process without an owner", write);
        requireNonNull(live).askedToCancel |= write instanceof Write.Cancel;
      }
      case CANCELLED -> end(live, TaskState.CANCELLED, now);
      case DONE -> {
        if (write instanceof Write.Revive) {
          check(live == null, "revived a live task", live);
          begin(write, answer, null);
          return;
        }
        check(live != null && !live.heldAt(now), "changed a task that is not there or not free", write);
        requireNonNull(live).lose();
        live.nextAt = answer.nextAt();
      }
      case PAST -> {
        boolean changed = !(write instanceof Write.Insert insert) || insert.onExisting() == OnExisting.REPLACE;
        if (changed && live != null && !endedByRequest(live, now) && live.held && !live.heldAt(now)) {
          live.lose();
          live.nextAt = now;
        }
      }
      case ALREADY_FINISHED -> check(live == null || endedByRequest(live, now), "finished a live task", live);
      case NOT_FAILED -> check(found != null, "knows what never was", write);
      case NOT_FOUND -> check(live == null, "does not find a live task", live);
    }
  }

  /** A lease that ran out after a cancel was asked for ends the task when somebody looks. */
  private boolean endedByRequest(Life live, long now) {
    boolean ended = live.held && !live.heldAt(now) && live.askedToCancel;
    if (ended) {
      live.end = TaskState.CANCELLED;
    }
    return ended;
  }

  private void begin(Write write, Written answer, @Nullable TaskState end) {
    check(!lives.containsKey(answer.seq()), "a seq is used again", answer);
    Life life = new Life(write.id(), answer.seq(), answer.nextAt());
    life.end = end;
    lives.put(life.seq, life);
    latest.put(life.id, life);
  }

  private void end(@Nullable Life live, TaskState state, long now) {
    check(live != null && live.end == null && !live.heldAt(now), "ended a task that has ended or has an owner", live);
    requireNonNull(live).end = state;
  }

  // Exchanges and renewals.

  void exchanged(List<Settlement> settlements, ClaimRequest request, Exchanged reply) {
    long now = reply.now();
    Set<Long> settled = new HashSet<>();
    for (int i = 0; i < settlements.size(); i++) {
      settled(settlements.get(i), reply.settled().get(i), now, settled);
    }
    for (Ended each : reply.ended()) {
      Life life = lives.get(each.seq());
      end(life, each.state(), now);
      check(endedRightly(requireNonNull(life), each.state()), "ended as " + each.state() + " for no reason", life);
    }
    List<Place> places = places(reply.claims());
    boolean repeated = false;
    for (Claimed claim : reply.claims()) {
      Life life = lives.get(claim.seq());
      check(life != null && life.end == null, "handed out a task that has ended", claim);
      check(claim.readyAt() <= now, "handed out early", claim);
      if (requireNonNull(life).heldUnder(claim.token())) {
        check(request.again(), "handed out twice", claim);
        repeated = true;
        life.leaseUntil = Math.max(life.leaseUntil, now + request.leaseMillis());
      } else {
        check(!settled.contains(life.seq), "handed out what was just settled", claim);
        claimed(life, claim, request, now);
      }
    }
    boolean looked = request.limit() > 0 && !reply.late() && !repeated;
    if (looked) {
      checkLimits(request, reply.claims());
      checkOrder(request, places, settled, now);
    }
    check(!paused || repeated || reply.claims().isEmpty(), "handed out of a paused queue", reply.claims());
    if (looked && !paused && !reply.more()) {
      checkNothingIsLeft(request, reply, settled);
    }
  }

  private void settled(Settlement settlement, Settled answer, long now, Set<Long> settled) {
    Life life = requireNonNull(lives.get(settlement.seq()));
    boolean holds = life.heldUnder(settlement.token());
    switch (answer.verdict()) {
      case APPLIED -> {
        check(holds, "settled by a stale owner", life);
        TaskState state = requireNonNull(answer.state());
        check(state == leadsTo(settlement.end(), life), settlement.end() + " led to " + state, life);
        life.attempts -= settlement.end() == End.RELEASE ? 1 : 0;
        life.held = false;
        life.nextAt = answer.nextAt();
        if (state.finished()) {
          life.end = state;
        } else {
          settled.add(life.seq);
        }
      }
      case REPEATED -> check(!holds, "not settled before", life);
      case STALE -> {
        check(!holds || !life.heldAt(now), "refused its owner", life);
        if (holds) {
          life.lose();
        }
      }
    }
  }

  private TaskState leadsTo(End end, Life life) {
    if (end == End.COMPLETE) {
      return TaskState.COMPLETED;
    }
    boolean over = end == End.FAIL || end == End.RETRY && life.attempts >= maxAttempts;
    return life.askedToCancel ? TaskState.CANCELLED : over ? TaskState.FAILED : TaskState.WAITING;
  }

  /** Returns whether an exchange may end a task by itself. */
  private boolean endedRightly(Life life, TaskState state) {
    return state == TaskState.CANCELLED
        ? life.askedToCancel
        : state == TaskState.FAILED && life.attempts >= maxAttempts;
  }

  private void claimed(Life life, Claimed claim, ClaimRequest request, long now) {
    check(!life.heldAt(now), "handed out while another holds it", claim);
    check(!life.askedToCancel, "handed out though a cancel was asked for", claim);
    check(claim.token() > life.token, "the token did not grow", claim);
    check(claim.attempt() == ++life.attempts, "an attempt is not counted, or twice", claim);
    check(claim.attempt() <= maxAttempts, "more attempts than allowed", claim);
    check(request.shards().contains(shard(life)), "handed out from another shard", claim);
    life.lose();
    check(claim.suspect() == life.suspect, "a suspect or not", claim);
    life.held = true;
    life.token = claim.token();
    life.leaseUntil = now + request.leaseMillis();
  }

  private static void checkLimits(ClaimRequest request, List<Claimed> claims) {
    long suspects = claims.stream().filter(Claimed::suspect).count();
    boolean grave = claims.stream().anyMatch(Claimed::grave);
    check(claims.size() <= request.limit(), "more than the limit", claims);
    check(suspects <= request.suspects(), "more suspects than allowed", claims);
    check(!grave || request.grave() && suspects == 1, "a grave suspect that was not asked for or is not alone", claims);
  }

  /** Where a task stood in its shard when it was handed out. */
  private record Place(int shard, long nextAt, long seq) {
    boolean before(Place other) {
      return shard == other.shard && (nextAt < other.nextAt || nextAt == other.nextAt && seq < other.seq);
    }
  }

  /** Returns the places of what was handed out, suspects left out, as they were before. */
  private List<Place> places(List<Claimed> claims) {
    return claims.stream().filter(claim -> !claim.suspect()).map(claim -> lives.get(claim.seq()))
        .filter(Objects::nonNull).map(this::place).toList();
  }

  private Place place(Life life) {
    return new Place(shard(life), life.nextAt, life.seq);
  }

  /** The ordinary tasks of each shard come in their order, and what is left of it comes after them. */
  private void checkOrder(ClaimRequest request, List<Place> places, Set<Long> settled, long now) {
    for (int i = 1; i < places.size(); i++) {
      for (int j = 0; j < i; j++) {
        check(!places.get(i).before(places.get(j)), "handed out in the wrong order", places);
      }
    }
    for (Life life : lives.values()) {
      if (life.end == null && !life.held && !life.suspect && life.nextAt <= now && !settled.contains(life.seq)
          && request.shards().contains(shard(life))) {
        check(places.stream().noneMatch(place -> place(life).before(place)), "passed over", life);
      }
    }
  }

  private void checkNothingIsLeft(ClaimRequest request, Exchanged reply, Set<Long> settled) {
    for (Life life : lives.values()) {
      if (life.end == null && request.shards().contains(shard(life))) {
        // A suspect that was skipped may keep a lease that ran out until it is looked at.
        if (life.held && !life.heldAt(reply.now()) && !life.suspect) {
          life.lose();
          life.nextAt = reply.now();
        }
        long moment = life.held ? life.leaseUntil : life.nextAt;
        check(moment > reply.now() || life.suspect || settled.contains(life.seq), "left behind", life);
        check(moment <= reply.now() || reply.next() <= moment, "next is too late", life);
      }
    }
  }

  private int shard(Life life) {
    return TaskId.shard(TaskId.slot(life.id), shards);
  }

  void renewed(List<Held> claims, long leaseMillis, Reply<List<Renewed>> reply) {
    for (int i = 0; i < claims.size(); i++) {
      Held claim = claims.get(i);
      Life life = requireNonNull(lives.get(claim.seq()));
      boolean holds = life.heldUnder(claim.token());
      Renewed answer = reply.value().get(i);
      if (answer == Renewed.LOST) {
        check(!holds || !life.heldAt(reply.now()), "took the lease of an owner", life);
        if (holds) {
          life.lose();
        }
      } else {
        check(holds, "renewed a stale claim", life);
        check(life.askedToCancel == (answer == Renewed.CANCEL_REQUESTED), "a cancel was asked for or not", life);
        life.leaseUntil = Math.max(life.leaseUntil, reply.now() + leaseMillis);
      }
    }
  }

  // Looking up.

  void found(List<String> ids, Reply<List<Optional<Task>>> reply) {
    for (int i = 0; i < ids.size(); i++) {
      Optional<Task> task = reply.value().get(i);
      Life life = latest.get(ids.get(i));
      if (life == null) {
        check(task.isEmpty(), "found what never was", task);
      } else if (life.end != null) {
        // An earlier life that is kept longer may be seen again.
        check(task.isEmpty() || task.get().seq() < life.seq || task.get().state() == life.end, "another end than told",
            life);
      } else {
        check(task.isPresent() && task.get().seq() == life.seq, "lost", life);
        TaskState state = task.orElseThrow().state();
        TaskState free = life.nextAt == Due.NEVER ? TaskState.PAUSED : TaskState.WAITING;
        check(state == (life.held ? TaskState.PROCESSING : free) || life.held && !life.heldAt(reply.now()),
            "another state than told: " + state, life);
      }
    }
  }

  // What a witness asks.

  /** Returns whether a life is held under this very token, by a lease that has not run out. */
  boolean owned(long seq, long token, long now) {
    Life life = requireNonNull(lives.get(seq));
    return life.heldUnder(token) && life.heldAt(now);
  }

  /** Returns the ids of the tasks that have not ended. */
  List<String> live() {
    return lives.values().stream().filter(life -> life.end == null).map(life -> life.id).toList();
  }

  /** Returns how a life ended; null if it has not. */
  @Nullable
  TaskState end(long seq) {
    return requireNonNull(lives.get(seq)).end;
  }

  private static void check(boolean right, String wrong, @Nullable Object what) {
    if (!right) {
      throw new AssertionError(wrong + ": " + what);
    }
  }
}
