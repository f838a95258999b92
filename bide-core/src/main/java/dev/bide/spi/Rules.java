package dev.bide.spi;

import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.OnExisting;
import dev.bide.task.TaskState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rules of {@link TaskStore} for stores that run in one process, written once over their {@link Records}. Each
 * method is the inside of one transaction. No state of its own.
 */
public final class Rules {
  /**
   * How long a finished task, and a stream that is not used, are kept at least: longer than any call may be repeated.
   */
  public static final long KEPT_MILLIS = 60_000;

  /** How many tasks a claim may at least touch, so that one idle handler is enough to end many run-out leases. */
  private static final int MIN_TOUCHED = 100;

  private static final Comparator<StoredTask> CLAIM_ORDER = Comparator.<StoredTask>comparingLong(task -> task.nextAt)
      .thenComparingLong(task -> task.seq);

  private Rules() {}

  /** See {@link TaskStore#write}. */
  public static Reply<List<Written>> write(Records records, List<Write> writes, Stamp stamp) {
    long now = records.now();
    Map<String, List<Write>> byQueue = byQueue(writes);
    byQueue.keySet().forEach(records::settings);
    Optional<Records.Remembered> last = records.remembered(stamp.node(), stamp.stream());
    if (last.isPresent() && stamp.number() == last.get().number()) {
      return Reply.of(now, Remembering.written(last.get().answers()));
    }
    if (last.isPresent() && stamp.number() < last.get().number() || stamp.late(now)) {
      return Reply.late(now);
    }
    Map<Write, Written> answers = new IdentityHashMap<>();
    byQueue.forEach((queue, its) -> writeTo(records, queue, its, now, answers));
    List<Written> inOrder = writes.stream().map(answers::get).toList();
    records.remember(stamp.node(), stamp.stream(),
        new Records.Remembered(stamp.number(), Remembering.ofWritten(inOrder)));
    return Reply.of(now, inOrder);
  }

  /**
   * Refuses a batch that names one task twice.
   *
   * @throws IllegalArgumentException naming it
   */
  private static Map<String, List<Write>> byQueue(List<Write> writes) {
    Map<String, List<Write>> byQueue = writes.stream()
        .collect(Collectors.groupingBy(Write::queue, LinkedHashMap::new, Collectors.toList()));
    byQueue.forEach((queue, its) -> {
      Set<String> ids = new HashSet<>();
      for (Write write : its) {
        if (!ids.add(write.id())) {
          throw new IllegalArgumentException("queue=" + queue + " task=" + write.id() + " comes twice in one batch");
        }
      }
    });
    return byQueue;
  }

  private static void writeTo(Records records, String queue, List<Write> writes, long now,
      Map<Write, Written> answers) {
    QueueSettings settings = records.settings(queue);
    List<String> ids = writes.stream().map(Write::id).toList();
    Map<String, StoredTask> live = records.live(queue, ids);
    List<String> notLive = ids.stream().filter(id -> !live.containsKey(id)).toList();
    Map<String, TaskState> finished = records.latestFinished(queue, notLive);
    for (Write write : writes) {
      StoredTask task = live.get(write.id());
      TaskState found = task == null ? finished.get(write.id()) : task.state;
      answers.put(write, write instanceof Write.Insert insert
          ? insert(records, insert, task, found, now, settings)
          : change(records, write, task, found, now, settings));
    }
  }

  private static Written insert(Records records, Write.Insert insert, @Nullable StoredTask task,
      @Nullable TaskState found,
      long now, QueueSettings settings) {
    TaskState plain = found;
    if (task != null && insert.onExisting() == OnExisting.REPLACE && task.lapsed(now)) {
      task.lapse(now, settings);
      records.changed(task);
      plain = task.state;
    }
    Answer answer = insert.answerTo(plain);
    if (answer != Answer.CREATED && answer != Answer.REPLACED) {
      return task == null ? new Written(answer, found, 0, Due.NEVER, Due.NEVER) : task.written(answer, found);
    }
    Due due = insert.due();
    if (due.past() == Due.Past.REJECT && due.dueAt(now, 0) < now) {
      return new Written(Answer.PAST, found, 0, Due.NEVER, Due.NEVER);
    }
    if (answer == Answer.REPLACED && task != null) {
      task.replace(now);
      records.changed(task);
    }
    StoredTask created = StoredTask.create(insert, records.nextSeq(), now);
    records.add(created);
    return created.written(created.state.finished() ? Answer.EXPIRED : answer, found);
  }

