package dev.bide.timer;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.timer.Await.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Many threads put, cancel and move, others take, poll and are interrupted: nothing is lost, nothing comes twice,
 * nothing early, and nobody sleeps on. Short by default, longer with {@code -Dbide.long=true}.
 */
class BlockingTimerQueueStressTest {
  private static final int PRODUCERS = 3;
  private static final int TAKERS = 4;
  private static final int ELEMENTS = Boolean.getBoolean("bide.long") ? 500_000 : 10_000;
  private static final int LONGEST_NANOS = 1_000_000;

  /** What is put: it may leave once, at {@link #notBefore} at the earliest. */
  private static final class Element {
    final AtomicInteger left = new AtomicInteger();
    volatile long notBefore;
  }

  private final AtomicInteger gone = new AtomicInteger();
  private volatile boolean over;

  static Stream<Supplier<TimerQueue>> engines() {
    return Stream.of(IndexedHeap::new, HierarchicalWheel::new, () -> new HierarchicalWheel(30));
  }

  @ParameterizedTest
  @MethodSource("engines")
  void eachElementLeavesOnceAndNotBeforeItsTime(Supplier<TimerQueue> engine) throws Exception {
    BlockingTimerQueue<Element> queue = new BlockingTimerQueue<>(engine.get());
    List<Call<Object>> takers = IntStream.range(0, TAKERS).mapToObj(i -> Await.call(() -> take(queue, i))).toList();
    List<Call<List<Element>>> producers = IntStream.range(0, PRODUCERS)
        .mapToObj(i -> Await.call(() -> produce(queue, i)))
        .toList();
    Random random = new Random();
    while (gone.get() < PRODUCERS * ELEMENTS && takers.stream().noneMatch(Call::ended)) {
      if (producers.stream().allMatch(Call::ended)) {
        // No help any more for one that sleeps too long.
        Await.until("all have left", () -> gone.get() == PRODUCERS * ELEMENTS);
      }
      takers.get(random.nextInt(TAKERS)).thread.interrupt();
      Thread.onSpinWait();
    }
    over = true;
    for (Call<Object> taker : takers) {
      taker.thread.interrupt();
      taker.result();
    }
    for (Call<List<Element>> producer : producers) {
      producer.result().forEach(element -> assertEquals(1, element.left.get()));
    }
    assertEquals(0, queue.size());
  }

  private List<Element> produce(BlockingTimerQueue<Element> queue, int seed) {
    Random random = new Random(seed);
    List<Element> elements = new ArrayList<>();
    for (int i = 0; i < ELEMENTS; i++) {
      Element element = new Element();
      elements.add(element);
      int delay = random.nextInt(LONGEST_NANOS);
      element.notBefore = System.nanoTime() + delay;
      long handle = queue.put(element, delay, NANOSECONDS);
      switch (random.nextInt(4)) {
        case 0 -> {
          if (queue.cancel(handle)) {
            left(element);
          }
        }
        case 1 -> move(queue, element, handle, random.nextInt(LONGEST_NANOS));
        default -> {
        }
      }
    }
    return elements;
  }

  private static void move(BlockingTimerQueue<Element> queue, Element element, long handle, int delay) {
    long before = element.notBefore;
    long after = System.nanoTime() + delay;
    element.notBefore = before - after < 0 ? before : after;
    if (queue.move(handle, delay, NANOSECONDS)) {
      element.notBefore = after;
    }
  }

  private Object take(BlockingTimerQueue<Element> queue, int seed) {
    Random random = new Random(seed);
    while (!over) {
      try {
        Element element = switch (random.nextInt(4)) {
          case 0 -> queue.poll();
          case 1 -> queue.poll(random.nextInt(LONGEST_NANOS), NANOSECONDS);
          default -> queue.take();
        };
        if (element != null) {
          assertTrue(System.nanoTime() - element.notBefore >= 0, "early");
          left(element);
        }
      } catch (InterruptedException e) {
        // Comes back, unless it is over.
      }
    }
    return over;
  }

  private void left(Element element) {
    element.left.incrementAndGet();
    gone.incrementAndGet();
  }
}
