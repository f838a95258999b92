package dev.bide.spi;

import static java.util.Objects.requireNonNull;

import dev.bide.task.Answer;
import dev.bide.task.Attempt;
import dev.bide.task.Due;
import dev.bide.task.PauseMode;
import dev.bide.task.Payload;
import dev.bide.task.Tag;
import dev.bide.task.Task;
import dev.bide.task.TaskId;
import dev.bide.task.TaskState;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One life of a task as a store keeps it, with every change of state that the contract allows.
 *
 * <p>Fields are open to the store that reads and writes them; states change through the methods only. Not thread-safe: an
 * object belongs to one transaction, or is guarded by the lock of its store. Moments are epoch milliseconds of the
 * store's clock.
 *
 * <pre>
 * WAITING ⇄ PAUSED (pause, resume)      WAITING, PAUSED → CANCELLED (cancel, replace)      WAITING → PROCESSING (claim)      WAITING → FAILED (no attempts left)
 * PROCESSING → COMPLETED | FAILED | WAITING | CANCELLED (settle)      PROCESSING, run out → WAITING | CANCELLED (lapse)
 * </pre>
 */
public final class StoredTask {
  /** The lane of tasks on which no lease has run out. */
  public static final int ORDINARY = 0;
  /** The lane of tasks on which a lease ran out. They are apart, so that skipped ones never block the others. */
  public static final int SUSPECT = 1;
  /** The lane of suspects on which two leases ran out, or whose next attempt is their last. */
  public static final int GRAVE = 2;
  /** The lane of tasks in process: what is due there is a lease that has run out. */
  public static final int HELD = 3;
  /** How many lanes there are. */
  public static final int LANES = 4;

  /** The outcome of a task whose due time was longer ago than its caller allowed. */
  public static final String EXPIRED = "expired";
  /** The outcome of a task that gave way to a new one of the same id. */
  public static final String REPLACED = "replaced";

  /** The queue. */
  public final String queue;
  /** The caller's name for the task. */
  public final String id;
  /** The number of this life, never used again. */
  public final long seq;
  /** See {@link TaskId#slot}. */
  public final int slot;
  /** What it carries. */
  public final Payload payload;
  /** When it was accepted. */
  public final long createdAt;
  /** The id of a zone to show its times in. */
  public final @Nullable String zone;

  /** What its due time came from. */
  public @Nullable String rule;
  /** Where it stands. */
  public TaskState state = TaskState.WAITING;
  /** Where a claim finds it: {@link #ORDINARY}, {@link #SUSPECT} or {@link #GRAVE}, or {@link #HELD} if it is taken. */
  public int lane = ORDINARY;
  /** When it was promised to run. */
  public long dueAt;
  /** How much later than due it becomes available. */
  public long bufferMillis;
  /** When it may run; survives claim and pause. */
  public long readyAt;
  /** When anyone must look at it again; {@link Due#NEVER} while paused or finished. */
  public long nextAt;
  /** When it last changed. */
  public long updatedAt;
  /** When it was paused, if it keeps what was left to wait; else {@link Due#NEVER}. */
  public long stoppedAt = Due.NEVER;
  /** The fencing token of the last claim, or one more after a lapse; 0 before the first claim. */
  public long token;
  /** The number of the attempt running or last run. */
  public int attempt;
  /** How often it was claimed. */
  public int claims;
  /** How often a lease on it ran out. */
  public int lapses;
  /** When it was last claimed. */
  public long claimedAt;
  /** The node that holds it, while it is in process. */
  public @Nullable String owner;
  /** Who asked for it to be cancelled while it was in process. */
  public @Nullable String cancelBy;
  /** Its ended attempts, the latest {@value Task#KEPT_ATTEMPTS}, oldest first; never changed in place. */
  public List<Attempt> attempts = List.of();
  /** How it ended. */
  public @Nullable String outcome;
  /** The marks by which it is found, in order; never changed in place. */
  public List<Tag> tags = List.of();

  /** A task as it was read; the other fields are set by the reader. */
  public StoredTask(String queue, String id, long seq, int slot, Payload payload, long createdAt,
      @Nullable String zone) {
    this.queue = queue;
    this.id = id;
    this.seq = seq;
    this.slot = slot;
    this.payload = payload;
    this.createdAt = createdAt;
    this.zone = zone;
  }

  /** A new life, waiting, or ended at once if it {@link #expired}. */
  static StoredTask create(Write.Insert insert, long seq, long now) {
    StoredTask task = new StoredTask(insert.queue(), insert.id(), seq, TaskId.slot(insert.id()), insert.payload(), now,
        insert.zone());
    task.updatedAt = now;
    task.tags = insert.tags();
    task.schedule(insert.due(), insert.rule(), now);
    return task;
  }

  /** Returns whether the lease on it has run out and nobody has ended that lease. */
  public boolean lapsed(long now) {
    return state == TaskState.PROCESSING && nextAt <= now;
  }

  /** Returns whether a lease on it has run out before. */
  public boolean suspect() {
    return lapses > 0;
  }

