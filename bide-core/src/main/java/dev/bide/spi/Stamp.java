package dev.bide.spi;

/**
 * Marks a call, so that a store knows it again when it is sent twice. A stream has one call in flight at a time.
 *
 * @param node the node that sends it; unique for each start of a process
 * @param stream the sender within the node
 * @param number grows with each new call of the stream; a repeated call keeps it
 * @param notAfter the latest store time, in epoch milliseconds, at which the call may still have an effect; the sender
 * has given up by then
 */
public record Stamp(String node, String stream, long number, long notAfter) {

  /** Returns whether the sender has given up by {@code now}. */
  public boolean late(long now) {
    return now > notAfter;
  }

  /** Returns the stamp for sending the same call once more. */
  public Stamp until(long notAfter) {
    return new Stamp(node, stream, number, notAfter);
  }
}
