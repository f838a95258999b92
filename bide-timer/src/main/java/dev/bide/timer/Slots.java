package dev.bide.timer;

import java.util.Arrays;

/**
 * Lists of items, in rows of {@value #ROW}. Not thread-safe.
 *
 * <p>A list is a chain of blocks, each with room for {@value #ROOM} items. What is removed leaves a hole, and a block that
 * has nothing but holes is given back. So a list takes some 5 bytes an item, one is removed without a look at its
 * neighbours, and a list is read without waiting at each item for where the next one lies.
 */
final class Slots {
  /** No item, no place, or no list. */
  static final int NONE = -1;
  /** The lists of a row: row << 12 is the first. */
  static final int ROW = 1 << 12;

  private static final int ROW_BITS = 12;
  private static final int WORDS = ROW / Long.SIZE;
  private static final long ONE = 1L << 32;
  private static final long LOW = 0xffff_ffffL;

  // A block of 16 ints: the blocks behind and before it, the list << 4 | the number of holes, and items or NONE. A place
  // is the index of an item among all the ints.
  private static final int BLOCK = 16;
  private static final int BEHIND = 0;
  private static final int BEFORE = 1;
  private static final int OWNER = 2;
  private static final int FIRST = 3;
  private static final int LAST = BLOCK - 1;
  private static final int ROOM = BLOCK - FIRST;
  private static final int HOLE = NONE;
  private static final int HOLES = 15;
  private static final int HOLES_BITS = 4;

  // 256 KiB.
  private static final int CHUNK_BITS = 16;
  private static final int CHUNK = 1 << CHUNK_BITS;
  private static final int MOST_CHUNKS = (1 << 31 - CHUNK_BITS) - 1;

  // By row, each made when it is first needed, and list: the number of items << 32 | the place of the last one; and the
  // place of the first one. There may be holes before the last one, and behind the first.
  private final long[][] lasts;
  private final int[][] firsts;
  // By row: the lists that are not empty, as bits, and which words of those have any.
  private final long[] bits;
  private final long[] words;

  private int[][] chunks = {new int[BLOCK]};
  private int count = 1;
  private int capacity = BLOCK;
  private int used;
  private int free = NONE;

  Slots(int rows) {
    lasts = new long[rows][0];
    firsts = new int[rows][0];
    bits = new long[rows * WORDS];
    words = new long[rows];
  }

  /** Puts an item behind the last one of a list, and returns its place. */
  int append(int list, int item) {
    long[] row = lasts(list);
    long found = row[list & ROW - 1];
    int last = (int) found;
    int place;
    if (found < ONE) {
      place = begin(list);
    } else {
      place = (last & LAST) == LAST ? block(list, last & -BLOCK) + FIRST : last + 1;
    }
    row[list & ROW - 1] = (found & ~LOW) + ONE | place;
    chunk(place)[at(place)] = item;
    return place;
  }

  /** Removes the item at a place. */
  void remove(int place) {
    int[] chunk = chunk(place);
    int at = at(place);
    chunk[at] = HOLE;
    int owner = chunk[at & -BLOCK | OWNER] + 1;
    chunk[at & -BLOCK | OWNER] = owner;
    int list = owner >> HOLES_BITS;
    long[] row = lasts[list >> ROW_BITS];
    long left = row[list & ROW - 1] - ONE;
    row[list & ROW - 1] = left;
    if ((owner & HOLES) == ROOM) {
      unlink(place & -BLOCK, list);
    }
    if (left < ONE) {
      end(list);
    }
  }

  /** Returns the place of the first item of a list, or {@link #NONE}. */
  int first(int list) {
    if (lasts(list)[list & ROW - 1] < ONE) {
      return NONE;
    }
    int[] row = firsts[list >> ROW_BITS];
    int place = row[list & ROW - 1];
    int[] chunk = chunk(place);
    int at = at(place);
    // There is an item in the first block, or that would be gone.
    while (chunk[at] == HOLE) {
      at++;
      place++;
    }
    row[list & ROW - 1] = place;
    return place;
  }

  /** Returns the place of the item of a list that is behind the one at {@code place}, or {@link #NONE}. */
  int next(int list, int place) {
    int last = (int) lasts[list >> ROW_BITS][list & ROW - 1];
    int next = place;
    do {
      if (next == last) {
        return NONE;
      }
      next = (next & LAST) == LAST ? chunk(next)[at(next) - LAST + BEHIND] + FIRST : next + 1;
    } while (item(next) == HOLE);
    return next;
  }

