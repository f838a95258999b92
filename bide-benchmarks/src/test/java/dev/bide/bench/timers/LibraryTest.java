package dev.bide.bench.timers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LibraryTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long SOON = TimeUnit.MILLISECONDS.toNanos(10);

  @Test
  void whatHasAThreadCallsWhatIsDueAndNotWhatWasCancelled() throws Exception {
    List<Library> threaded = new ArrayList<>(Library.THREADED_PEERS);
    threaded.add(Library.TIMER);
    CountDownLatch called = new CountDownLatch(threaded.size());
    Set<Library> wrong = ConcurrentHashMap.newKeySet();
    List<Clockwork> started = new ArrayList<>();
    for (Library library : threaded) {
      Clockwork clockwork = library.start(2);
      started.add(clockwork);
      clockwork.schedule(0, SECOND, () -> wrong.add(library));
      clockwork.schedule(1, SECOND + SOON, called::countDown);
      clockwork.cancel(0);
    }
    assertTrue(called.await(20, TimeUnit.SECONDS));
    assertEquals(Set.of(), wrong);
    started.forEach(Clockwork::close);
  }

  @Test
  void allAreFilledAndHaveTimersReplaced() throws Exception {
    List<Library> all = new ArrayList<>(Library.PEERS);
    all.add(Library.TIMER);
    all.addAll(Library.ENGINES);
    for (Library library : all) {
      try (Clockwork clockwork = library.start(100)) {
        clockwork.fill(100);
        for (int slot = 0; slot < 100; slot++) {
          clockwork.cancel(slot);
          clockwork.schedule(slot, SOON, Callback.NOTHING);
          clockwork.turn();
        }
        clockwork.keepUp();
      }
    }
  }

  @Test
  void onlyOursAreQueues() {
    assertEquals(0, Library.WHEEL.queue().size());
    assertThrows(IllegalArgumentException.class, Library.NETTY::queue);
  }
}
