package dev.bide.spi;

/**
 * An owner's word on how its claim ended.
 *
 * @param id the id of the task, so that its finished life can be found too
 * @param seq the life that was claimed
 * @param token the fencing token of the claim
 * @param end how it ended
 * @param delayMillis for {@link End#RETRY}, how long after the store's now the next attempt is ready; 0 elsewhere
 * @param note for {@link End#COMPLETE} the whole outcome, {@code done} for instance; for {@link End#RETRY} and
 * {@link End#FAIL} the reason
 */
public record Settlement(String id, long seq, long token, End end, long delayMillis, String note) {

  /** Checks the range. */
  public Settlement {
    if (delayMillis < 0) {
      throw new IllegalArgumentException("a retry is delayed by 0 or more, got " + delayMillis + " ms");
    }
  }
}
