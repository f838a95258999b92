package dev.bide.tck;

import static dev.bide.tck.Wrong.plus;
import static dev.bide.tck.Wrong.with;

import dev.bide.memory.MemoryFixture;
import dev.bide.spi.ClaimRequest;
import dev.bide.spi.Claimed;
import dev.bide.spi.End;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Held;
import dev.bide.spi.Host;
import dev.bide.spi.QueuePause;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.QueueStore;
import dev.bide.spi.Renewed;
import dev.bide.spi.Reply;
import dev.bide.spi.Settled;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.TaskStore;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.OnExisting;
import dev.bide.task.Payload;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What stores may get wrong, in small parts. */
final class Mistakes {
  private Mistakes() {}

  static <T> UnaryOperator<List<T>> each(UnaryOperator<T> mistake) {
    return all -> all.stream().map(mistake).toList();
  }

  static <T> List<T> reversed(List<T> all) {
    List<T> turned = new ArrayList<>(all);
    Collections.reverse(turned);
    return turned;
  }

  static <T> List<T> withoutLast(List<T> all) {
    return all.subList(0, Math.max(0, all.size() - 1));
  }

  // Due times.

  static Due early(Due due) {
    return new Due(due.base(), Math.max(0, due.millis() - 1), due.bufferMillis(), due.tierMillis(), due.past(),
        due.pastMillis(), due.onlyLater());
  }

  static Due late(Due due) {
    return new Due(due.base(), due.millis() + 1, due.bufferMillis(), due.tierMillis(), due.past(), due.pastMillis(),
        due.onlyLater());
  }

  static Due withoutBuffer(Due due) {
    return new Due(due.base(), due.millis(), 0, due.tierMillis(), due.past(), due.pastMillis(), due.onlyLater());
  }

  static Due withoutTier(Due due) {
    return new Due(due.base(), due.millis(), due.bufferMillis(), 1, due.past(), due.pastMillis(), due.onlyLater());
  }

  static Due run(Due due) {
    return new Due(due.base(), due.millis(), due.bufferMillis(), due.tierMillis(), Due.Past.RUN, 0, due.onlyLater());
  }

  static Due anyTime(Due due) {
    return new Due(due.base(), due.millis(), due.bufferMillis(), due.tierMillis(), due.past(), due.pastMillis(), false);
  }

  static UnaryOperator<Due> base(Due.Base from, Due.Base to) {
    return due -> new Due(due.base() == from ? to : due.base(), due.millis(), due.bufferMillis(), due.tierMillis(),
        due.past(), due.pastMillis(), due.onlyLater());
  }

  // Writes.

  static UnaryOperator<Write> onExisting(OnExisting from, OnExisting to) {
    return write -> write instanceof Write.Insert insert && insert.onExisting() == from
        ? new Write.Insert(insert.queue(), insert.id(), insert.payload(), insert.due(), to, insert.rule(),
            insert.zone(), insert.tags())
        : write;
  }

  static UnaryOperator<Write> id(UnaryOperator<String> mistake) {
    return write -> write instanceof Write.Insert insert
        ? new Write.Insert(insert.queue(), mistake.apply(insert.id()), insert.payload(), insert.due(),
            insert.onExisting(), insert.rule(), insert.zone(), insert.tags())
        : write;
  }

  static Write asText(Write write) {
    return write instanceof Write.Insert insert
        ? new Write.Insert(insert.queue(), insert.id(), Payload.of(insert.payload().text()), insert.due(),
            insert.onExisting(), insert.rule(), insert.zone(), insert.tags())
        : write;
  }

  /** Says DONE and leaves the task. */
  static Write notCancelled(Write write) {
    return write instanceof Write.Cancel cancel
        ? new Write.Move(cancel.queue(), cancel.id(), new Due(Due.Base.FROM_DUE, 0, 0, 1, Due.Past.RUN, 0, false), null)
        : write;
  }

  static UnaryOperator<Written> answer(Answer from, Answer to) {
    return written -> new Written(written.answer() == from ? to : written.answer(), written.found(), written.seq(),
        written.dueAt(), written.nextAt());
  }

  static Written withoutState(Written written) {
    return new Written(written.answer(), null, written.seq(), written.dueAt(), written.nextAt());
  }

