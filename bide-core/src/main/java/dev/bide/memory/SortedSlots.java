package dev.bide.memory;

import java.util.Arrays;
import java.util.NoSuchElementException;
import java.util.PrimitiveIterator;

/**
 * A sorted set of slots, each at most once.
 *
 * <p>Not thread-safe. The slots stand in blocks of at most {@value #BLOCK}, one array each, and above them stands the key
 * from which on each block holds slots. So a slot takes four to eight bytes, up to sixteen where many have been removed
 * at random, and no step moves more than a block and the list of blocks. To find a place takes O(log n) comparisons,
 * most of them with keys that stand close together; to add or remove a slot takes that and a move within its block; to
 * count a range takes that twice and O(blocks between).
 *
 * <p>What is added at the end fills its blocks whole, and what is removed from the front empties one after another: that
 * is how tasks mostly come and go.
 */
final class SortedSlots<K> {
  static final int BLOCK = 512;

  private static final int SMALLEST = 8;
  private static final Object[] NO_KEYS = {};
  private static final int[][] NO_BLOCKS = {};
  private static final int[] NO_SLOTS = {};

  private final Order<K> order;
  // No block within [0, count) is empty. A block holds slots from its key on and before that of the next; the first one holds smaller ones too.
  private Object[] keys = NO_KEYS;
  private int[][] blocks = NO_BLOCKS;
  private int[] sizes = NO_SLOTS;
  private int count;
  private int size;

  SortedSlots(Order<K> order) {
    this.order = order;
  }

  /** Returns how many slots there are. */
  int size() {
    return size;
  }

  /** Returns how many blocks they stand in. */
  int blocks() {
    return count;
  }

  /** Adds a slot, which must not be there. */
  void add(int slot) {
    K key = order.key(slot);
    if (count == 0) {
      insertBlock(0, key, new int[SMALLEST], 0);
    }
    int block = blockOf(key);
    int index = indexIn(block, key);
    if (index == BLOCK && block == count - 1) {
      insertBlock(++block, key, new int[SMALLEST], 0);
      index = 0;
    } else if (sizes[block] == BLOCK) {
      split(block);
      if (index > BLOCK / 2) {
        block++;
        index -= BLOCK / 2;
      }
    }
    insert(block, index, slot);
    size++;
  }

  /** Removes a slot, which must be there. */
  void remove(int slot) {
    int block = count == 0 ? 0 : blockOf(order.key(slot));
    int index = indexOf(slot, block);
    size--;
    sizes[block]--;
    System.arraycopy(blocks[block], index + 1, blocks[block], index, sizes[block] - index);
    if (sizes[block] == 0) {
      removeBlock(block);
    } else if (!mergeWithNext(block - 1)) {
      mergeWithNext(block);
    }
  }

  /** Returns how many slots there are from {@code from} on and before {@code to}, which does not come before it. */
  int count(K from, K to) {
    if (count == 0) {
      return 0;
    }
    int first = blockOf(from);
    int last = blockOf(to);
    int counted = indexIn(last, to) - indexIn(first, from);
    for (int block = first; block < last; block++) {
      counted += sizes[block];
    }
    return counted;
  }

  /** Returns the slots in their order. The set must not change while they are read. */
  PrimitiveIterator.OfInt all() {
    return new Forward(0, 0);
  }

  /** Returns the slots from {@code from} on, in their order. The set must not change while they are read. */
  PrimitiveIterator.OfInt from(K from) {
    int block = count == 0 ? 0 : blockOf(from);
    return new Forward(block, count == 0 ? 0 : indexIn(block, from));
  }

  /** Returns the slots before {@code to}, the last one first. The set must not change while they are read. */
  PrimitiveIterator.OfInt before(K to) {
    int block = count == 0 ? 0 : blockOf(to);
    return new Backward(block, count == 0 ? 0 : indexIn(block, to));
  }

  private final class Forward implements PrimitiveIterator.OfInt {
    private int block;
    private int index;

    Forward(int block, int index) {
      this.block = block;
      this.index = index;
    }

    @Override
    public boolean hasNext() {
      if (block < count && index == sizes[block]) {
        block++;
        index = 0;
      }
      return block < count;
    }

