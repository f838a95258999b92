package dev.bide.memory;

/**
 * An order of slots by a key that each has, no two the same. The key of a slot must not change while an index holds it.
 */
interface Order<K> {

  /** Returns the key of a slot. */
  K key(int slot);

  /**
   * Returns a negative number if the key of {@code slot} comes before {@code key}, 0 if it is that, else a positive
   * one.
   */
  int compare(int slot, K key);

  /**
   * Returns a negative number if {@code key} comes before {@code other}, 0 if they are the same, else a positive one.
   */
  int compare(K key, K other);
}