  /** Ends a lease that has run out: the lapse counts, the old owner's token is void. */
  void lapse(long now, QueueSettings settings) {
    assert lapsed(now) : this;
    record("lease lost", null, nextAt);
    lapses++;
    token++;
    if (cancelBy != null) {
      finish(TaskState.CANCELLED, "cancelled by " + cancelBy, now);
    } else {
      await(readyAt, now, settings);
    }
  }

  /** Hands it to {@code node}. */
  Claimed claim(String node, long leaseMillis, QueuePause pause, long now) {
    boolean grave = lane == GRAVE;
    token++;
    attempt++;
    claims++;
    state = TaskState.PROCESSING;
    lane = HELD;
    owner = node;
    claimedAt = now;
    updatedAt = now;
    nextAt = leaseUntil(leaseMillis, now);
    return claimed(grave, pause);
  }

  /** Hands it out again under the claim it is held by. */
  Claimed claimAgain(long leaseMillis, QueueSettings settings, QueuePause pause, long now) {
    prolong(leaseMillis, now);
    return claimed(grave(attempt, settings), pause);
  }

  private Claimed claimed(boolean grave, QueuePause pause) {
    return new Claimed(id, seq, token, attempt, lapses, grave, payload, createdAt, dueAt, readyAt, claimedAt,
        pause.heldBack(readyAt, claimedAt), cancelBy != null, rule);
  }

  /** Moves the end of the lease to {@code leaseMillis} from now; never back. */
  void prolong(long leaseMillis, long now) {
    nextAt = Math.max(nextAt, leaseUntil(leaseMillis, now));
    updatedAt = now;
  }

  /** Capped, since a sum that overflows would end the longest lease at once. */
  private static long leaseUntil(long leaseMillis, long now) {
    return now + Math.min(leaseMillis, Due.LAST);
  }

  /** Returns whether {@code token} is that of the claim it is held by. */
  boolean heldUnder(long heldToken) {
    return state == TaskState.PROCESSING && token == heldToken;
  }

  /** Ends the claim it is held by. */
  void settle(Settlement settlement, long now, QueueSettings settings) {
    assert heldUnder(settlement.token()) : this;
    String note = settlement.note();
    switch (settlement.end()) {
      case COMPLETE -> {
        record(note, null, now);
        finish(TaskState.COMPLETED, note, now);
      }
      case FAIL -> {
        record("failed", note, now);
        giveUp(note, now);
      }
      case RETRY -> {
        record("retry", note, now);
        if (cancelBy != null || attempt >= settings.maxAttempts()) {
          giveUp(note, now);
        } else {
          readyAt = Math.min(now + Math.min(settlement.delayMillis(), Due.LAST), Due.LAST);
          await(readyAt, now, settings);
        }
      }
      case RELEASE -> {
        attempt--;
        if (cancelBy != null) {
          giveUp("", now);
        } else {
          await(readyAt, now, settings);
        }
      }
    }
  }

  /** Fails a waiting task that has no attempt left. */
  void exhaust(long now) {
    finish(TaskState.FAILED,
        "failed: attempts used up (" + attempt + "), claimed " + claims + " times, lease lost " + lapses + " times",
        now);
  }

  /** Ends a task that is not in process. */
  void cancel(String by, long now) {
    finish(TaskState.CANCELLED, "cancelled by " + by, now);
  }

  /** Ends a task that is not in process, for a new life of its id. */
  void replace(long now) {
    finish(TaskState.CANCELLED, REPLACED, now);
  }

  /** Leaves the handler of a task in process a request. */
  void requestCancel(String by, long now) {
    if (cancelBy == null) {
      cancelBy = by;
      updatedAt = now;
    }
  }

  /** Holds a waiting task back. */
  void pause(PauseMode mode, long now) {
    state = TaskState.PAUSED;
    stoppedAt = mode == PauseMode.KEEP_REMAINING ? now : Due.NEVER;
    nextAt = Due.NEVER;
    updatedAt = now;
  }

  /** Lets a paused task wait again; what was left to wait goes on from here. */
  void resume(long now, QueueSettings settings) {
    if (stoppedAt != Due.NEVER) {
      long pause = now - stoppedAt;
      dueAt = Math.min(dueAt + pause, Due.LAST);
      readyAt = Math.max(now, Math.min(readyAt + pause, Due.LAST));
      stoppedAt = Due.NEVER;
    }
    await(readyAt, now, settings);
  }

  /** Returns a new life of this failed task, due at once. */
  StoredTask revived(long newSeq, long now) {
    StoredTask task = new StoredTask(queue, id, newSeq, slot, payload, now, zone);
    task.updatedAt = now;
    // This life joins the finished ones now, and is kept as long as they are, counted from here.
    updatedAt = now;
    task.rule = rule;
    task.tags = tags;
    task.dueAt = now;
    task.setReady(now, now);
    return task;
  }