  private static Written change(Records records, Write write, @Nullable StoredTask task, @Nullable TaskState found,
      long now, QueueSettings settings) {
    if (write instanceof Write.Revive) {
      return dead(records, write, found).map(dead -> revive(records, dead, now))
          .orElseGet(() -> new Written(found == null ? Answer.NOT_FOUND : Answer.NOT_FAILED, found,
              task == null ? 0 : task.seq, task == null ? Due.NEVER : task.dueAt,
              task == null ? Due.NEVER : task.nextAt));
    }
    if (task == null) {
      return new Written(found == null ? Answer.NOT_FOUND : Answer.ALREADY_FINISHED, found, 0, Due.NEVER, Due.NEVER);
    }
    if (task.lapsed(now)) {
      task.lapse(now, settings);
      records.changed(task);
      if (task.state.finished()) {
        return task.written(write instanceof Write.Cancel ? Answer.CANCELLED : Answer.ALREADY_FINISHED, found);
      }
    }
    if (task.state == TaskState.PROCESSING) {
      if (write instanceof Write.Cancel cancel) {
        task.requestCancel(cancel.by(), now);
        records.changed(task);
      }
      return task.written(Answer.ALREADY_CLAIMED, found);
    }
    Answer answer = Answer.DONE;
    if (write instanceof Write.Cancel cancel) {
      task.cancel(cancel.by(), now);
      answer = Answer.CANCELLED;
    } else if (write instanceof Write.Move move) {
      answer = task.move(move.due(), move.rule(), now);
    }
    if (write instanceof Write.Pause pause && task.state == TaskState.WAITING) {
      task.pause(pause.mode(), now);
    } else if (write instanceof Write.Resume && task.state == TaskState.PAUSED) {
      task.resume(now, settings);
    }
    records.changed(task);
    return task.written(answer, found);
  }

  private static Optional<StoredTask> dead(Records records, Write write, @Nullable TaskState found) {
    return found == TaskState.FAILED ? records.deadLetter(write.queue(), write.id()) : Optional.empty();
  }

  private static Written revive(Records records, StoredTask dead, long now) {
    StoredTask task = dead.revived(records.nextSeq(), now);
    records.revived(dead);
    records.add(task);
    return task.written(Answer.DONE, TaskState.FAILED);
  }

  /** See {@link TaskStore#exchange}. */
  public static Exchanged exchange(Records records, List<Settlement> settlements, ClaimRequest request) {
    long now = records.now();
    QueueSettings settings = records.settings(request.queue());
    checkShards(request.shards(), settings);
    Set<Long> settledAndDue = new HashSet<>();
    List<Settled> settled = settle(records, settlements, settings, settledAndDue);
    Stamp stamp = request.stamp();
    Optional<Records.Remembered> last = records.remembered(stamp.node(), stamp.stream());
    boolean outrun = last.isPresent()
        && (stamp.number() < last.get().number() || stamp.number() == last.get().number() && !request.again());
    if (request.limit() == 0) {
      if (!outrun) {
        tookNothing(records, stamp);
      }
      return new Exchanged(now, settled, List.of(), List.of(), now, false, false, false);
    }
    if (outrun || stamp.late(now)) {
      return new Exchanged(now, settled, List.of(), List.of(), now, false, false, true);
    }
    if (last.isPresent() && stamp.number() == last.get().number()) {
      List<Claimed> same = claimAgain(records, Remembering.held(request.queue(), last.get().answers()), request,
          settings);
      return new Exchanged(now, settled, same, List.of(), now, false, false, same.isEmpty());
    }
    QueuePause pause = records.pause(request.queue());
    if (pause.paused()) {
      tookNothing(records, stamp);
      return new Exchanged(now, settled, List.of(), List.of(), Due.NEVER, false, false, false);
    }
    return new Claiming(records, request, settings, pause, settledAndDue).claim(settled);
  }

