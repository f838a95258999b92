package dev.bide.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.task.TaskState;
import dev.bide.task.TaskView;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TallyTest {
  private static final long HOUR = Tally.HOUR_MILLIS;

  private final Tally tally = new Tally();

  private static Tally.Spot waiting(long nextAt) {
    return new Tally.Spot(TaskState.WAITING, false, nextAt);
  }

  private static Tally.Spot in(TaskState state) {
    return new Tally.Spot(state, true, Long.MAX_VALUE);
  }

  @Test
  void aTaskCountsWhereItStands() {
    tally.move(null, waiting(5 * HOUR));
    tally.move(null, waiting(6 * HOUR - 1));
    tally.move(null, new Tally.Spot(TaskState.WAITING, true, 6 * HOUR));
    assertEquals(3, tally.of(TaskView.WAITING));
    assertEquals(1, tally.of(TaskView.RETRY));
    assertEquals(2, tally.waiting(5, 6));
    assertEquals(3, tally.waiting(-1, 7));
    assertEquals(0, tally.waiting(0, 5));
    assertEquals(0, tally.waiting(6, 5));
  }

  @Test
  void aTaskThatMovesOnCountsOnlyThere() {
    tally.move(null, waiting(HOUR));
    tally.move(waiting(HOUR), in(TaskState.PROCESSING));
    assertEquals(0, tally.waiting(0, 100));
    assertEquals(1, tally.of(TaskView.LIVE));
    tally.move(in(TaskState.PROCESSING), in(TaskState.FAILED));
    assertEquals(0, tally.of(TaskView.LIVE));
    assertEquals(1, tally.of(TaskView.FAILED));
    tally.revived();
    assertEquals(0, tally.of(TaskView.FAILED));
    assertEquals(1, tally.of(TaskView.FINISHED));
    tally.dropped(TaskState.FAILED, true, 1);
    assertTrue(tally.isEmpty());
  }

  @Test
  void droppedLivesLeaveTheirState() {
    tally.move(null, in(TaskState.COMPLETED));
    tally.move(null, in(TaskState.CANCELLED));
    tally.move(null, in(TaskState.FAILED));
    assertEquals(3, tally.of(TaskView.FINISHED));
    tally.dropped(TaskState.CANCELLED, false, 1);
    tally.dropped(TaskState.FAILED, false, 1);
    assertEquals(1, tally.of(TaskView.COMPLETED));
    assertEquals(1, tally.of(TaskView.FINISHED));
    tally.move(null, in(TaskState.PAUSED));
    assertEquals(1, tally.of(TaskView.PAUSED));
    assertEquals(1, tally.of(TaskView.LIVE));
  }

  @Test
  void changesAreAddedInAnyOrder() {
    Tally changes = new Tally();
    changes.move(waiting(HOUR), in(TaskState.PAUSED));
    assertFalse(changes.isEmpty());
    tally.add(changes);
    tally.move(null, waiting(HOUR));
    List<String> left = new ArrayList<>();
    tally.forEach((key, count) -> left.add(key + "=" + count));
    assertEquals(List.of("3=1"), left, "the key of paused tasks is 3 in every version");
    tally.clear();
    assertTrue(tally.isEmpty());
  }

  @Test
  void whatTimeAloneChangesIsNotCounted() {
    assertThrows(IllegalArgumentException.class, () -> tally.of(TaskView.READY));
    assertThrows(IllegalArgumentException.class, () -> tally.of(TaskView.LAPSED));
  }
}
