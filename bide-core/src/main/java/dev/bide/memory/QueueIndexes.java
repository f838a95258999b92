package dev.bide.memory;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.bide.memory.Slots.Life;
import dev.bide.memory.Slots.Moment;
import dev.bide.memory.Slots.Tagged;
import dev.bide.spi.Scan;
import dev.bide.spi.StoredTask;
import dev.bide.spi.Tally;
import dev.bide.task.Due;
import dev.bide.task.TaskId;
import dev.bide.task.TaskState;
import dev.bide.task.TaskView;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Where the tasks of one queue stand, and how many stand where. Not thread-safe.
 *
 * <p>All follows from the packed task: it stands by (moment, seq) in one lane of its shard, or with those that are paused
 * or ended in its way; by (id, seq) with the live or the finished ones; and with each of its tags. What waits for
 * another attempt stands apart once more. A paused task has no moment, so paused ones stand by seq.
 */
final class QueueIndexes {
  /** What is answered when there is no such task. */
  static final int NONE = -1;

  private final Slots slots;
  private final int shards;
  // By shard, then by lane.
  private final List<List<SortedSlots<Moment>>> lanes;
  private final SortedSlots<Moment> paused;
  private final SortedSlots<Moment> retried;
  private final SortedSlots<Moment> completed;
  private final SortedSlots<Moment> failed;
  private final SortedSlots<Moment> cancelled;
  private final SortedSlots<Moment> revived;
  private final SortedSlots<Life> live;
  private final SortedSlots<Life> finished;
  private final SortedSlots<Tagged> liveByTag;
  private final SortedSlots<Tagged> finishedByTag;
  private final Tally tally = new Tally();

  QueueIndexes(Slots slots, int shards) {
    this.slots = slots;
    this.shards = shards;
    lanes = Stream.generate(() -> Stream.generate(this::byMoment).limit(StoredTask.LANES).toList()).limit(shards)
        .toList();
    paused = byMoment();
    retried = byMoment();
    completed = byMoment();
    failed = byMoment();
    cancelled = byMoment();
    revived = byMoment();
    live = new SortedSlots<>(slots.byId);
    finished = new SortedSlots<>(slots.byId);
    liveByTag = new SortedSlots<>(slots.byTagAndSeq);
    finishedByTag = new SortedSlots<>(slots.byTagAndMoment);
  }

  private SortedSlots<Moment> byMoment() {
    return new SortedSlots<>(slots.byMoment);
  }

  /** What is done with each index that a task stands in, and the number under which it stands there. */
  private interface Step {
    void take(SortedSlots<?> index, int entry);
  }

  // Changes.

  /** Puts a task in. */
  void enter(int slot) {
    eachByMoment(slot, SortedSlots::add);
    eachByName(slot, state(slot), SortedSlots::add);
    tally.move(null, spot(slot));
  }

  /** Takes a finished task out. */
  void leave(int slot) {
    eachByMoment(slot, SortedSlots::remove);
    eachByName(slot, state(slot), SortedSlots::remove);
    tally.dropped(state(slot), PackedTask.revived(slots.task(slot)), 1);
  }

  /** Moves a task by how it stands in its slot before and after {@code change}. */
  void move(int slot, Runnable change) {
    Tally.Spot before = spot(slot);
    eachByMoment(slot, SortedSlots::remove);
    change.run();
    eachByMoment(slot, SortedSlots::add);
    Tally.Spot after = spot(slot);
    if (before.state().finished() != after.state().finished()) {
      eachByName(slot, before.state(), SortedSlots::remove);
      eachByName(slot, after.state(), SortedSlots::add);
    }
    if (before.state() != after.state() || after.state() == TaskState.WAITING) {
      tally.move(before, after);
    }
  }

  /** Moves a failed life to those whose id lives again. */
  void revive(int slot, Runnable change) {
    move(slot, change);
    tally.revived();
  }

  private TaskState state(int slot) {
    return PackedTask.state(slots.task(slot));
  }

  private Tally.Spot spot(int slot) {
    return new Tally.Spot(state(slot), PackedTask.retried(slots.task(slot)), slots.moment(slot));
  }

  private void eachByMoment(int slot, Step step) {
    byte[] task = slots.task(slot);
    TaskState state = PackedTask.state(task);
    step.take(switch (state) {
      case WAITING, PROCESSING -> lane(TaskId.shard(PackedTask.slot(task), shards), PackedTask.lane(task));
      case PAUSED -> paused;
      case COMPLETED -> completed;
      case FAILED -> PackedTask.revived(task) ? revived : failed;
      case CANCELLED -> cancelled;
    }, slot);
    if (state == TaskState.WAITING && PackedTask.retried(task)) {
      step.take(retried, slot);
    }
    if (state.finished()) {
      eachTag(slot, finishedByTag, step);
    }
  }

  private void eachByName(int slot, TaskState state, Step step) {
    step.take(state.finished() ? finished : live, slot);
    if (!state.finished()) {
      eachTag(slot, liveByTag, step);
    }
  }

  private void eachTag(int slot, SortedSlots<Tagged> index, Step step) {
    int tags = PackedTask.tags(slots.task(slot));
    for (int tag = 0; tag < tags; tag++) {
      step.take(index, Slots.entry(slot, tag));
    }
  }

  /** Returns the tasks of one lane of a shard, by (nextAt, seq). */
  SortedSlots<Moment> lane(int shard, int lane) {
    return lanes.get(shard).get(lane);
  }

  // Single tasks.

  /** Returns the live task of an id, or {@link #NONE}. */
  int live(byte[] id) {
    return first(live, id, Long.MAX_VALUE);
  }

