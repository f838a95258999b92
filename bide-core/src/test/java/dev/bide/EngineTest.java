package dev.bide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.Host;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The engine's thread goes on whatever is done to it. */
class EngineTest {
  private final LogCapture log = new LogCapture();
  private final Threads threads = new Threads("engine-test");
  private final Engine engine = new Engine(MemoryTaskStore.create(), threads);

  @BeforeEach
  void start() {
    engine.start();
  }

  @AfterEach
  void end() {
    engine.end();
    log.close();
  }

  private void stillWorks() {
    CountDownLatch ran = new CountDownLatch(1);
    engine.post(ran::countDown);
    Await.latch(ran);
  }

  @Test
  void aStepThatThrowsAnythingStopsNothing() {
    engine.post(() -> {
      throw new IllegalStateException("for a test");
    });
    engine.post(() -> {
      throw new AssertionError("for a test");
    });
    engine.post(() -> {
      throw new OutOfMemoryError("for a test");
    });
    stillWorks();
    assertEquals(1, log.messages().size(), "the first of many");
  }

  @Test
  void aDutyThatThrowsStopsNoOther() {
    AtomicInteger turns = new AtomicInteger();
    engine.add((now, out) -> {
      throw new StackOverflowError("for a test");
    });
    engine.add((now, out) -> {
      turns.incrementAndGet();
      return Duty.NEVER;
    });
    Await.until("a turn", () -> turns.get() > 0);
    int before = turns.get();
    engine.post(() -> {});
    Await.until("another turn", () -> turns.get() > before);
  }

  @Test
  void anInterruptDoesNotMakeItSpin() {
    AtomicInteger turns = new AtomicInteger();
    engine.add((now, out) -> {
      turns.incrementAndGet();
      return Duty.NEVER;
    });
    engine.post(() -> Thread.currentThread().interrupt());
    stillWorks();
    int before = turns.get();
    Host.pause(100_000_000);
    assertTrue(turns.get() - before < 10, "turns in 100 ms: " + (turns.get() - before));
  }

  @Test
  void aFloodOfStepsDoesNotKeepTheDutiesFromTheirTurn() {
    AtomicBoolean flooding = new AtomicBoolean(true);
    AtomicInteger turns = new AtomicInteger();
    engine.add((now, out) -> {
      turns.incrementAndGet();
      return Duty.NEVER;
    });
    Await.until("it begins", () -> turns.get() > 0);
    Runnable[] again = new Runnable[1];
    again[0] = () -> {
      if (flooding.get()) {
        engine.post(again[0]);
      }
    };
    engine.post(again[0]);
    int before = turns.get();
    Await.until("turns go on", () -> turns.get() > before + 3);
    flooding.set(false);
  }

  @Test
  void whatIsPostedAfterTheEndRunsOnTheThreadThatPostsIt() {
    engine.end();
    Thread[] ran = new Thread[1];
    engine.post(() -> ran[0] = Thread.currentThread());
    assertEquals(Thread.currentThread(), ran[0]);
    threads.callbacks().execute(() -> ran[0] = null);
    assertEquals(null, ran[0]);
  }

  @Test
  void nothingPostedAroundTheEndIsLost() {
    for (int round = 0; round < 200; round++) {
      Engine brief = new Engine(MemoryTaskStore.create(), new Threads("brief"));
      brief.start();
      CountDownLatch ran = new CountDownLatch(50);
      Thread poster = Await.thread(() -> {
        for (int i = 0; i < 50; i++) {
          brief.post(ran::countDown);
        }
      });
      brief.end();
      Await.join(poster);
      Await.latch(ran);
    }
  }

  @Test
  void endingTwiceIsHarmless() {
    assertTimeoutPreemptively(Await.LONG, () -> {
      engine.end();
      engine.end();
    });
  }
}