  /** Gives a waiting or paused task a new due time, unless the caller refuses it; nothing changes then. */
  Answer move(Due due, @Nullable String newRule, long now) {
    long newDueAt = due.dueAt(now, dueAt);
    long stopped = stoppedAt == Due.NEVER ? 0 : now - stoppedAt;
    if (due.onlyLater() && newDueAt <= dueAt + stopped) {
      return Answer.DONE;
    }
    if (due.past() == Due.Past.REJECT && newDueAt < now) {
      return Answer.PAST;
    }
    schedule(due, newRule, now);
    updatedAt = now;
    return state.finished() ? Answer.EXPIRED : Answer.DONE;
  }

  private void schedule(Due due, @Nullable String newRule, long now) {
    dueAt = due.dueAt(now, dueAt);
    if (due.base() == Due.Base.FROM_DUE) {
      // One whose time stands still has that much more left, counted from where it stopped.
      long available = due.availableAt(dueAt + bufferMillis, Math.min(stoppedAt, now));
      setReady(attempt > 0 ? Math.max(readyAt, available) : available, now);
    } else {
      stoppedAt = stoppedAt == Due.NEVER ? Due.NEVER : now;
      rule = newRule;
      bufferMillis = due.bufferMillis();
      setReady(due.availableAt(dueAt + bufferMillis, now), now);
    }
    if (due.past() == Due.Past.EXPIRE && dueAt < now - due.pastMillis()) {
      finish(TaskState.CANCELLED, EXPIRED, now);
    }
  }

  private void setReady(long moment, long now) {
    readyAt = moment;
    if (state == TaskState.WAITING) {
      nextAt = Math.max(moment, now);
    }
  }

  /** Ends it without success: cancelled if that was asked for, else failed. */
  private void giveUp(String reason, long now) {
    if (cancelBy != null) {
      finish(TaskState.CANCELLED, "cancelled by " + cancelBy, now);
    } else {
      finish(TaskState.FAILED, "failed: " + reason, now);
    }
  }

  private void await(long moment, long now, QueueSettings settings) {
    state = TaskState.WAITING;
    owner = null;
    updatedAt = now;
    nextAt = Math.max(moment, now);
    lane = lapses == 0 ? ORDINARY : SUSPECT;
    becomeGrave(settings);
  }

  /** Moves a suspect that lost two leases, or whose next attempt is its last, to its lane; returns whether it moved. */
  boolean becomeGrave(QueueSettings settings) {
    if (lane != SUSPECT || !grave(attempt + 1, settings)) {
      return false;
    }
    lane = GRAVE;
    return true;
  }

  /** Returns whether {@code number} is the attempt of a suspect that no other may run beside. */
  private boolean grave(int number, QueueSettings settings) {
    return lapses > 1 || lapses == 1 && number >= settings.maxAttempts();
  }

  private void finish(TaskState end, String how, long now) {
    state = end;
    outcome = how;
    owner = null;
    stoppedAt = Due.NEVER;
    nextAt = Due.NEVER;
    updatedAt = now;
  }

  private void record(String how, @Nullable String error, long end) {
    List<Attempt> longer = new ArrayList<>(attempts);
    longer.add(new Attempt(attempt, requireNonNull(owner), Instant.ofEpochMilli(claimedAt), Instant.ofEpochMilli(end),
        how, Optional.ofNullable(error).filter(text -> !text.isEmpty())));
    int from = Math.max(0, longer.size() - Task.KEPT_ATTEMPTS);
    attempts = List.copyOf(longer.subList(from, longer.size()));
  }

  /** Returns by which moment it stands in order: when anyone must look at it next, or when it ended. */
  public long moment() {
    return state.finished() ? updatedAt : nextAt;
  }

  /** Returns where it counts. */
  public Tally.Spot spot() {
    return new Tally.Spot(state, attempt > 0, nextAt);
  }

  /** Returns how it stands at {@code now}. */
  public Task toTask(long now) {
    return new Task(queue, id, seq, state, payload, Instant.ofEpochMilli(now), Instant.ofEpochMilli(createdAt),
        Instant.ofEpochMilli(dueAt), Instant.ofEpochMilli(readyAt),
        nextAt == Due.NEVER ? Optional.empty() : Optional.of(Instant.ofEpochMilli(nextAt)),
        Instant.ofEpochMilli(updatedAt),
        stoppedAt == Due.NEVER ? Optional.empty() : Optional.of(Instant.ofEpochMilli(stoppedAt)), attempt, claims,
        lapses, Optional.ofNullable(owner), cancelBy != null,
        attempts, Optional.ofNullable(outcome), Optional.ofNullable(rule), shownZone(), tags);
  }

  /** A zone that another node knew and this one does not must not keep anybody from looking. */
  private Optional<ZoneId> shownZone() {
    try {
      return Optional.ofNullable(zone).map(ZoneId::of);
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** Returns the answer {@code answer}, with this task as it stands now and {@code found} as it stood before. */
  Written written(Answer answer, @Nullable TaskState found) {
    return new Written(answer, found, seq, dueAt, nextAt);
  }

  @Override
  public String toString() {
    return "queue=" + queue + " task=" + id + " seq=" + seq + " token=" + token + " state=" + state + " nextAt="
        + nextAt
        + " attempt=" + attempt;
  }
}