  static Written nextAtDueTime(Written written) {
    return new Written(written.answer(), written.found(), written.seq(), written.dueAt(), written.dueAt());
  }

  /** Each write in a transaction of its own. */
  static final class OneByOne extends Wrong {
    @Override
    public Reply<List<Written>> write(List<Write> writes, Stamp stamp) {
      List<Written> answers = new ArrayList<>();
      for (Write write : writes) {
        Stamp its = new Stamp(stamp.node(), stamp.stream(), stamp.number() * 1_000 + answers.size(), stamp.notAfter());
        answers.addAll(right().write(List.of(write), its).value());
      }
      if (writes.stream().map(Write::id).distinct().count() < writes.size()) {
        throw new IllegalArgumentException("an id comes twice");
      }
      return Reply.of(now(), answers);
    }
  }

  // Requests.

  static UnaryOperator<ClaimRequest> limit(IntUnaryOperator mistake) {
    return request -> new ClaimRequest(request.queue(), request.shards(), request.stamp(), request.again(),
        mistake.applyAsInt(request.limit()), request.suspects(), request.grave(), request.leaseMillis(),
        request.claimant());
  }

  static UnaryOperator<ClaimRequest> shards(Set<Integer> shards) {
    return request -> new ClaimRequest(request.queue(), shards, request.stamp(), request.again(), request.limit(),
        request.suspects(), request.grave(), request.leaseMillis(), request.claimant());
  }

  static UnaryOperator<ClaimRequest> lease(long leaseMillis) {
    return request -> new ClaimRequest(request.queue(), request.shards(), request.stamp(), request.again(),
        request.limit(), request.suspects(), request.grave(), leaseMillis, request.claimant());
  }

  static UnaryOperator<ClaimRequest> suspects(int suspects) {
    return request -> new ClaimRequest(request.queue(), request.shards(), request.stamp(), request.again(),
        request.limit(), suspects, request.grave(), request.leaseMillis(), request.claimant());
  }

  static ClaimRequest grave(ClaimRequest request) {
    return new ClaimRequest(request.queue(), request.shards(), request.stamp(), request.again(), request.limit(),
        request.suspects(), true, request.leaseMillis(), request.claimant());
  }

  static UnaryOperator<ClaimRequest> stamp(UnaryOperator<Stamp> mistake) {
    return request -> new ClaimRequest(request.queue(), request.shards(), mistake.apply(request.stamp()),
        request.again(), request.limit(), request.suspects(), request.grave(), request.leaseMillis(),
        request.claimant());
  }

  /** The same wish, sent as another call. */
  private static ClaimRequest another(ClaimRequest request, int limit) {
    Stamp stamp = request.stamp();
    return new ClaimRequest(request.queue(), request.shards(),
        new Stamp(stamp.node(), stamp.stream() + " again", Host.monotonicNanos(), stamp.notAfter()), false, limit,
        request.suspects(), request.grave(), request.leaseMillis(), request.claimant());
  }

  // Replies.

  static UnaryOperator<List<Claimed>> sorted(Comparator<Claimed> order) {
    return claims -> claims.stream().sorted(order).toList();
  }

  static Claimed token(Claimed claim, long token) {
    return new Claimed(claim.id(), claim.seq(), token, claim.attempt(), claim.lapses(), claim.grave(), claim.payload(),
        claim.createdAt(), claim.dueAt(), claim.readyAt(), claim.claimedAt(), claim.heldBack(), claim.cancelRequested(),
        claim.rule());
  }

  static Claimed nextAttempt(Claimed claim) {
    return new Claimed(claim.id(), claim.seq(), claim.token(), claim.attempt() + 1, claim.lapses(), claim.grave(),
        claim.payload(), claim.createdAt(), claim.dueAt(), claim.readyAt(), claim.claimedAt(), claim.heldBack(),
        claim.cancelRequested(),
        claim.rule());
  }

  static Claimed unsuspected(Claimed claim) {
    return new Claimed(claim.id(), claim.seq(), claim.token(), claim.attempt(), 0, false, claim.payload(),
        claim.createdAt(), claim.dueAt(), claim.readyAt(), claim.claimedAt(), claim.heldBack(), claim.cancelRequested(),
        claim.rule());
  }

  static Exchanged says(Exchanged reply, long next, boolean more) {
    return new Exchanged(reply.now(), reply.settled(), reply.claims(), reply.ended(), next, more, reply.suspectsLeft(),
        reply.late());
  }

