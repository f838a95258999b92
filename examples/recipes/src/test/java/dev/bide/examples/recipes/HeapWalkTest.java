package dev.bide.examples.recipes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.bide.timer.IndexedHeap;
import dev.bide.timer.TimerQueue;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A timer queue by itself: no thread, no clock, no task. The caller says what time it is, in a unit and from an origin
 * of its own, here milliseconds from 0; what is due is handed out then. A cookie is a number; here it is an index into
 * the caller's list.
 */
class HeapWalkTest {
  private final List<String> names = List.of("warm-cache", "send-email", "refresh-token");
  private final TimerQueue timers = new IndexedHeap();

  @Test
  void itemsAreHandedOutAtTheirDeadlinesAndInTheirOrder() {
    timers.schedule(50, names.indexOf("warm-cache"));
    timers.schedule(150, names.indexOf("send-email"));
    timers.schedule(100, names.indexOf("refresh-token"));

    assertEquals(50, timers.nextDeadline());
    assertEquals(List.of(), dueAt(0));

    assertEquals(List.of("warm-cache", "refresh-token"), dueAt(120));
    assertNotEquals(Long.MAX_VALUE, timers.nextDeadline());

    assertEquals(List.of("send-email"), dueAt(200));
    assertEquals(Long.MAX_VALUE, timers.nextDeadline());
    assertEquals(0, timers.size());
  }

  /** How long a loop may sleep: until the next deadline, if there is one. */
  @Test
  void theNextDeadlineSaysHowLongToSleep() {
    timers.schedule(50, names.indexOf("warm-cache"));
    long handle = timers.schedule(20, names.indexOf("refresh-token"));
    long now = 5;

    assertEquals(15, timers.nextDeadline() - now);
    timers.move(handle, 80);
    assertEquals(45, timers.nextDeadline() - now);
    timers.cancel(handle);
    assertEquals(List.of("warm-cache"), dueAt(80));
  }

  private List<String> dueAt(long now) {
    List<String> due = new ArrayList<>();
    timers.drain(now, 100, (left, deadline, cookie) -> due.add(names.get((int) cookie)));
    return due;
  }
}
