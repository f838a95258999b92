package dev.bide.timer;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.bide.timer.Await.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Threads schedule, move and cancel timers while these come due: each is called once or cancelled, and none early.
 * Short by default, longer with {@code -Dbide.long=true}.
 */
class TimerStressTest {
  private static final int THREADS = 3;
  private static final int TIMERS = Boolean.getBoolean("bide.long") ? 2_000_000 : 20_000;
  private static final int LONGEST_NANOS = 2_000_000;

  private final AtomicInteger called = new AtomicInteger();
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

  @Test
  void eachIsCalledOnceOrCancelledOnTheTicker() throws Exception {
    play(Timer.on(Runnable::run));
  }

  @Test
  void eachIsCalledOnceOrCancelledByThreads() throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(2);
    try {
      play(Timer.on(executor).stripes(2).batch(8));
    } finally {
      executor.shutdown();
    }
  }

  @Test
  void eachIsCalledOnceOrCancelledThoughTheExecutorRefuses() throws Exception {
    AtomicInteger offers = new AtomicInteger();
    Executor refusing = batch -> {
      if (offers.incrementAndGet() % 3 == 0) {
        throw new RejectedExecutionException("every third time");
      }
      batch.run();
    };
    play(Timer.on(refusing).stripes(1));
  }

  @Test
  void aPeriodicTaskThatRunsAtOnceCanBeCancelled() {
    try (Timer timer = Timer.on(Runnable::run).start()) {
      ScheduledExecutorService service = timer.asExecutorService();
      for (int i = 0; i < TIMERS; i++) {
        AtomicInteger runs = new AtomicInteger();
        ScheduledFuture<?> task = service.scheduleAtFixedRate(runs::incrementAndGet, 0, 1, TimeUnit.HOURS);
        while (runs.get() == 0) {
          Thread.onSpinWait();
        }
        task.cancel(false);
        // It may just be on its way to be scheduled again.
        Await.until("it is no timer any more", () -> timer.pending() == 0);
      }
    }
  }

  private void play(TimerBuilder with) throws Exception {
    try (Timer timer = with.start()) {
      List<Call<Integer>> others = IntStream.range(0, THREADS).mapToObj(i -> Await.call(() -> use(timer, i))).toList();
      int cancelled = 0;
      for (Call<Integer> other : others) {
        cancelled += other.result();
      }
      int expected = THREADS * TIMERS - cancelled;
      Await.until("all are called", () -> called.get() >= expected);
      assertEquals(0, timer.pending());
      assertEquals(expected, called.get());
      assertEquals(List.of(), List.copyOf(wrong));
    }
  }

  /** Returns how many it cancelled. What is scheduled is due before it is cancelled, or soon after. */
  private int use(Timer timer, int seed) {
    Random random = new Random(seed);
    List<Callback> callbacks = new ArrayList<>();
    int cancelled = 0;
    for (int i = 0; i < TIMERS; i++) {
      int delay = random.nextInt(LONGEST_NANOS);
      Callback callback = new Callback(System.nanoTime() + delay);
      callback.handle = timer.schedule(delay, NANOSECONDS, callback);
      callbacks.add(callback);
      Callback other = callbacks.get(Math.max(0, i - random.nextInt(1_000)));
      switch (random.nextInt(4)) {
        case 0 -> cancelled += other.cancel(timer) ? 1 : 0;
        case 1 -> timer.move(other.handle, other.later(LONGEST_NANOS), NANOSECONDS);
        default -> {
        }
      }
    }
    return cancelled;
  }

  private final class Callback implements Runnable {
    private final long notBefore;
    private final AtomicInteger calls = new AtomicInteger();
    private long handle;
    private volatile boolean cancelled;

    private Callback(long notBefore) {
      this.notBefore = notBefore;
    }

    /** Returns a delay that ends no earlier than the one it has, which may be what counts when it is moved too late. */
    long later(int nanos) {
      return Math.max(notBefore - System.nanoTime(), 0) + nanos;
    }

    boolean cancel(Timer timer) {
      boolean now = timer.cancel(handle);
      if (now && (cancelled || calls.get() > 0)) {
        wrong.add("cancelled when it was called or cancelled before");
      }
      cancelled |= now;
      return now;
    }

    @Override
    public void run() {
      if (System.nanoTime() - notBefore < 0) {
        wrong.add("early");
      }
      if (cancelled) {
        wrong.add("called though it was cancelled");
      }
      if (calls.incrementAndGet() > 1) {
        wrong.add("called twice");
      }
      called.incrementAndGet();
    }
  }
}
