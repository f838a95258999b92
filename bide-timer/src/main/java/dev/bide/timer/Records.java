package dev.bide.timer;

import java.util.Arrays;

/**
 * The deadline, the cookie and the place of each item, 24 bytes side by side. Not thread-safe.
 *
 * <p>They lie in chunks of 192 KiB: growing copies nothing but a first small one, and none is humongous for a collector
 * with regions of 1 MiB.
 */
final class Records {
  /** The state of what is not here. */
  static final long GONE = 0;

  // The next free record, where it is free.
  private static final int DEADLINE = 0;
  private static final int COOKIE = 1;
  // The generation, which is never 0, << 32 | the place. GONE where it is free.
  private static final int STATE = 2;
  private static final int WIDTH = 3;

  private static final int CHUNK_BITS = 13;
  private static final int CHUNK = 1 << CHUNK_BITS;
  private static final int SMALLEST = 16;
  private static final int MOST_CHUNKS = (1 << 31 - CHUNK_BITS) - 1;
  private static final int END = -1;
  private static final long LOW = 0xffff_ffffL;

  private long[][] chunks = {new long[SMALLEST * WIDTH]};
  private int count = 1;
  private int capacity = SMALLEST;
  private int used;
  private int free = END;
  private int generation;

  /** Returns the index that the next item will have, and makes room for it. */
  int next() {
    if (free != END) {
      return free;
    }
    if (used == capacity) {
      grow();
    }
    return used;
  }

  /** Adds the item whose index {@link #next} told, and returns its handle. */
  long add(int item, long deadline, long cookie, int place) {
    long[] chunk = chunk(item);
    int at = at(item);
    if (item == free) {
      free = (int) chunk[at + DEADLINE];
    } else {
      used++;
    }
    generation++;
    if (generation == 0) {
      generation++;
    }
    long generationAbove = (long) generation << 32;
    chunk[at + DEADLINE] = deadline;
    chunk[at + COOKIE] = cookie;
    chunk[at + STATE] = generationAbove | place & LOW;
    return generationAbove | item;
  }

  void remove(int item) {
    long[] chunk = chunk(item);
    int at = at(item);
    chunk[at + DEADLINE] = free;
    chunk[at + STATE] = GONE;
    free = item;
  }

  /** Gives memory back; there must be no item. */
  void shrink() {
    if (count > 1) {
      chunks = new long[][]{chunks[0]};
      count = 1;
      capacity = CHUNK;
      used = 0;
      free = END;
    }
  }

  /** Returns the state of the item that a handle names, or {@link #GONE}. */
  long state(long handle) {
    int item = (int) handle;
    if (item < 0 || item >= used) {
      return GONE;
    }
    long state = chunk(item)[at(item) + STATE];
    return (state ^ handle) >>> 32 == 0 ? state : GONE;
  }

  long handle(int item) {
    return chunk(item)[at(item) + STATE] & ~LOW | item;
  }

  long deadline(int item) {
    return chunk(item)[at(item) + DEADLINE];
  }

  long cookie(int item) {
    return chunk(item)[at(item) + COOKIE];
  }

  int place(int item) {
    return (int) chunk(item)[at(item) + STATE];
  }

  void deadline(int item, long deadline) {
    chunk(item)[at(item) + DEADLINE] = deadline;
  }

  void place(int item, int place) {
    long[] chunk = chunk(item);
    int at = at(item) + STATE;
    chunk[at] = chunk[at] & ~LOW | place & LOW;
  }

  private void grow() {
    if (capacity < CHUNK) {
      chunks[0] = Arrays.copyOf(chunks[0], 2 * capacity * WIDTH);
      capacity *= 2;
      return;
    }
    if (count == MOST_CHUNKS) {
      throw new IllegalStateException("a timer queue holds at most " + capacity + " items");
    }
    if (count == chunks.length) {
      chunks = Arrays.copyOf(chunks, count + (count >> 1) + 1);
    }
    chunks[count] = new long[CHUNK * WIDTH];
    count++;
    capacity += CHUNK;
  }

  private long[] chunk(int item) {
    return chunks[item >>> CHUNK_BITS];
  }

  private static int at(int item) {
    return (item & CHUNK - 1) * WIDTH;
  }
}
