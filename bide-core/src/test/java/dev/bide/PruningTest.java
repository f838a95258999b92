package dev.bide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.SteppedNode.World;
import dev.bide.TappedStore.Kind;
import dev.bide.spi.StoreException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is kept longer than its retention is dropped by itself; driven by hand, in virtual time. */
class PruningTest {
  private final World world = new World();
  private final SteppedNode node = new SteppedNode(world, "n1");
  private final SteppedNode.Queue queue = node
      .queue(
          QueueSpec.of("q", String.class).retention(Duration.ofMinutes(5)).deadLetterRetention(Duration.ofMinutes(9)));

  private void prune() {
    node.add(new Pruning(node.node, "q"));
  }

  private boolean known(String id) {
    return world.store.find("q", List.of(id)).value().get(0).isPresent();
  }

  @Test
  void finishedTasksAndDeadLettersAreDroppedAWhileAfterTheirRetention() {
    prune();
    queue.handle(claim -> claim.id().equals("good") ? Outcome.done() : Outcome.fail("bad"));
    queue.schedule("good", 0);
    queue.schedule("bad", 0);
    node.runFor(Duration.ofMinutes(5).minusMillis(1));
    assertTrue(known("good"));
    node.runFor(Duration.ofSeconds(61));
    assertTrue(!known("good") && known("bad"));
    node.runFor(Duration.ofMinutes(4));
    assertTrue(!known("bad"));
  }

  @Test
  void itAsksOnceAMinuteAndMoreOftenWhileMuchIsLeft() {
    queue.handle(claim -> Outcome.done());
    for (int i = 0; i < 2_500; i++) {
      world.insert("q", "t" + i, 0);
    }
    node.settleDown();
    world.pass(Duration.ofHours(1));
    prune();
    node.runFor(Duration.ofMillis(99));
    assertTrue(known("t2499"));
    node.runFor(Duration.ofMillis(1));
    node.settleDown();
    assertTrue(!known("t2499"));
    assertEquals(3, world.store.calls(Kind.PRUNE).size());
    node.runFor(Duration.ofMinutes(10));
    assertEquals(13, world.store.calls(Kind.PRUNE).size());
  }

  @Test
  void aFailureIsReportedAndItGoesOn() {
    prune();
    world.store.before(call -> {
      throw StoreException.lasting("for a test", null);
    });
    node.runFor(Duration.ofSeconds(30));
    assertTrue(node.event(TaskEvent.Kind.STORE_FAILED).isPresent());
    world.store.before(call -> {});
    node.runFor(Duration.ofMinutes(3));
    assertTrue(world.store.calls(Kind.PRUNE).size() >= 3);
  }
}
