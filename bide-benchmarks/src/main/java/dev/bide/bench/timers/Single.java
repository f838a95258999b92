package dev.bide.bench.timers;

import dev.bide.timer.IndexedHeap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Single operations of a heap, and of an array in no order. JMH calls them once an iteration, {@value #TIMES} in a row.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls setup first
public class Single {
  static final int TIMES = 500;

  /** How many timers there are. */
  @Param("1000")
  public int pending;

  private final Delays delays = new Delays();
  private long[] array;
  private int size;
  private IndexedHeap heap;

  /** Set up by JMH. */
  public Single() {}

  /** Makes both as they are before each iteration. */
  @Setup(Level.Iteration)
  public void fill() {
    array = new long[pending + TIMES];
    size = 0;
    heap = new IndexedHeap();
    for (int i = 0; i < pending; i++) {
      long deadline = delays.next();
      array[size++] = deadline;
      heap.schedule(deadline, i);
    }
  }

  /** Inserts. */
  @Benchmark
  public void arrayInsert() {
    for (int i = 0; i < TIMES; i++) {
      array[size++] = delays.next();
    }
  }

  /** Inserts. */
  @Benchmark
  public void heapInsert() {
    for (int i = 0; i < TIMES; i++) {
      heap.schedule(delays.next(), i);
    }
  }

  /** Takes the first. */
  @Benchmark
  public void arrayTake() {
    for (int i = 0; i < TIMES; i++) {
      int first = first();
      array[first] = array[--size];
    }
  }

  /** Takes the first. */
  @Benchmark
  public void heapTake() {
    for (int i = 0; i < TIMES; i++) {
      heap.drain(Long.MAX_VALUE, 1, (handle, deadline, cookie) -> {});
    }
  }

  /** Looks at the first. */
  @Benchmark
  public long arrayPeek() {
    long sum = 0;
    for (int i = 0; i < TIMES; i++) {
      // So that it has to look again.
      array[i]++;
      sum += array[first()];
    }
    return sum;
  }

  /** Looks at the first. */
  @Benchmark
  public long heapPeek() {
    long sum = 0;
    for (int i = 0; i < TIMES; i++) {
      sum += heap.nextDeadline();
    }
    return sum;
  }

  private int first() {
    int first = 0;
    for (int i = 1; i < size; i++) {
      if (array[i] < array[first]) {
        first = i;
      }
    }
    return first;
  }
}
