package dev.bide.bench.frame;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that begin together. The first failure of one is thrown, when all have ended. */
public final class Crew {
  private Crew() {}

  /** What a thread does. */
  public interface Step {
    /** Does it once; {@code thread} counts from 0. */
    void take(int thread) throws Exception;
  }

  /** Lets each of {@code threads} repeat {@code step} until {@code time} is over, and returns how often in all. */
  public static long repeat(int threads, Duration time, Step step) throws Exception {
    return run(threads, thread -> {
      long end = System.nanoTime() + time.toNanos();
      long times = 0;
      for (; System.nanoTime() < end; times++) {
        step.take(thread);
      }
      return times;
    });
  }

  /** Lets each of {@code threads} take {@code step} once, and returns how many there are. */
  public static long each(int threads, Step step) throws Exception {
    return run(threads, thread -> {
      step.take(thread);
      return 1L;
    });
  }

  private interface Part {
    long play(int thread) throws Exception;
  }

  private static long run(int threads, Part part) throws Exception {
    CyclicBarrier begin = new CyclicBarrier(threads);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<Long>> parts = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int thread = i;
        parts.add(() -> {
          begin.await();
          return part.play(thread);
        });
      }
      long sum = 0;
      for (Future<Long> done : pool.invokeAll(parts)) {
        sum += result(done);
      }
      return sum;
    } finally {
      pool.shutdown();
    }
  }

  private static long result(Future<Long> done) throws Exception {
    try {
      return done.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }
}
