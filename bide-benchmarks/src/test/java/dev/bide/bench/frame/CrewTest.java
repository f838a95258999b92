package dev.bide.bench.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CrewTest {

  @Test
  void everyThreadTakesTheStep() throws Exception {
    Set<Integer> threads = ConcurrentHashMap.newKeySet();
    assertEquals(3, Crew.each(3, threads::add));
    assertEquals(Set.of(0, 1, 2), threads);
  }

  @Test
  void everyRepetitionIsCounted() throws Exception {
    AtomicLong steps = new AtomicLong();
    long counted = Crew.repeat(3, Duration.ofMillis(20), thread -> steps.incrementAndGet());
    assertTrue(counted > 0);
    assertEquals(steps.get(), counted);
  }

  @Test
  void whatAThreadThrowsIsThrown() {
    assertThrows(IOException.class, () -> Crew.each(2, thread -> {
      throw new IOException("gone");
    }));
  }
}
