package dev.bide.examples.timers;

import dev.bide.timer.IndexedHeap;
import dev.bide.timer.ObjectTimers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Watches nodes that say now and then that they are alive: a node that has said nothing for too long is reported, once.
 * Not thread-safe; it is told the time, in milliseconds that never go back.
 */
final class Heartbeats {
  private final long limitMillis;
  private final ObjectTimers<String> timers = new ObjectTimers<>(new IndexedHeap());
  private final Map<String, Long> handles = new HashMap<>();

  /** A node may be silent for {@code limitMillis}. */
  Heartbeats(long limitMillis) {
    this.limitMillis = limitMillis;
  }

  /** Notes that a node is alive; a new one is watched from now on, and so is one that was reported. */
  void beat(String node, long now) {
    long deadline = now + limitMillis;
    Long handle = handles.get(node);
    if (handle == null) {
      handles.put(node, timers.schedule(deadline, node));
    } else {
      timers.move(handle, deadline);
    }
  }

  /** Notes that a node leaves, so that it is not missed. */
  void leave(String node) {
    Long handle = handles.remove(node);
    if (handle != null) {
      timers.cancel(handle);
    }
  }

  /** Returns the nodes that are missed, those first that have been silent for longest. */
  List<String> missed(long now) {
    List<String> missed = new ArrayList<>();
    timers.drain(now, Integer.MAX_VALUE, (deadline, node) -> {
      handles.remove(node);
      missed.add(node);
    });
    return missed;
  }

  /** Returns when the next node will be missed, unless it is heard of; {@link Long#MAX_VALUE} if none is watched. */
  long nextLook() {
    return timers.nextDeadline();
  }
}