  /** What its stream sent before is outrun by this call too. */
  private static void tookNothing(Records records, Stamp stamp) {
    records.remember(stamp.node(), stamp.stream(),
        new Records.Remembered(stamp.number(), Remembering.ofClaims(List.of())));
  }

  private static void checkShards(Set<Integer> shards, QueueSettings settings) {
    for (int shard : shards) {
      if (shard < 0 || shard >= settings.shards()) {
        throw new IllegalArgumentException(
            "queue=" + settings.name() + " has shards 0 to " + (settings.shards() - 1) + ", got " + shard);
      }
    }
  }

  private static List<Settled> settle(Records records, List<Settlement> settlements, QueueSettings settings,
      Set<Long> settledAndDue) {
    Map<Long, StoredTask> live = records.live(settlements.stream().map(Settlement::seq).toList());
    List<Settled> answers = new ArrayList<>(settlements.size());
    for (Settlement settlement : settlements) {
      StoredTask task = live.get(settlement.seq());
      if (task == null) {
        answers.add(records.finished(settings.name(), settlement.id(), settlement.seq())
            .filter(life -> life.token() == settlement.token())
            .map(life -> new Settled(Settled.Verdict.REPEATED, life.state(), Due.NEVER))
            .orElse(new Settled(Settled.Verdict.STALE, null, Due.NEVER)));
      } else if (task.heldUnder(settlement.token())) {
        task.settle(settlement, records.now(), settings);
        records.changed(task);
        if (task.state == TaskState.WAITING && task.nextAt <= records.now()) {
          settledAndDue.add(task.seq);
        }
        answers.add(new Settled(Settled.Verdict.APPLIED, task.state, task.nextAt));
      } else if (task.token == settlement.token()) {
        answers.add(new Settled(Settled.Verdict.REPEATED, task.state, task.nextAt));
      } else {
        answers.add(new Settled(Settled.Verdict.STALE, null, Due.NEVER));
      }
    }
    return answers;
  }

  private static List<Claimed> claimAgain(Records records, Collection<Held> claims, ClaimRequest request,
      QueueSettings settings) {
    QueuePause pause = records.pause(request.queue());
    Map<Long, StoredTask> live = records.live(claims.stream().map(Held::seq).toList());
    List<Claimed> same = new ArrayList<>();
    for (Held claim : claims) {
      StoredTask task = live.get(claim.seq());
      if (task != null && task.heldUnder(claim.token())) {
        same.add(task.claimAgain(request.leaseMillis(), settings, pause, records.now()));
        records.changed(task);
      }
    }
    return same;
  }

  /** See {@link TaskStore#renew}. */
  public static Reply<List<Renewed>> renew(Records records, List<Held> claims, long leaseMillis) {
    Map<Long, StoredTask> live = records.live(claims.stream().map(Held::seq).toList());
    List<Renewed> answers = new ArrayList<>(claims.size());
    for (Held claim : claims) {
      StoredTask task = live.get(claim.seq());
      if (task == null || !task.heldUnder(claim.token())) {
        answers.add(Renewed.LOST);
      } else {
        task.prolong(leaseMillis, records.now());
        records.changed(task);
        answers.add(task.cancelBy == null ? Renewed.RENEWED : Renewed.CANCEL_REQUESTED);
      }
    }
    return Reply.of(records.now(), answers);
  }

  /** One claim under way. */
  private static final class Claiming {
    private final Records records;
    private final ClaimRequest request;
    private final QueueSettings settings;
    private final QueuePause pause;
    private final Set<Long> settledAndDue;
    private final long now;
    private final int touchable;
    private final List<Claimed> claims = new ArrayList<>();
    private final List<Ended> ended = new ArrayList<>();
    private int touched;

