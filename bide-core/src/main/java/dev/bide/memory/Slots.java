package dev.bide.memory;

import dev.bide.task.Payload;
import java.util.Arrays;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Holds packed tasks, each in a slot of its own: a number that stays the same until the slot is freed, and may then be
 * given again. Beside a task stand the two numbers that most indexes go by: its seq, and its moment, which is
 * {@code nextAt} while it lives, and when it ended once it has.
 *
 * <p>Not thread-safe. Slots come in chunks of {@value #CHUNK}, so that no step copies much; one takes 20 bytes beside the
 * task. A chunk that is all free gives its memory back.
 */
final class Slots {
  static final int CHUNK = 1024;

  private static final int TAG_BITS = 3;
  // What an entry has bits for.
  private static final int MOST = 1 << 32 - TAG_BITS;
  private static final int SMALLEST = 16;
  private static final int NONE = -1;
  private static final byte[] FREE = {};

  final Order<Moment> byMoment = new ByMoment();
  final Order<Life> byId = new ById();
  final Order<Long> bySeq = new BySeq();
  // These sort entries, each a slot and one of the tags of its task.
  final Order<Tagged> byTagAndSeq = new ByTag(slot -> 0);
  final Order<Tagged> byTagAndMoment = new ByTag(this::moment);

  private Chunk[] chunks = {};
  private int count;
  // Chunks that have a free slot, as a chain; slots are taken from the first.
  private int roomy = NONE;

  private static final class Chunk {
    byte[][] tasks = {};
    long[] moments = {};
    long[] seqs = {};
    // Null until a payload stands apart.
    @Nullable
    Payload @Nullable [] payloads;
    int used;
    // Slots beyond have never been taken.
    int taken;
    // The slot freed last; in its seq stands the one freed before.
    int freed = NONE;
    int nextRoomy = NONE;
  }

  /** Puts a task into a free slot, and returns that. */
  int add(byte[] task, long moment, long seq, @Nullable Payload apart) {
    if (roomy == NONE) {
      addChunk();
    }
    Chunk chunk = chunks[roomy];
    int slot = roomy * CHUNK + take(chunk);
    if (chunk.used == CHUNK) {
      roomy = chunk.nextRoomy;
    }
    set(slot, task, moment, seq, apart);
    return slot;
  }

  /** Puts a task into a slot in place of the one that is there. */
  void set(int slot, byte[] task, long moment, long seq, @Nullable Payload apart) {
    Chunk chunk = chunks[slot / CHUNK];
    int index = slot % CHUNK;
    chunk.tasks[index] = task;
    chunk.moments[index] = moment;
    chunk.seqs[index] = seq;
    if (apart != null && chunk.payloads == null) {
      chunk.payloads = new Payload[CHUNK];
    }
    if (chunk.payloads != null) {
      chunk.payloads[index] = apart;
    }
  }

  /** Forgets the task in a slot. */
  void free(int slot) {
    set(slot, FREE, 0, 0, null);
    Chunk chunk = chunks[slot / CHUNK];
    chunk.seqs[slot % CHUNK] = chunk.freed;
    chunk.freed = slot % CHUNK;
    chunk.used--;
    // Where slots are taken from now, memory is kept: a store that is nearly empty does not make it again and again.
    int number = slot / CHUNK;
    if (chunk.used == CHUNK - 1) {
      giveBack(roomy);
      chunk.nextRoomy = roomy;
      roomy = number;
    } else if (number != roomy) {
      giveBack(number);
    }
  }

  /** Gives back the memory of a chunk that is all free. */
  private void giveBack(int number) {
    if (number != NONE && chunks[number].used == 0) {
      Chunk empty = new Chunk();
      empty.nextRoomy = chunks[number].nextRoomy;
      chunks[number] = empty;
    }
  }

  /** Returns how many chunks hold memory. */
  int chunksInUse() {
    int inUse = 0;
    for (int i = 0; i < count; i++) {
      inUse += chunks[i].tasks.length > 0 ? 1 : 0;
    }
    return inUse;
  }

  byte[] task(int slot) {
    return chunks[slot / CHUNK].tasks[slot % CHUNK];
  }

  long moment(int slot) {
    return chunks[slot / CHUNK].moments[slot % CHUNK];
  }

  long seq(int slot) {
    return chunks[slot / CHUNK].seqs[slot % CHUNK];
  }

  /** Returns the payload of a task, if it stands apart. */
  @Nullable
  Payload apart(int slot) {
    Chunk chunk = chunks[slot / CHUNK];
    return chunk.payloads == null ? null : chunk.payloads[slot % CHUNK];
  }

  private void addChunk() {
    if (count == MOST / CHUNK) {
      throw new IllegalStateException("a store in memory holds at most " + MOST + " tasks");
    }
    if (count == chunks.length) {
      chunks = Arrays.copyOf(chunks, count + (count >> 1) + 1);
    }
    chunks[count] = new Chunk();
    roomy = count++;
  }

  private static int take(Chunk chunk) {
    chunk.used++;
    if (chunk.freed != NONE) {
      int index = chunk.freed;
      chunk.freed = (int) chunk.seqs[index];
      return index;
    }
    if (chunk.taken == chunk.tasks.length) {
      int longer = Math.min(Math.max(SMALLEST, chunk.taken * 4), CHUNK);
      chunk.tasks = Arrays.copyOf(chunk.tasks, longer);
      chunk.moments = Arrays.copyOf(chunk.moments, longer);
      chunk.seqs = Arrays.copyOf(chunk.seqs, longer);
    }
    return chunk.taken++;
  }

  /** A place in the order of (moment, seq). */
  record Moment(long at, long seq) {}

  /** A place in the order of ids, compared byte by byte in UTF-8, and of one id the latest life first. */
  static final class Life {
    private final byte[] id;
    private final long seq;

    Life(byte[] id, long seq) {
      this.id = id;
      this.seq = seq;
    }
  }

  /** A place in the order of tags, compared byte by byte in UTF-8, and of one tag by (moment, seq). */
  static final class Tagged {
    private final byte[] tag;
    private final long moment;
    private final long seq;

    Tagged(byte[] tag, long moment, long seq) {
      this.tag = tag;
      this.moment = moment;
      this.seq = seq;
    }
  }

  /** Returns the entry of one of the tags of the task in a slot. */
  static int entry(int slot, int tag) {
    return slot << TAG_BITS | tag;
  }

  /** Returns the slot of an entry. */
  static int slotOf(int entry) {
    return entry >>> TAG_BITS;
  }

  private static int tagOf(int entry) {
    return entry & (1 << TAG_BITS) - 1;
  }

  /** Returns whether an entry is that of this tag. */
  boolean isTagged(int entry, byte[] tag) {
    return PackedTask.compareTag(task(slotOf(entry)), tagOf(entry), tag) == 0;
  }

  private static int compareMoments(long at, long seq, long otherAt, long otherSeq) {
    return at != otherAt ? Long.compare(at, otherAt) : Long.compare(seq, otherSeq);
  }

  private final class ByMoment implements Order<Moment> {

    @Override
    public Moment key(int slot) {
      return new Moment(moment(slot), seq(slot));
    }

    @Override
    public int compare(int slot, Moment key) {
      return compareMoments(moment(slot), seq(slot), key.at, key.seq);
    }

    @Override
    public int compare(Moment key, Moment other) {
      return compareMoments(key.at, key.seq, other.at, other.seq);
    }
  }

  private final class ById implements Order<Life> {

    @Override
    public Life key(int slot) {
      return new Life(PackedTask.id(task(slot)), seq(slot));
    }

    @Override
    public int compare(int slot, Life key) {
      int order = PackedTask.compareId(task(slot), key.id);
      return order != 0 ? order : Long.compare(key.seq, seq(slot));
    }

    @Override
    public int compare(Life key, Life other) {
      int order = Arrays.compareUnsigned(key.id, other.id);
      return order != 0 ? order : Long.compare(other.seq, key.seq);
    }
  }

  private final class BySeq implements Order<Long> {

    @Override
    public Long key(int slot) {
      return seq(slot);
    }

    @Override
    public int compare(int slot, Long key) {
      return Long.compare(seq(slot), key);
    }

    @Override
    public int compare(Long key, Long other) {
      return Long.compare(key, other);
    }
  }

  private final class ByTag implements Order<Tagged> {
    private final IntToLongFunction moments;

    ByTag(IntToLongFunction moments) {
      this.moments = moments;
    }

    @Override
    public Tagged key(int entry) {
      int slot = slotOf(entry);
      return new Tagged(PackedTask.tag(task(slot), tagOf(entry)), moments.applyAsLong(slot), seq(slot));
    }

    @Override
    public int compare(int entry, Tagged key) {
      int slot = slotOf(entry);
      int order = PackedTask.compareTag(task(slot), tagOf(entry), key.tag);
      return order != 0 ? order : compareMoments(moments.applyAsLong(slot), seq(slot), key.moment, key.seq);
    }

    @Override
    public int compare(Tagged key, Tagged other) {
      int order = Arrays.compareUnsigned(key.tag, other.tag);
      return order != 0 ? order : compareMoments(key.moment, key.seq, other.moment, other.seq);
    }
  }
}
