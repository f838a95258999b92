package dev.bide;

import static dev.bide.TaskEvent.Kind.BREAKER_CLOSED;
import static dev.bide.TaskEvent.Kind.BREAKER_OPENED;
import static dev.bide.TaskEvent.Kind.BREAKER_PROBING;
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
import static java.lang.System.Logger.Level.WARNING;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.ClaimRequest.Claimant;
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
 * meanwhile lowers {@link #earlier}, and the reply lowers {@link #wakeAt} to the store's next moment. Sleep ends with
 * the next look too, so that what nobody signalled is found.
 *
 * <p>Used by the engine's thread only, but for {@link #signal}, {@link #asking} and {@link #breaker}.
 */
final class Dispatcher implements Duty {
  private static final System.Logger LOG = System.getLogger(Bide.class.getName());
  private static final int BATCH = 1_000;
  private static final long FIRST_BACKOFF_NANOS = Duration.ofMillis(50).toNanos();
  private static final long LAST_BACKOFF_NANOS = Duration.ofSeconds(5).toNanos();

  private final Node node;
  private final QueueSettings settings;
  private final Set<Integer> shards;
  private final Leases leases;
  private final Breaker breaker;
  private final Workers workers;
  private final Deque<Pull> pulls = new ArrayDeque<>();
  private final Deque<Settling> settlings = new ArrayDeque<>();
  /** Lowered by whoever inserts, on any thread. */
  private final AtomicLong earlier = new AtomicLong(NEVER);

  private @Nullable Exchange unanswered;
  /** Read by the threads of handlers too. */
  private volatile boolean asked;
  private long number;
  private long wakeAt;
  private long lookedAt;
  private long notBefore;
  private int failures;
  private int batch = BATCH;
  /**
   * The one settlement of a batch that was refused: the store is asked without it, to learn which of them is at fault.
   */
  private @Nullable Settling accused;
  private boolean pullsNext;
  private boolean suspectsNext;
  /** The last exchange that left nothing for whoever waited when it was sent. */
  private long emptied;
  private boolean stopping;
  /** When the store will be asked next if nobody signals; read by whoever inserts. */
  private volatile long asksAt = NEVER;

  Dispatcher(Node node, QueueSettings settings, Leases leases, QueueSpec<?> spec) {
    this.node = node;
    this.settings = settings;
    this.leases = leases;
    breaker = spec.breaker();
    workers = new Workers(node, this, spec, settings);
    shards = IntStream.range(0, settings.shards()).boxed().collect(Collectors.toUnmodifiableSet());
  }

  /** Who receives what an exchange claims, and how much. */
  private record Ask(@Nullable Pull pull, int limit, SuspectGate.Pass pass, boolean probe) {
    static final Ask NOTHING = new Ask(null, 0, SuspectGate.Pass.NONE, false);
  }

  /** An outcome on its way to the store. */
  private static final class Settling {
    final HeldClaim claim;
    final @Nullable Throwable cause;
    Settlement settlement;
    boolean sentTwice;
    /** How often the store refused it and did everything else. */
    int refusals;

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
    /** The last exchange that was sent before it came. */
    private long after;

    /**
     * Hands up to {@code max} claims to {@code taker}, once, by {@code deadline} in nanoseconds of the engine's clock;
     * the store is asked at least once, unless it cannot be.
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
    long next = workers.turn(now);
    if (breaker.turn(now)) {
      node.events().queue(BREAKER_PROBING, settings.name(), "", null);
      wakeAt = now;
    }
    next = Math.min(next, Math.min(breaker.next(), endPulls(now)));
    return Math.min(next, exchange(now, out));
  }

  private long exchange(long now, Consumer<StoreRequest<?>> out) {
    if (asked) {
      return NEVER;
    }
    if (now < notBefore) {
      return notBefore;
    }
    if (unanswered != null) {
      asked = true;
      unanswered = unanswered.again(now);
      out.accept(unanswered);
      return NEVER;
    }
    boolean wanted = !stopping && breaker.most() > 0 && (!pulls.isEmpty() || workers.room(now) > 0);
    long asks = Math.min(wakeAt, node.driver().nextLook(lookedAt));
    if (settlings.isEmpty() && !(wanted && now >= asks)) {
      asksAt = asks;
      return Math.min(workers.heldOff(now), wanted ? asks : NEVER);
    }
    asked = true;
    wakeAt = NEVER;
    asksAt = NEVER;
    unanswered = new Exchange(takeBatch(), wanted ? ask(now) : Ask.NOTHING, now);
    out.accept(unanswered);
    return NEVER;
  }

  /** Decides who is served next: handlers and pulls in turn, and within the pulls suspects and the rest in turn. */
  private Ask ask(long now) {
    Pull pull = pulls.peek();
    int room = workers.room(now);
    int most = Math.min(BATCH, breaker.most());
    boolean probe = !breaker.closed();
    if (pull == null || room > 0 && !pullsNext) {
      int limit = Math.min(room, most);
      return new Ask(null, limit, node.gate().ask(Math.min(workers.idle(), limit)), probe);
    }
    SuspectGate.Pass pass = node.gate().ask(suspectsNext ? 1 : 0);
    return new Ask(pull, pass.suspects() > 0 ? 1 : Math.min(pull.max, most), pass, probe);
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
    private final Ask ask;
    private final ClaimRequest request;
    private final List<Settlement> settlements;
    private final long sent;
    /** What {@link #settlements} came from, or the part of it that goes along when this is sent again. */
    private List<Settling> settled;

    private Exchange(List<Settling> settled, Ask ask, ClaimRequest request, long sent) {
      this.settled = settled;
      this.ask = ask;
      this.request = request;
      this.sent = sent;
      settlements = settled.stream().map(each -> each.settlement).toList();
    }

    Exchange(List<Settling> settled, Ask ask, long now) {
      this(settled, ask,
          new ClaimRequest(settings.name(), shards,
              new Stamp(node.name(), "claim " + settings.name(), ++number, notAfter(now)), false, ask.limit,
              ask.pass.suspects(), ask.pass.grave(), settings.leaseMillis(), Claimant.THIS_PROCESS),
          now);
    }

    Exchange again(long now) {
      return new Exchange(settled, ask, request.again(notAfter(now)), now);
    }

    @Override
    public Exchanged perform(TaskStore store) {
      return store.exchange(settlements, request);
    }

    @Override
    public void answered(Exchanged reply, long now) {
      node.time().learn(reply.now(), sent, now);
      asked = false;
      unanswered = null;
      failures = 0;
      batch = Math.min(BATCH, batch * 2);
      notBefore = reply.late() ? now + FIRST_BACKOFF_NANOS : now;
      boolean again = ask.limit == 0 || reply.more() || reply.late();
      wakeAt = Math.min(wakeAt, again ? now : node.time().nanosAt(reply.next()));
      lookedAt = now;
      for (int i = 0; i < settled.size(); i++) {
        settlementAnswered(settled.get(i), reply.settled().get(i));
      }
      convict();
      reply.ended().forEach(Dispatcher.this::storeEnded);
      if (ask.limit > 0) {
        claimed(this, reply, now);
      }
    }

    @Override
    public void failed(RuntimeException failure, long now) {
      asked = false;
      failures++;
      settled.forEach(each -> each.sentTwice = true);
      node.events().queue(STORE_FAILED, settings.name(), Texts.of(failure), failure);
      boolean lasting = !(failure instanceof StoreException store && store.isTransient());
      if (!lasting || !divided()) {
        notBefore = now + Math.min(LAST_BACKOFF_NANOS, FIRST_BACKOFF_NANOS << Math.min(failures - 1, 10));
      }
    }

    /**
     * Takes a batch apart that the store refuses for good: half of it, until the settlement that cannot be stored
     * stands alone; then none, to learn whether it is to blame or the store. Returns false if there is nothing left to
     * take out.
     */
    private boolean divided() {
      int size = settled.size();
      if (size == 0) {
        settled = accused == null ? settled : List.of(accused);
        accused = null;
        return false;
      }
      batch = Math.max(1, size / 2);
      for (int i = size - 1; i >= batch; i--) {
        settlings.addFirst(settled.get(i));
      }
      accused = size == 1 ? settled.get(0) : null;
      settled = size == 1 ? List.of() : settled.subList(0, batch);
      return true;
    }
  }

  private long notAfter(long now) {
    return node.time().storeMillis(now) + Calls.TIMEOUT_MILLIS;
  }

  /**
   * Finds the accused settlement guilty, since the store does all but that. It is tried once more; then it becomes a
   * failure with a text of ours; and if even that is refused, the claim is left to its lease.
   */
  private void convict() {
    Settling guilty = accused;
    if (guilty == null) {
      return;
    }
    accused = null;
    String why = "its settlement could not be stored";
    Settlement refused = guilty.settlement;
    switch (guilty.refusals++) {
      case 0 -> settlings.addFirst(guilty);
      case 1 -> {
        guilty.settlement = new Settlement(refused.id(), refused.seq(), refused.token(), End.FAIL, 0, why);
        settlings.addFirst(guilty);
      }
      default -> {
        over(guilty.claim);
        guilty.claim.settled.completeExceptionally(StoreException.lasting(why, null));
      }
    }
  }

  /** Whoever waits for the answer goes on when it has been told. */
  private void settlementAnswered(Settling settling, Settled answer) {
    over(settling.claim);
    tell(settling, answer);
    settling.claim.settled.complete(answer);
  }

  private void tell(Settling settling, Settled answer) {
    HeldClaim claim = settling.claim;
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

  private void claimed(Exchange exchange, Exchanged reply, long now) {
    long leaseEnd = exchange.sent + leases.sureNanos();
    List<HeldClaim> claims = reply.claims().stream().map(task -> new HeldClaim(settings.name(), task, leaseEnd))
        .toList();
    for (HeldClaim claim : claims) {
      Claimed task = claim.task;
      boolean first = task.attempt() == 1 && !task.suspect();
      Duration lateness = Duration.ofMillis(task.claimedAt() - (first ? task.dueAt() : task.readyAt()));
      node.events().delayed(CLAIMED, settings.name(), task, task.heldBack() ? null : lateness);
      leases.add(claim, exchange.sent);
    }
    SuspectGate.Pass pass = exchange.ask.pass;
    node.gate().answered(pass, reply.claims(), reply.suspectsLeft(), () -> wakeAt = 0);
    Pull pull = exchange.ask.pull;
    pullsNext = pull == null;
    suspectsNext = reply.suspectsLeft() && pass.suspects() == 0;
    if (suspectsNext && claims.isEmpty() && !pulls.isEmpty() && node.gate().open()) {
      wakeAt = now;
    } else if (!reply.more() && !reply.late()) {
      emptied = exchange.request.stamp().number();
    }
    if (stopping || !exchange.ask.probe && !breaker.closed()) {
      claims.forEach(this::giveBack);
      return;
    }
    claims.forEach(breaker::claimed);
    if (pull == null) {
      workers.add(claims, exchange.ask.limit, now);
    } else if (pulls.contains(pull)) {
      hand(pull, claims);
    } else {
      // The pull has ended while its exchange was under way.
      claims.forEach(this::giveBack);
    }
  }

  /** Adds a caller that waits for claims. */
  void pull(Pull pull) {
    if (stopping) {
      pull.taker.accept(List.of());
    } else {
      pull.after = number;
      pulls.add(pull);
      wakeAt = 0;
    }
  }

  /** Ends a pull with nothing, unless it has ended; what is under way for it goes back. */
  void end(Pull pull) {
    if (pulls.remove(pull)) {
      pull.taker.accept(List.of());
    }
  }

  /**
   * Ends the pulls whose time is over, once the store has been asked for them or cannot or must not be asked; returns
   * when the next one's time is.
   */
  private long endPulls(long now) {
    long next = NEVER;
    for (Pull pull : List.copyOf(pulls)) {
      boolean served = asked && unanswered != null && unanswered.ask.pull == pull;
      boolean looked = emptied > pull.after || failures > 0 || breaker.most() == 0;
      if (served || !looked) {
        continue;
      }
      if (pull.deadline <= now) {
        end(pull);
      } else {
        next = Math.min(next, pull.deadline);
      }
    }
    return next;
  }

  /** Hands over what still can be started; a pull for which nothing can goes on waiting. */
  private void hand(Pull pull, List<HeldClaim> claims) {
    long now = node.nanos();
    List<HeldClaim> valid = new ArrayList<>(claims.size());
    for (HeldClaim claim : claims) {
      if (claim.start(now)) {
        valid.add(claim);
        started(claim);
      } else {
        giveBack(claim);
      }
    }
    if (!valid.isEmpty()) {
      pulls.remove(pull);
      pull.taker.accept(valid);
    }
  }

  void started(HeldClaim claim) {
    long waited = node.time().storeMillis(node.nanos()) - claim.task.claimedAt();
    node.events().delayed(STARTED, settings.name(), claim.task, Duration.ofMillis(Math.max(0, waited)));
  }

  Workers workers() {
    return workers;
  }

  /** Returns whether the store is being asked, and its answer still to come; on any thread. */
  boolean asking() {
    return asked;
  }

  /** Gives a claim back that nobody works on. */
  void giveBack(HeldClaim claim) {
    if (claim.giveBack()) {
      settle(claim, Outcome.release());
    }
  }

  /** Sends an outcome to the store, for a claim that has {@link HeldClaim#beginSettling begun settling}. */
  void settle(HeldClaim claim, Outcome outcome) {
    settlings
        .add(new Settling(claim, new Settlement(claim.task.id(), claim.task.seq(), claim.task.token(), outcome.end(),
            outcome.delayMillis(), Texts.clean(outcome.note())), outcome.cause()));
    if (breaker.ended(claim, outcome.sign(), node.nanos())) {
      breakerTurned(claim, outcome);
    }
  }

  private void breakerTurned(HeldClaim claim, Outcome outcome) {
    if (breaker.closed()) {
      node.events().queue(BREAKER_CLOSED, settings.name(), "the probe has ended well: task " + claim.task.id(), null);
    } else {
      node.events().queue(BREAKER_OPENED, settings.name(), "failures in a row: " + breaker().failures()
          + ", the last of task " + claim.task.id() + ": " + Texts.clean(outcome.note()), outcome.cause());
      workers.forget();
      giveBackUnstarted();
    }
  }

  /** Returns how the circuit breaker stands; on any thread. */
  CircuitBreaker breaker() {
    return breaker.view(node.time());
  }

  private void giveBackUnstarted() {
    leases.held().forEach(this::giveBack);
  }

  /** Stops claiming, and gives back what has not started. */
  void stop() {
    stopping = true;
    workers.stop();
    giveBackUnstarted();
    List.copyOf(pulls).forEach(this::end);
  }

  /** Interrupts whoever works on what is still held, and says so: someone may wait for these tasks. */
  void interrupt() {
    List<HeldClaim> stuck = leases.held().stream().filter(claim -> claim.stage() == HeldClaim.Stage.STARTED).toList();
    if (stuck.isEmpty()) {
      return;
    }
    LOG.log(WARNING,
        "queue=" + settings.name() + ": " + stuck.size() + " still running at the end of the shutdown limit"
            + " are interrupted: " + stuck.stream().limit(10).map(claim -> claim.task.id()).toList());
    for (HeldClaim claim : stuck) {
      node.events().claim(STUCK, settings.name(), claim.task, "still running at the end of the shutdown limit", null);
      claim.interrupt(Outcome.release());
    }
  }

  /** Returns whether no settlement is on its way. */
  boolean flushed() {
    return !asked && unanswered == null && settlings.isEmpty();
  }

  /** Tells whoever still waits for the answer to a settlement that none comes; the engine's last step. */
  void abandon() {
    IllegalStateException closed = new IllegalStateException("the Bide is closed; the claim ends with its lease");
    leases.held().forEach(claim -> claim.settled.completeExceptionally(closed));
  }

  /** Returns whether nothing is held, and nothing is on its way. */
  boolean idle() {
    return flushed() && leases.isEmpty();
  }
}