  int item(int place) {
    return chunk(place)[at(place)];
  }

  /**
   * Copies the items of a list, up to the length of {@code into}; returns how many there are, or one more than that.
   */
  int copy(int list, int[] into) {
    int copied = 0;
    for (int place = first(list); place != NONE; place = next(list, place)) {
      if (copied == into.length) {
        return copied + 1;
      }
      into[copied] = item(place);
      copied++;
    }
    return copied;
  }

  /** Returns the first list of a row that is not empty, or {@link #NONE}. */
  int firstOf(int row) {
    if (words[row] == 0) {
      return NONE;
    }
    int word = row * WORDS + Long.numberOfTrailingZeros(words[row]);
    return word << 6 | Long.numberOfTrailingZeros(bits[word]);
  }

  /** Gives memory back; all lists must be empty. */
  void shrink() {
    if (count > 1) {
      chunks = new int[][]{chunks[0]};
      count = 1;
      capacity = CHUNK;
      used = 0;
      free = NONE;
    }
  }

  private int begin(int list) {
    int place = block(list, NONE) + FIRST;
    firsts[list >> ROW_BITS][list & ROW - 1] = place;
    bits[list >> 6] |= 1L << list;
    words[list >> ROW_BITS] |= 1L << (list >> 6);
    return place;
  }

  /** Gives the last block of a list back, which has no items any more. */
  private void end(int list) {
    int last = (int) lasts[list >> ROW_BITS][list & ROW - 1];
    if (last != NONE) {
      unlink(last & -BLOCK, list);
    }
    bits[list >> 6] &= ~(1L << list);
    if (bits[list >> 6] == 0) {
      words[list >> ROW_BITS] &= ~(1L << (list >> 6));
    }
  }

  private int block(int list, int before) {
    int block = free;
    if (block != NONE) {
      free = chunk(block)[at(block) + BEHIND];
    } else {
      if (used == capacity) {
        grow();
      }
      block = used;
      used += BLOCK;
    }
    int[] chunk = chunk(block);
    int at = at(block);
    chunk[at + BEHIND] = NONE;
    chunk[at + BEFORE] = before;
    chunk[at + OWNER] = list << HOLES_BITS;
    if (before != NONE) {
      chunk(before)[at(before) + BEHIND] = block;
    }
    return block;
  }

  private void unlink(int block, int list) {
    int[] chunk = chunk(block);
    int at = at(block);
    int behind = chunk[at + BEHIND];
    int before = chunk[at + BEFORE];
    if (behind != NONE) {
      chunk(behind)[at(behind) + BEFORE] = before;
    }
    if (before != NONE) {
      chunk(before)[at(before) + BEHIND] = behind;
    }
    if (before == NONE && behind != NONE) {
      firsts[list >> ROW_BITS][list & ROW - 1] = behind + FIRST;
    }
    if (behind == NONE) {
      long[] row = lasts[list >> ROW_BITS];
      row[list & ROW - 1] = row[list & ROW - 1] & ~LOW | (before == NONE ? LOW : before + LAST);
    }
    chunk[at + BEHIND] = free;
    free = block;
  }

  private long[] lasts(int list) {
    long[] made = lasts[list >> ROW_BITS];
    return made.length > 0 ? made : make(list >> ROW_BITS);
  }

  private long[] make(int row) {
    firsts[row] = new int[ROW];
    lasts[row] = new long[ROW];
    Arrays.fill(lasts[row], LOW);
    return lasts[row];
  }

  private void grow() {
    if (capacity < CHUNK) {
      chunks[0] = Arrays.copyOf(chunks[0], 2 * capacity);
      capacity *= 2;
      return;
    }
    if (count == MOST_CHUNKS) {
      throw new IllegalStateException("all " + capacity + " places of a timer queue are in use");
    }
    if (count == chunks.length) {
      chunks = Arrays.copyOf(chunks, count + (count >> 1) + 1);
    }
    chunks[count] = new int[CHUNK];
    count++;
    capacity += CHUNK;
  }

  private int[] chunk(int place) {
    return chunks[place >>> CHUNK_BITS];
  }

  private static int at(int place) {
    return place & CHUNK - 1;
  }
}
