package dev.bide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How long a caller waits for a store that fails; on a clock that moves while it pauses. */
class RepeaterTest {
  private final AtomicLong clock = new AtomicLong();
  private final HandDriver driver = new HandDriver(clock::get) {
    @Override
    public void pause(long nanos) {
      clock.addAndGet(nanos);
    }
  };
  private final TappedStore store = new TappedStore(MemoryTaskStore.on(() -> 1_000_000));
  private final Repeater repeater = new Repeater(store, "n1", new StoreTime(1_000_000, 0, 0), driver);

  private void failUntil(Duration moment) {
    store.before(call -> {
      if (clock.get() < moment.toNanos()) {
        throw StoreException.passing("the disk is full", null);
      }
    });
  }

  @Test
  void aCallThatFailsAgainAndAgainEndsAfterTenSecondsAndSaysWhy() {
    failUntil(Duration.ofDays(1));
    StoreException last = assertThrows(StoreException.class,
        () -> repeater.look(it -> it.find("q", List.of("a"))).get(0));
    assertEquals("gave up after 10 s or an interrupt; whether the call was done is unknown, and calling again with the"
        + " same id is safe: the disk is full", last.getMessage());
    assertTrue(last.isTransient());
    assertEquals(Duration.ofSeconds(10).toNanos(), clock.get());
    int calls = store.calls(TappedStore.Kind.FIND).size();
    assertTrue(calls > 10 && calls < 50, () -> "the pauses grow, and have an end: " + calls);
  }

  @Test
  void aCallIsDoneWhenTheStoreIsBackInTime() {
    failUntil(Duration.ofSeconds(9));
    assertEquals(Optional.empty(), repeater.look(it -> it.find("q", List.of("a"))).get(0));
    assertTrue(clock.get() < Duration.ofSeconds(10).toNanos());
  }
}