  /** Returns the latest finished life of an id, or {@link #NONE}. */
  int latestFinished(byte[] id) {
    return first(finished, id, Long.MAX_VALUE);
  }

  /** Returns a finished life, or {@link #NONE}. */
  int finished(byte[] id, long seq) {
    int slot = first(finished, id, seq);
    return slot != NONE && slots.seq(slot) == seq ? slot : NONE;
  }

  /** Returns the latest life of an id that is not later than {@code seq}. */
  private int first(SortedSlots<Life> lives, byte[] id, long seq) {
    int slot = first(lives.from(new Life(id, seq)));
    return slot != NONE && PackedTask.compareId(slots.task(slot), id) == 0 ? slot : NONE;
  }

  /** Returns the dead letter that has been one for longest, or {@link #NONE}. */
  int oldestFailed() {
    return first(failed.all());
  }

  /** Returns the other finished life that ended first, or {@link #NONE}. */
  int oldestDone() {
    Merged done = Merged.forward(slots);
    Stream.of(completed, cancelled, revived).forEach(index -> done.add(index.all()));
    return first(done);
  }

  /** Returns the first of some slots, or {@link #NONE}. */
  static int first(PrimitiveIterator.OfInt slots) {
    return slots.hasNext() ? slots.nextInt() : NONE;
  }

  // Sight.

  /** Returns how many stand where, to be read within the transaction. */
  Tally tally() {
    return tally;
  }

  /**
   * Returns how many tasks of the lanes from {@code first} on and before {@code end} have
   * {@code from <= nextAt < until}.
   */
  long count(int first, int end, long from, long until) {
    Moment start = new Moment(from, 0);
    Moment stop = new Moment(until, 0);
    return lanes(first, end).mapToLong(lane -> lane.count(start, stop)).sum();
  }

  /** Returns the live tasks whose ids stand behind one. */
  PrimitiveIterator.OfInt liveBehind(String id) {
    return live.from(new Life(id.getBytes(UTF_8), -1));
  }

  /** Returns the tasks of {@link dev.bide.spi.SightRecords#scan}. */
  IntStream scan(Scan scan) {
    IntStream found = switch (scan.order()) {
      case MOMENT -> scan.view().finished() ? byEnd(scan) : byNextMoment(scan);
      case ID -> byId(scan);
      case TAG -> byTag(scan, String.valueOf(scan.tag()).getBytes(UTF_8));
    };
    return scan.view() == TaskView.FAILED ? found.filter(slot -> !PackedTask.revived(slots.task(slot))) : found;
  }

  private IntStream byNextMoment(Scan scan) {
    Moment behind = new Moment(scan.after().moment(), scan.after().seq() + 1);
    Merged found = Merged.forward(slots);
    live(scan.view()).forEach(index -> found.add(index.from(behind)));
    return stream(found).takeWhile(slot -> scan.until() == Due.NEVER || slots.moment(slot) < scan.until());
  }

  private Stream<SortedSlots<Moment>> live(TaskView view) {
    return switch (view) {
      case LIVE -> Stream.concat(Stream.of(paused), lanes(0, StoredTask.LANES));
      case WAITING, READY -> lanes(0, StoredTask.HELD);
      case PROCESSING, LAPSED -> lanes(StoredTask.HELD, StoredTask.LANES);
      case RETRY -> Stream.of(retried);
      case PAUSED -> Stream.of(paused);
      case FINISHED, COMPLETED, FAILED, CANCELLED -> Stream.of();
    };
  }

  private Stream<SortedSlots<Moment>> lanes(int from, int to) {
    return lanes.stream().flatMap(shard -> shard.subList(from, to).stream());
  }

  private IntStream byEnd(Scan scan) {
    Moment before = new Moment(scan.after().moment(), scan.after().seq());
    Merged found = Merged.backward(slots);
    ended(scan.view()).forEach(index -> found.add(index.before(before)));
    return stream(found).takeWhile(slot -> slots.moment(slot) >= scan.from());
  }

  private Stream<SortedSlots<Moment>> ended(TaskView view) {
    return switch (view) {
      case FINISHED -> Stream.of(completed, failed, cancelled, revived);
      case COMPLETED -> Stream.of(completed);
      case FAILED -> Stream.of(failed);
      case CANCELLED -> Stream.of(cancelled);
      case LIVE, WAITING, READY, RETRY, PROCESSING, LAPSED, PAUSED -> Stream.of();
    };
  }

  private IntStream byId(Scan scan) {
    Life behind = new Life(scan.after().id().getBytes(UTF_8), scan.after().seq() - 1);
    byte[] prefix = scan.idPrefix().getBytes(UTF_8);
    return stream((scan.view().finished() ? finished : live).from(behind))
        .takeWhile(slot -> PackedTask.idStartsWith(slots.task(slot), prefix));
  }

  private IntStream byTag(Scan scan, byte[] tag) {
    Scan.Place after = scan.after();
    PrimitiveIterator.OfInt entries = scan.view().finished()
        ? finishedByTag.before(new Tagged(tag, after.moment(), after.seq()))
        : liveByTag.from(new Tagged(tag, 0, after.seq() + 1));
    IntStream found = stream(entries).takeWhile(entry -> slots.isTagged(entry, tag)).map(Slots::slotOf);
    return scan.view().finished() ? found.takeWhile(slot -> slots.moment(slot) >= scan.from()) : found;
  }

  private static IntStream stream(PrimitiveIterator.OfInt slots) {
    return StreamSupport.intStream(Spliterators.spliteratorUnknownSize(slots, Spliterator.ORDERED), false);
  }
}