    Claiming(Records records, ClaimRequest request, QueueSettings settings, QueuePause pause, Set<Long> settledAndDue) {
      this.records = records;
      this.request = request;
      this.settings = settings;
      this.pause = pause;
      this.settledAndDue = settledAndDue;
      now = records.now();
      touchable = Math.max(request.limit(), MIN_TOUCHED);
    }

    /** Ends the leases that have run out first, because they make suspects, and hands the suspects out first. */
    Exchanged claim(List<Settled> settled) {
      records.due(request.queue(), request.shards(), StoredTask.HELD, touchable).forEach(this::endLease);
      int allowed = Math.min(request.suspects(), request.limit());
      boolean suspectsLeft = claimSuspects(look(StoredTask.SUSPECT, allowed + 1), look(StoredTask.GRAVE, 2), allowed);
      int room = request.limit() - claims.size();
      look(StoredTask.ORDINARY, room).forEach(this::hand);
      boolean more = claims.size() == request.limit() || touched >= touchable;
      Stamp stamp = request.stamp();
      records.remember(stamp.node(), stamp.stream(),
          new Records.Remembered(stamp.number(), Remembering.ofClaims(claims)));
      long next = more || !settledAndDue.isEmpty() ? now : records.nextMoment(request.queue(), request.shards());
      return new Exchanged(now, settled, claims, ended, next, more, suspectsLeft, false);
    }

    private void endLease(StoredTask task) {
      task.lapse(now, settings);
      exhaustIfSpent(task);
      touched(task);
    }

    /**
     * Returns the first {@code wanted} tasks of a lane that are due. Exhausted ones that stand before them are ended,
     * and then it looks again, since these leave their place.
     */
    private List<StoredTask> look(int lane, int wanted) {
      while (true) {
        int before = touched;
        List<StoredTask> waiting = new ArrayList<>();
        for (StoredTask task : records.due(request.queue(), request.shards(), lane, wanted + settledAndDue.size())) {
          if (waiting.size() < wanted && !settledAndDue.contains(task.seq) && stays(task)) {
            waiting.add(task);
          }
        }
        if (touched == before || touched >= touchable) {
          return waiting;
        }
      }
    }

    /** Returns whether a due task stays in its lane; a maximum that was lowered since can end it or make it grave. */
    private boolean stays(StoredTask task) {
      exhaustIfSpent(task);
      if (!task.state.finished() && !task.becomeGrave(settings)) {
        return true;
      }
      touched(task);
      return false;
    }

    private void exhaustIfSpent(StoredTask task) {
      if (task.state == TaskState.WAITING && task.attempt >= settings.maxAttempts()) {
        task.exhaust(now);
      }
    }

    private void touched(StoredTask task) {
      touched++;
      records.changed(task);
      if (task.state.finished()) {
        ended.add(new Ended(task.id, task.seq, task.state, task.attempt, task.lapses, String.valueOf(task.outcome)));
      }
    }

    /** Hands out what is allowed of the suspects: one grave one, or some that are not. Returns whether any is left. */
    private boolean claimSuspects(List<StoredTask> suspects, List<StoredTask> graves, int allowed) {
      boolean graveFirst = !graves.isEmpty()
          && (suspects.isEmpty() || CLAIM_ORDER.compare(graves.get(0), suspects.get(0)) < 0);
      if (allowed > 0 && request.grave() && graveFirst) {
        hand(graves.get(0));
        return !suspects.isEmpty() || graves.size() > 1;
      }
      suspects.stream().limit(allowed).forEach(this::hand);
      return suspects.size() > allowed || !graves.isEmpty();
    }

    private void hand(StoredTask task) {
      claims.add(task.claim(request.stamp().node(), request.leaseMillis(), pause, now));
      records.claimed(task);
    }
  }
}