  static Exchanged withoutEnded(Exchanged reply) {
    return new Exchanged(reply.now(), reply.settled(), reply.claims(), List.of(), reply.next(), reply.more(),
        reply.suspectsLeft(), reply.late());
  }

  static Exchanged noSuspectsLeft(Exchanged reply) {
    return new Exchanged(reply.now(), reply.settled(), reply.claims(), reply.ended(), reply.next(), reply.more(), false,
        reply.late());
  }

  static Wrong verdict(Settled.Verdict from, Settled.Verdict to) {
    return Wrong.reply(reply -> with(reply,
        reply.settled().stream()
            .map(each -> each.verdict() == from ? new Settled(to, each.state(), each.nextAt()) : each).toList(),
        reply.claims()));
  }

  static Wrong again(UnaryOperator<Claimed> mistake) {
    return new Wrong() {
      @Override
      public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
        Exchanged reply = right().exchange(settlements, request);
        return request.again() ? with(reply, reply.settled(), each(mistake).apply(reply.claims())) : reply;
      }
    };
  }

  static Wrong renewed(Renewed from, Renewed to) {
    return new Wrong() {
      @Override
      public Reply<List<Renewed>> renew(List<Held> claims, long leaseMillis) {
        Reply<List<Renewed>> reply = right().renew(claims, leaseMillis);
        return Reply.of(reply.now(), reply.value().stream().map(each -> each == from ? to : each).toList());
      }
    };
  }

  static final class HandsOutWhatItSettled extends Wrong {
    @Override
    public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
      Exchanged reply = right().exchange(settlements, request);
      int room = request.limit() - reply.claims().size();
      return room == 0
          ? reply
          : with(reply, reply.settled(),
              plus(reply.claims(), right().exchange(List.of(), another(request, room)).claims()));
    }
  }

  static final class ClaimsFirst extends Wrong {
    @Override
    public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
      Exchanged reply = right().exchange(List.of(), request);
      return with(reply, right().exchange(settlements, another(request, 0)).settled(), reply.claims());
    }
  }

  static final class JudgesAnew extends Wrong {
    @Override
    public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
      return right().exchange(settlements, request.again() ? another(request, request.limit()) : request);
    }
  }

  static final class DropsLateSettlements extends Wrong {
    @Override
    public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
      if (!request.stamp().late(now())) {
        return right().exchange(settlements, request);
      }
      Settled stale = new Settled(Settled.Verdict.STALE, null, Due.NEVER);
      Exchanged reply = right().exchange(List.of(), request);
      return with(reply, Collections.nCopies(settlements.size(), stale), reply.claims());
    }
  }

  /** Fills each reply with suspects, and may call them ordinary. */
  static final class HandsOutSuspects extends Wrong {
    private final UnaryOperator<Claimed> shown;

    HandsOutSuspects(UnaryOperator<Claimed> shown) {
      this.shown = shown;
    }

    @Override
    public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
      Exchanged reply = right().exchange(settlements, request);
      List<Claimed> claims = new ArrayList<>(reply.claims());
      for (List<Claimed> some = claims; !some.isEmpty() && claims.size() < request.limit();) {
        some = right().exchange(List.of(), another(request, request.limit() - claims.size())).claims();
        claims.addAll(some);
      }
      return with(reply, reply.settled(), each(shown).apply(claims));
    }
  }

  static final class TakesTwice extends Wrong {
    private final AtomicInteger calls = new AtomicInteger();
    private volatile @Nullable Claimed last;

    @Override
    public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
      Exchanged reply = right().exchange(settlements, request);
      Claimed before = last;
      last = reply.claims().isEmpty() ? before : reply.claims().get(0);
      return before != null && !reply.claims().isEmpty() && calls.incrementAndGet() % 5 == 0
          ? with(reply, reply.settled(), plus(withoutLast(reply.claims()), List.of(before)))
          : reply;
    }
  }

  // Tokens.

  static final class IgnoresTokensOfSettlements extends Wrong {
    private final Map<String, Claimed> latest = new ConcurrentHashMap<>();

    @Override
    public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
      List<Settlement> trusted = settlements.stream().map(each -> {
        Claimed claim = latest.get(each.id());
        return claim == null
            ? each
            : new Settlement(each.id(), claim.seq(), claim.token(), each.end(), each.delayMillis(), each.note());
      }).toList();
      Exchanged reply = right().exchange(trusted, request);
      reply.claims().forEach(claim -> latest.put(claim.id(), claim));
      return reply;
    }
  }

  static final class IgnoresTokensOfRenewals extends Wrong {
    private final Map<Long, Long> latest = new ConcurrentHashMap<>();

    @Override
    public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
      Exchanged reply = right().exchange(settlements, request);
      reply.claims().forEach(claim -> latest.put(claim.seq(), claim.token()));
      return reply;
    }

    @Override
    public Reply<List<Renewed>> renew(List<Held> claims, long leaseMillis) {
      return right().renew(claims.stream()
          .map(held -> new Held(held.queue(), held.seq(), latest.getOrDefault(held.seq(), held.token()))).toList(),
          leaseMillis);
    }
  }

  /** So a settlement after a lapse looks as if it had been applied before. */
  static final class KeepsTheTokenAtALapse extends Wrong {
    @Override
    public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
      Exchanged reply = right().exchange(settlements, request);
      List<Settled> settled = new ArrayList<>(reply.settled());
      for (int i = 0; i < settled.size(); i++) {
        if (settled.get(i).verdict() == Settled.Verdict.STALE
            && find(request.queue(), List.of(settlements.get(i).id())).value().get(0)
                .filter(task -> task.state() == TaskState.WAITING && task.lapses() > 0).isPresent()) {
          settled.set(i, new Settled(Settled.Verdict.REPEATED, TaskState.WAITING, reply.now()));
        }
      }
      return with(reply, settled, reply.claims());
    }
  }

  static final class EndsLeasesBeforeItSettles extends Wrong {
    @Override
    public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
      right().exchange(List.of(), suspects(0).apply(another(request, 1)));
      return right().exchange(settlements, request);
    }
  }

  // Settlements.

  static UnaryOperator<Settlement> end(End from, End to) {
    return each -> new Settlement(each.id(), each.seq(), each.token(), each.end() == from ? to : each.end(),
        each.delayMillis(), each.note());
  }

  static Settlement atOnce(Settlement each) {
    return new Settlement(each.id(), each.seq(), each.token(), each.end(), 0, each.note());
  }

  static Settlement withoutNote(Settlement each) {
    return new Settlement(each.id(), each.seq(), each.token(), each.end(), each.delayMillis(), "");
  }

  // Races. The pauses make sure that others come in between.

  /** What happens between its look and its cancel does not depend on chance: somebody takes the task. */
  static final class LooksBeforeItCancels extends Wrong {
    private static final long PAUSE_NANOS = 100_000;
    private static final int MOST_PAUSES = 50_000;
    private volatile boolean looked;

    @Override
    public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
      pauseWhile(() -> !looked);
      return right().exchange(settlements, request);
    }

    @Override
    public Reply<List<Written>> write(List<Write> writes, Stamp stamp) {
      if (!(writes.get(0) instanceof Write.Cancel cancel && waits(cancel))) {
        return right().write(writes, stamp);
      }
      looked = true;
      pauseWhile(() -> waits(cancel));
      Reply<List<Written>> reply = right().write(writes, stamp);
      return Reply.of(reply.now(), each(answer(Answer.ALREADY_CLAIMED, Answer.CANCELLED)).apply(reply.value()));
    }

    private boolean waits(Write.Cancel cancel) {
      return find(cancel.queue(), List.of(cancel.id())).value().get(0)
          .filter(task -> task.state() == TaskState.WAITING).isPresent();
    }

    private static void pauseWhile(BooleanSupplier condition) {
      for (int i = 0; i < MOST_PAUSES && condition.getAsBoolean(); i++) {
        Host.pause(PAUSE_NANOS);
      }
    }
  }

  static final class LooksBeforeItCreates extends Wrong {
    private static final long PAUSE_NANOS = 1_000_000;

    @Override
    public Reply<List<Written>> write(List<Write> writes, Stamp stamp) {
      Write first = writes.get(0);
      boolean known = find(first.queue(), List.of(first.id())).value().get(0).isPresent();
      Host.pause(PAUSE_NANOS);
      return right().write(
          known ? writes : writes.stream().map(onExisting(OnExisting.KEEP, OnExisting.REPLACE)).toList(), stamp);
    }
  }

  // Restarts, queues and clocks.

  static final class ForgetsStamps extends Wrong {
    private final AtomicInteger restarts = new AtomicInteger();

    @Override
    void restarted() {
      restarts.incrementAndGet();
    }

    private Stamp forgotten(Stamp stamp) {
      return new Stamp(stamp.node() + restarts, stamp.stream(), stamp.number(), stamp.notAfter());
    }

    @Override
    public Reply<List<Written>> write(List<Write> writes, Stamp stamp) {
      return right().write(writes, forgotten(stamp));
    }

    @Override
    public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
      return right().exchange(settlements, stamp(this::forgotten).apply(request));
    }
  }

  static final class LosesRecords extends Wrong {
    private long clock;

    @Override
    void clockSet(long epochMillis) {
      clock = epochMillis;
    }

    @Override
    TaskStore reopened(StoreFixture fixture) {
      MemoryFixture empty = new MemoryFixture();
      empty.setNow(clock);
      TaskStore store = empty.open();
      store.queues().define(StoreTest.settings(StoreTest.QUEUE, 1, StoreTest.ATTEMPTS));
      return store;
    }
  }

  static final class GoesBack extends Wrong {
    private volatile long clock;

    @Override
    void clockSet(long epochMillis) {
      clock = epochMillis;
    }

    @Override
    public long now() {
      return clock;
    }
  }

  static Wrong queues(Function<QueueStore, QueueStore> mistake) {
    return new Wrong() {
      @Override
      public QueueStore queues() {
        return mistake.apply(right().queues());
      }
    };
  }

  static Wrong settings(UnaryOperator<QueueSettings> mistake) {
    return queues(right -> new WrongQueues(right) {
      @Override
      public QueueSettings define(QueueSettings wanted) {
        return super.define(mistake.apply(wanted));
      }
    });
  }

  static QueueSettings retention(QueueSettings wanted, long longer, long deadLonger) {
    return new QueueSettings(wanted.name(), wanted.shards(), wanted.maxAttempts(), wanted.leaseMillis(),
        wanted.retentionMillis() + longer, wanted.deadRetentionMillis() + deadLonger);
  }

  static QueueSettings moreAttempts(QueueSettings wanted) {
    return new QueueSettings(wanted.name(), wanted.shards(), wanted.maxAttempts() + 1, wanted.leaseMillis(),
        wanted.retentionMillis(), wanted.deadRetentionMillis());
  }

  static class WrongQueues implements QueueStore {
    final QueueStore right;

    WrongQueues(QueueStore right) {
      this.right = right;
    }

    @Override
    public QueueSettings define(QueueSettings wanted) {
      return right.define(wanted);
    }

    @Override
    public QueueSettings update(QueueSettings wanted) {
      return right.update(wanted);
    }

    @Override
    public void pause(String name) {
      right.pause(name);
    }

    @Override
    public void resume(String name) {
      right.resume(name);
    }

    @Override
    public QueuePause pauseOf(String name) {
      return right.pauseOf(name);
    }

    @Override
    public List<String> names() {
      return right.names();
    }

    @Override
    public Optional<QueueSettings> find(String name) {
      return right.find(name);
    }
  }

  static QueueStore definesAgain(QueueStore right) {
    return new WrongQueues(right) {
      @Override
      public QueueSettings define(QueueSettings wanted) {
        return find(wanted.name()).isPresent() ? wanted : right.define(wanted);
      }
    };
  }

  static QueueStore changesShards(QueueStore right) {
    return new WrongQueues(right) {
      @Override
      public QueueSettings update(QueueSettings wanted) {
        return find(wanted.name()).filter(found -> found.shards() != wanted.shards()).isPresent()
            ? wanted
            : right.update(wanted);
      }
    };
  }

  // Looking up.

  static Wrong find(UnaryOperator<List<String>> mistake) {
    return new Wrong() {
      @Override
      public Reply<List<Optional<Task>>> find(String queue, List<String> ids) {
        return right().find(queue, mistake.apply(ids));
      }
    };
  }

  static Wrong prune(IntUnaryOperator mistake) {
    return new Wrong() {
      @Override
      public Reply<Integer> prune(String queue, int limit) {
        return right().prune(queue, mistake.applyAsInt(limit));
      }
    };
  }
}
