package dev.bide;

/**
 * Hears of everything that happens on a node: the one stream that metrics and the processing log are made from.
 *
 * <p>Called by several threads; the events of one claim come in their order, while SCHEDULED of a task that is due at once
 * may come after its CLAIMED. Each is told before what follows it is done, on the thread that does it, the one that
 * renews leases among them: so it must be quick and must not block. What it throws is logged and dropped.
 */
@FunctionalInterface
public interface TaskListener {

  /** Takes notice of an event. */
  void on(TaskEvent event);
}
