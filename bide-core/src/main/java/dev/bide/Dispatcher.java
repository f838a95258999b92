package dev.bide;

import static dev.bide.TaskEvent.Kind.CANCELLED;
import static dev.bide.TaskEvent.Kind.CLAIMED;
import static dev.bide.TaskEvent.Kind.COMPLETED;
import static dev.bide.TaskEvent.Kind.FAILED;
import static dev.bide.TaskEvent.Kind.RELEASED;
import static dev.bide.TaskEvent.Kind.RETRIED;
import static dev.bide.TaskEvent.Kind.SETTLEMENT_REFUSED;
import static dev.bide.TaskEvent.Kind.STARTED;
import static dev.bide.TaskEvent.Kind.STORE_FAILED;
import static dev.bide.TaskEvent.Kind.STUCK;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.Claimed;
import dev.bide.spi.End;
import dev.bide.spi.Ended;
import dev.bide.spi.Exchanged;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Settled;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.StoreException;
import dev.bide.spi.TaskStore;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Brings the due tasks of one queue to those who have room for them, and their settlements back to the store.
 *
 * <p>One loop: <em>settle what has ended and take what is due, in one exchange; note when the next task is due; sleep
 * until then, or until an earlier one is inserted.</em> At most one exchange is under way; what ends meanwhile goes
 * with the next one, so a busy queue is settled in batches without anybody waiting for a batch to fill.
 *
 * <p>No wake-up is lost: {@link #wakeAt} is set to never <em>before</em> the store is asked, an insert that arrives
 * meanwhile lowers {@link #earlier}, and the reply lowers {@link #wakeAt} to the store's next moment. Sleep is capped,
 * so that what nobody signalled is found too.
 *
 * <p>Used by the engine's thread only, but for {@link #signal}.
 */
final class Dispatcher implements Duty {
  private static final int BATCH = 1_000;
  private static final long LOOK_EVERY_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long TIMEOUT_MILLIS = 10_000;
  private static final long FIRST_BACKOFF_NANOS = Duration.ofMillis(50).toNanos();
  private static final long LAST_BACKOFF_NANOS = Duration.ofSeconds(5).toNanos();

  private final Node node;
  private final QueueSettings settings;
  private final Set<Integer> shards;
  private final Leases leases;
  private final Workers workers;
  private final Deque<Pull> pulls = new ArrayDeque<>();
  private final Deque<Settling> settlings = new ArrayDeque<>();
  /** Lowered by whoever inserts, on any thread. */
  private final AtomicLong earlier = new AtomicLong(NEVER);

  private @Nullable Exchange unanswered;
  private boolean asked;
  private long number;
  private long wakeAt;
  private long notBefore;
  private int failures;
  private int batch = BATCH;
  private boolean pullsNext;
  private boolean suspectsFirst;
  private boolean stopping;
  /** When the store will be asked next if nobody signals; read by whoever inserts. */
  private volatile long asksAt = NEVER;

  Dispatcher(Node node, QueueSettings settings, Leases leases, int handlers, int prefetch) {
    this.node = node;
    this.settings = settings;
    this.leases = leases;
    workers = new Workers(node, this, handlers, prefetch);
    shards = IntStream.range(0, settings.shards()).boxed().collect(Collectors.toUnmodifiableSet());
  }

  /** Who receives what an exchange claims, and how much. */
  private record Ask(@Nullable Pull pull, int limit, int suspects) {
    static final Ask NOTHING = new Ask(null, 0, 0);
  }

  /** An outcome on its way to the store. */
  private static final class Settling {
    final HeldClaim claim;
    final @Nullable Throwable cause;
    Settlement settlement;
    boolean sentTwice;
    boolean substituted;

    Settling(HeldClaim claim, Settlement settlement, @Nullable Throwable cause) {
      this.claim = claim;
      this.settlement = settlement;
      this.cause = cause;
    }
  }

  /** A caller waiting for claims. */
  static final class Pull {
    final int max;
    final long deadline;
    private final Consumer<List<HeldClaim>> taker;

    /**
     * Hands up to {@code max} claims to {@code taker}, once, by {@code deadline} in nanoseconds of the engine's clock.
     */
    Pull(int max, long deadline, Consumer<List<HeldClaim>> taker) {
      this.max = max;
      this.deadline = deadline;
      this.taker = taker;
    }
  }

  /** Says that a task is due at {@code storeMillis}; called on any thread, after the store has it. */
  void signal(long storeMillis) {
    long moment = node.time().nanosAt(storeMillis);
    if (moment < asksAt && moment < earlier.getAndAccumulate(moment, Math::min)) {
      node.engineThread().accept(() -> {});
    }
  }

  @Override
  public long turn(long now, Consumer<StoreRequest<?>> out) {
    wakeAt = Math.min(wakeAt, earlier.getAndSet(NEVER));
    long pullEnds = endPulls(now);
    if (asked) {
      return pullEnds;
    }
    if (now < notBefore) {
      return Math.min(notBefore, pullEnds);
    }
    if (unanswered != null) {
      asked = true;
      out.accept(unanswered.again(now));
      return pullEnds;
    }
    Ask ask = ask();
    boolean look = ask.limit > 0 && now >= wakeAt;
    if (!look && settlings.isEmpty()) {
      asksAt = wakeAt;
      return ask.limit > 0 ? Math.min(wakeAt, pullEnds) : pullEnds;
    }
    asked = true;
    wakeAt = NEVER;
    asksAt = NEVER;
    unanswered = new Exchange(takeBatch(), ask, node.gate().ask(ask.suspects), now);
    out.accept(unanswered);
    return pullEnds;
  }

  /** Decides who is served next: handlers and pulls in turn, and within the pulls suspects and the rest in turn. */
  private Ask ask() {
    Pull pull = pulls.peek();
    int room = workers.room();
    if (stopping || pull == null && room == 0) {
      return Ask.NOTHING;
    }
    if (pull != null && (pullsNext || room == 0)) {
      return suspectsFirst ? new Ask(pull, 1, 1) : new Ask(pull, Math.min(pull.max, BATCH), 0);
    }
    return new Ask(null, Math.min(room, BATCH), Math.min(workers.idle(), room));
  }

  private List<Settling> takeBatch() {
    List<Settling> taken = new ArrayList<>();
    while (taken.size() < batch && !settlings.isEmpty()) {
      taken.add(settlings.remove());
    }
    return taken;
  }

  /** One exchange, until it is answered. */
  private final class Exchange implements StoreRequest<Exchanged> {
    private final List<Settling> settled;
    private final Ask ask;
    private final SuspectGate.Pass pass;
    private long sent;
    private ClaimRequest request;

    Exchange(List<Settling> settled, Ask ask, SuspectGate.Pass pass, long now) {
      this.settled = settled;
      this.ask = ask;
      this.pass = pass;
      sent = now;
      Stamp stamp = new Stamp(node.name(), "claim " + settings.name(), ++number, notAfter(now));
      request = new ClaimRequest(settings.name(), shards, stamp, false, ask.limit, pass.suspects(), pass.grave(),
          settings.leaseMillis());
    }

    Exchange again(long now) {
      settled.forEach(each -> each.sentTwice = true);
      request = request.again(notAfter(now));
      sent = now;
      return this;
    }

    @Override
    public Exchanged perform(TaskStore store) {
      return store.exchange(settled.stream().map(each -> each.settlement).toList(), request);
    }

    @Override
    public void answered(Exchanged reply, long now) {
      node.time().learn(reply.now(), sent, now);
      asked = false;
      unanswered = null;
      failures = 0;
      batch = Math.min(BATCH, batch * 2);
      for (int i = 0; i < settled.size(); i++) {
        settlementAnswered(settled.get(i), reply.settled().get(i));
      }
      reply.ended().forEach(Dispatcher.this::storeEnded);
      claimed(this, reply);
      boolean again = reply.more() || reply.late();
      long next = again ? now : Math.min(node.time().nanosAt(reply.next()), now + LOOK_EVERY_NANOS);
      if (ask.limit > 0) {
        wakeAt = Math.min(wakeAt, next);
      } else {
        wakeAt = Math.min(wakeAt, now);
      }
    }

    @Override
    public void failed(RuntimeException failure, long now) {
      asked = false;
      failures++;
      notBefore = now + Math.min(LAST_BACKOFF_NANOS, FIRST_BACKOFF_NANOS << Math.min(failures - 1, 10));
      node.events().queue(STORE_FAILED, settings.name(), Texts.of(failure), failure);
      boolean lasting = !(failure instanceof StoreException store && store.isTransient());
      if (lasting && !settled.isEmpty()) {
        divide(this, failure);
      }
    }
  }

  private long notAfter(long now) {
    return node.time().storeMillis(now) + TIMEOUT_MILLIS;
  }

  /**
   * Takes a refused batch apart: half as many next time, until the settlement that cannot be stored stands alone; that
   * one becomes a failure with a text of ours, and if even that is refused, the claim is left to its lease.
   */
  private void divide(Exchange refused, RuntimeException failure) {
    unanswered = null;
    wakeAt = Math.min(wakeAt, notBefore);
    node.gate().answered(refused.pass, List.of(), false, () -> {});
    batch = Math.max(1, refused.settled.size() / 2);
    if (refused.settled.size() > 1) {
      for (int i = refused.settled.size() - 1; i >= 0; i--) {
        settlings.addFirst(refused.settled.get(i));
      }
      return;
    }
    Settling alone = refused.settled.get(0);
    if (alone.substituted) {
      over(alone.claim);
      alone.claim.settled.completeExceptionally(failure);
      return;
    }
    alone.substituted = true;
    Settlement refusedOne = alone.settlement;
    alone.settlement = new Settlement(refusedOne.id(), refusedOne.seq(), refusedOne.token(), End.FAIL, 0,
        "its settlement could not be stored");
    settlings.addFirst(alone);
  }

  private void settlementAnswered(Settling settling, Settled answer) {
    HeldClaim claim = settling.claim;
    over(claim);
    claim.settled.complete(answer);
    Settlement settlement = settling.settlement;
    if (answer.verdict() == Settled.Verdict.STALE) {
      if (!settling.sentTwice) {
        node.events().claim(SETTLEMENT_REFUSED, settings.name(), claim.task, settlement.end().name(), null);
      }
      return;
    }
    TaskState state = answer.state();
    TaskEvent.Kind kind = state == TaskState.COMPLETED
        ? COMPLETED
        : state == TaskState.FAILED
            ? FAILED
            : state == TaskState.CANCELLED ? CANCELLED : settlement.end() == End.RELEASE ? RELEASED : RETRIED;
    node.events().claim(kind, settings.name(), claim.task, settlement.note(), settling.cause);
  }

  private void over(HeldClaim claim) {
    claim.gone();
    leases.remove(claim);
    if (claim.task.suspect()) {
      node.gate().gone(claim.task);
    }
  }

  private void storeEnded(Ended ended) {
    node.events().ended(ended.state() == TaskState.FAILED ? FAILED : CANCELLED, settings.name(), ended.id(),
        ended.attempt(), ended.outcome());
  }

  private void claimed(Exchange exchange, Exchanged reply) {
    long leaseEnd = exchange.sent + Duration.ofMillis(settings.leaseMillis()).toNanos();
    List<HeldClaim> claims = reply.claims().stream().map(task -> new HeldClaim(settings.name(), task, leaseEnd))
        .toList();
    for (HeldClaim claim : claims) {
      Claimed task = claim.task;
      boolean first = task.attempt() == 1 && !task.suspect();
      node.events().delayed(CLAIMED, settings.name(), task,
          Duration.ofMillis(task.claimedAt() - (first ? task.dueAt() : task.readyAt())));
      leases.add(claim, exchange.sent);
    }
    node.gate().answered(exchange.pass, reply.claims(), reply.suspectsLeft(), () -> wakeAt = 0);
    Pull pull = exchange.ask.pull;
    pullsNext = pull == null;
    if (pull != null) {
      suspectsFirst = reply.suspectsLeft() && !suspectsFirst;
    }
    if (stopping) {
      claims.forEach(this::release);
    } else if (pull == null) {
      claims.forEach(workers::add);
    } else if (!claims.isEmpty()) {
      // A pull may have ended while its exchange was under way; what was claimed for it goes back.
      if (pulls.remove(pull)) {
        hand(pull, claims);
      } else {
        claims.forEach(this::release);
      }
    }
  }

  /** Adds a caller that waits for claims. */
  void pull(Pull pull) {
    if (stopping) {
      pull.taker.accept(List.of());
    } else {
      pulls.add(pull);
    }
  }

  /** Ends the pulls whose time is over; returns when the next one's is. */
  private long endPulls(long now) {
    long next = NEVER;
    for (Pull pull : List.copyOf(pulls)) {
      boolean served = unanswered != null && unanswered.ask.pull == pull;
      if (pull.deadline <= now && !served) {
        pulls.remove(pull);
        pull.taker.accept(List.of());
      } else if (!served) {
        next = Math.min(next, pull.deadline);
      }
    }
    return next;
  }

  private void hand(Pull pull, List<HeldClaim> claims) {
    long now = node.clock().getAsLong();
    List<HeldClaim> valid = new ArrayList<>(claims.size());
    for (HeldClaim claim : claims) {
      if (claim.start(now)) {
        valid.add(claim);
        started(claim);
      } else {
        release(claim);
      }
    }
    pull.taker.accept(valid);
  }

  void started(HeldClaim claim) {
    long waited = node.time().storeMillis(node.clock().getAsLong()) - claim.task.claimedAt();
    node.events().delayed(STARTED, settings.name(), claim.task, Duration.ofMillis(Math.max(0, waited)));
  }

  Workers workers() {
    return workers;
  }

  /** Asks the store for nothing for a while. */
  void holdOff(long nanos) {
    notBefore = Math.max(notBefore, node.clock().getAsLong() + nanos);
  }

  /** Gives a claim back that nobody has settled. */
  void release(HeldClaim claim) {
    if (claim.beginSettling()) {
      settle(claim, Outcome.release());
    }
  }

  /** Sends an outcome to the store, for a claim that has {@link HeldClaim#beginSettling begun settling}. */
  void settle(HeldClaim claim, Outcome outcome) {
    settlings
        .add(new Settling(claim, new Settlement(claim.task.id(), claim.task.seq(), claim.task.token(), outcome.end(),
            outcome.delayMillis(), Texts.clean(outcome.note())), outcome.cause()));
  }

  /** Stops claiming, and gives back what has not started. */
  void stop() {
    stopping = true;
    workers.stop().forEach(this::release);
    List<Pull> waiting = List.copyOf(pulls);
    pulls.clear();
    waiting.forEach(pull -> pull.taker.accept(List.of()));
  }

  /** Interrupts whoever works on what is still held. */
  void interrupt() {
    for (HeldClaim claim : leases.held()) {
      if (claim.stage() == HeldClaim.Stage.STARTED) {
        node.events().claim(STUCK, settings.name(), claim.task, "still running at the end of the shutdown limit", null);
        claim.interrupt();
      }
    }
  }

  /** Returns whether no settlement is on its way. */
  boolean flushed() {
    return !asked && unanswered == null && settlings.isEmpty();
  }

  /** Returns whether nothing is held, and nothing is on its way. */
  boolean idle() {
    return flushed() && leases.isEmpty();
  }
}
