package dev.bide.timer;

import java.util.Arrays;

/**
 * Items in linked lists, of which there may be any number. Not thread-safe. Where lists are many and long, as in
 * {@link HierarchicalWheel}, {@link Records} in {@link Slots} are faster.
 *
 * <p>An item is 4 longs side by side, so that to touch it costs one cache miss, or two where it lies across a border. They
 * lie in chunks of 256 KiB: growing copies nothing but a first small one, and none is humongous for a collector with
 * regions of 1 MiB.
 */
final class Items {
  /** No item. */
  static final int NONE = -1;
  /** A list without items. Others are the first item << 32 | the last one. */
  static final long EMPTY = -1;

  // Where an item stands.
  static final int FREE = 0;
  static final int LISTED = 1;
  static final int HEAPED = 2;
  static final int ASIDE = 3;

  private static final int DEADLINE = 0;
  private static final int COOKIE = 1;
  // The next item << 32 | the one before; for an item that stands in no list, what the wheel keeps there.
  private static final int LINKS = 2;
  // The generation << 32 | where it stands.
  private static final int STATE = 3;
  private static final int WIDTH_BITS = 2;

  private static final int CHUNK_BITS = 13;
  private static final int CHUNK = 1 << CHUNK_BITS;
  private static final int SMALLEST = 16;
  private static final int MOST_CHUNKS = 1 << 31 - CHUNK_BITS;
  private static final long LOW = 0xffff_ffffL;

  private long[][] chunks = {new long[SMALLEST << WIDTH_BITS]};
  private int count = 1;
  private int used;
  private int free = NONE;
  private int generation;

  /** Returns a new item, which stands nowhere yet. */
  int take(long deadline, long cookie) {
    int item = free;
    if (item == NONE) {
      item = used;
      if (at(item) == chunks[count - 1].length || item >>> CHUNK_BITS == count) {
        grow();
      }
      used++;
    } else {
      free = next(item);
    }
    generation++;
    if (generation == 0) {
      // So that no handle is 0.
      generation++;
    }
    long[] chunk = chunk(item);
    int at = at(item);
    chunk[at + DEADLINE] = deadline;
    chunk[at + COOKIE] = cookie;
    chunk[at + STATE] = (long) generation << 32;
    return item;
  }

  void giveBack(int item) {
    chunk(item)[at(item) + STATE] = FREE;
    next(item, free);
    free = item;
  }

  /** Gives memory back; there must be no item. */
  void shrink() {
    if (count > 1) {
      chunks = new long[][]{chunks[0]};
      count = 1;
      used = 0;
      free = NONE;
    }
  }

  private void grow() {
    int length = chunks[count - 1].length;
    if (length < CHUNK << WIDTH_BITS) {
      chunks[0] = Arrays.copyOf(chunks[0], 2 * length);
      return;
    }
    if (count == MOST_CHUNKS) {
      throw new IllegalStateException("a timer queue holds at most " + Integer.MAX_VALUE + " items");
    }
    if (count == chunks.length) {
      chunks = Arrays.copyOf(chunks, count + (count >> 1) + 1);
    }
    chunks[count] = new long[CHUNK << WIDTH_BITS];
    count++;
  }

  // Fields of an item.

  long handle(int item) {
    return chunk(item)[at(item) + STATE] & ~LOW | item;
  }

  /** Returns whether the item of a handle has not been given back. */
  boolean holds(long handle) {
    int item = (int) handle;
    if (item < 0 || item >= used) {
      return false;
    }
    long state = chunk(item)[at(item) + STATE];
    return (int) state != FREE && state >>> 32 == handle >>> 32;
  }

  long deadline(int item) {
    return chunk(item)[at(item) + DEADLINE];
  }

  void deadline(int item, long deadline) {
    chunk(item)[at(item) + DEADLINE] = deadline;
  }

  long cookie(int item) {
    return chunk(item)[at(item) + COOKIE];
  }

  int standing(int item) {
    return (int) chunk(item)[at(item) + STATE];
  }

  void standing(int item, int standing) {
    long[] chunk = chunk(item);
    int at = at(item) + STATE;
    chunk[at] = chunk[at] & ~LOW | standing;
  }

  long links(int item) {
    return chunk(item)[at(item) + LINKS];
  }

  void links(int item, long links) {
    chunk(item)[at(item) + LINKS] = links;
  }

  // Lists.

  static int first(long list) {
    return (int) (list >> 32);
  }

  int next(int item) {
    return (int) (links(item) >> 32);
  }

  private void next(int item, int next) {
    long[] chunk = chunk(item);
    int at = at(item) + LINKS;
    chunk[at] = chunk[at] & LOW | (long) next << 32;
  }

  private void before(int item, int before) {
    long[] chunk = chunk(item);
    int at = at(item) + LINKS;
    chunk[at] = chunk[at] & ~LOW | before & LOW;
  }

  /** Puts an item behind the last one of a list; returns whether that was empty. */
  boolean append(long[] lists, int list, int item) {
    long ends = lists[list];
    if (ends == EMPTY) {
      links(item, EMPTY);
      lists[list] = (long) item << 32 | item;
      return true;
    }
    int last = (int) ends;
    next(last, item);
    links(item, (long) NONE << 32 | last);
    lists[list] = ends & ~LOW | item;
    return false;
  }

  /** Takes an item out of the list it stands in; returns whether that is empty now. */
  boolean unlink(long[] lists, int list, int item) {
    long links = links(item);
    int next = (int) (links >> 32);
    int before = (int) links;
    if (next != NONE) {
      before(next, before);
    }
    if (before != NONE) {
      next(before, next);
    }
    if (next == NONE || before == NONE) {
      long ends = lists[list];
      long first = before == NONE ? next : ends >> 32;
      long last = next == NONE ? before : ends & LOW;
      lists[list] = first == NONE ? EMPTY : first << 32 | last & LOW;
      return first == NONE;
    }
    return false;
  }

  private long[] chunk(int item) {
    return chunks[item >>> CHUNK_BITS];
  }

  private static int at(int item) {
    return (item & CHUNK - 1) << WIDTH_BITS;
  }
}