    @Override
    public int nextInt() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return blocks[block][index++];
    }
  }

  private final class Backward implements PrimitiveIterator.OfInt {
    private int block;
    // The slot given next stands before it.
    private int index;

    Backward(int block, int index) {
      this.block = block;
      this.index = index;
    }

    @Override
    public boolean hasNext() {
      if (index == 0 && block > 0) {
        index = sizes[--block];
      }
      return index > 0;
    }

    @Override
    public int nextInt() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return blocks[block][--index];
    }
  }

  /** Returns the only block that may hold {@code key}. The last one is tried first. */
  private int blockOf(K key) {
    int low = 0;
    int high = count - 1;
    int middle = high;
    while (low < high) {
      if (order.compare(key(middle), key) <= 0) {
        low = middle;
      } else {
        high = middle - 1;
      }
      middle = low + high + 1 >>> 1;
    }
    return low;
  }

  @SuppressWarnings("unchecked")
  private K key(int block) {
    return (K) keys[block];
  }

  /** Returns the index of the first slot of a block that does not come before {@code key}, else its size. */
  private int indexIn(int block, K key) {
    int[] slots = blocks[block];
    int low = 0;
    int high = sizes[block];
    int middle = high - 1;
    while (low < high) {
      if (order.compare(slots[middle], key) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
      middle = low + high >>> 1;
    }
    return low;
  }

  /** Goes through the block: that takes less time than to compare a few slots whose tasks are in no cache. */
  private int indexOf(int slot, int block) {
    for (int index = 0; block < count && index < sizes[block]; index++) {
      if (blocks[block][index] == slot) {
        return index;
      }
    }
    throw new AssertionError("slot " + slot + " is not at its place");
  }

  private void insert(int block, int index, int slot) {
    int[] slots = blocks[block];
    int used = sizes[block];
    if (used == slots.length) {
      slots = Arrays.copyOf(slots, Math.min(used * 2, BLOCK));
      blocks[block] = slots;
    }
    System.arraycopy(slots, index, slots, index + 1, used - index);
    slots[index] = slot;
    sizes[block]++;
  }

  private void split(int block) {
    int half = BLOCK / 2;
    int[] upper = Arrays.copyOfRange(blocks[block], half, BLOCK);
    sizes[block] = half;
    insertBlock(block + 1, order.key(upper[0]), upper, BLOCK - half);
  }

  /** Merges two neighbours that are half a block together, so that the next additions do not split them again. */
  private boolean mergeWithNext(int block) {
    if (block < 0 || block + 1 >= count || sizes[block] + sizes[block + 1] > BLOCK / 2) {
      return false;
    }
    int together = sizes[block] + sizes[block + 1];
    if (blocks[block].length < together) {
      blocks[block] = Arrays.copyOf(blocks[block], BLOCK / 2);
    }
    System.arraycopy(blocks[block + 1], 0, blocks[block], sizes[block], sizes[block + 1]);
    sizes[block] = together;
    removeBlock(block + 1);
    return true;
  }

  private void insertBlock(int at, K key, int[] slots, int used) {
    if (count == blocks.length) {
      int longer = Math.max(1, count + (count >> 1) + 1);
      keys = Arrays.copyOf(keys, longer);
      blocks = Arrays.copyOf(blocks, longer);
      sizes = Arrays.copyOf(sizes, longer);
    }
    System.arraycopy(keys, at, keys, at + 1, count - at);
    System.arraycopy(blocks, at, blocks, at + 1, count - at);
    System.arraycopy(sizes, at, sizes, at + 1, count - at);
    keys[at] = key;
    blocks[at] = slots;
    sizes[at] = used;
    count++;
  }

  private void removeBlock(int at) {
    count--;
    System.arraycopy(keys, at + 1, keys, at, count - at);
    System.arraycopy(blocks, at + 1, blocks, at, count - at);
    System.arraycopy(sizes, at + 1, sizes, at, count - at);
    if (count == 0) {
      keys = NO_KEYS;
      blocks = NO_BLOCKS;
      sizes = NO_SLOTS;
    } else {
      keys[count] = keys[0];
      blocks[count] = NO_SLOTS;
    }
  }
}
