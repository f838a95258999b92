package dev.bide.bench.timers;

import dev.bide.bench.frame.Meter;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Pairs of a cancel and a schedule beside many pending timers. JMH calls it once an iteration, for a <em>shot</em>: as
 * many pairs as fit in a time, and the wait until the library's own thread has done its part, which so cannot be
 * hidden.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls setup first
public class Pair {
  static final int WINDOW = 1 << 10;
  private static final int BLOCK = 1 << 6;
  private static final int MOST_THREADS = 2;
  private static final LongSupplier CPU_NANOS = Meter.here(() -> -1).cpuNanos();

  /** The name of a {@link Library}. */
  @Param("WHEEL")
  public String library;
  /** How many timers are pending besides those of the windows. */
  @Param("1000")
  public int pending;
  /** For how long pairs are done in a shot. */
  @Param("10")
  public int shotMillis;

  private Clockwork clockwork;

  /** Set up by JMH. */
  public Pair() {}

  /** Makes timers pending. */
  @Setup(Level.Trial)
  public void load() throws InterruptedException {
    clockwork = Library.valueOf(library).start(pending + MOST_THREADS * WINDOW);
    clockwork.fill(pending + MOST_THREADS * WINDOW);
  }

  /** Ends the library's threads. */
  @TearDown(Level.Trial)
  public void close() {
    clockwork.close();
  }

  /** What one thread does. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.OPERATIONS)
  public static class Hand {
    /** How many pairs were done. */
    public long pairs;
    /** The time of processors that all threads took together; it is told by the first. */
    public long cpuNanos;

    private final Delays delays = new Delays();
    private int thread;
    private int window;

    /** Set up by JMH. */
    public Hand() {}

    /** Finds the thread its own window. */
    @Setup(Level.Trial)
    public void take(ThreadParams threads) {
      thread = threads.getThreadIndex();
    }

    int next(int pending) {
      window = window + 1 & WINDOW - 1;
      return pending + thread * WINDOW + window;
    }
  }

  /** Each timer is cancelled {@value #WINDOW} schedules later. */
  @Benchmark
  public void window(Hand hand) throws InterruptedException {
    shoot(hand, this::window64);
  }

  /** Timers are cancelled at random. For one thread. */
  @Benchmark
  public void random(Hand hand) throws InterruptedException {
    shoot(hand, this::random64);
  }

  private interface Block {
    void play(Hand hand);
  }

  private void shoot(Hand hand, Block block) throws InterruptedException {
    long cpuNanos = CPU_NANOS.getAsLong();
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(shotMillis);
    do {
      block.play(hand);
      hand.pairs += BLOCK;
      clockwork.turn();
    } while (System.nanoTime() < end);
    clockwork.keepUp();
    if (hand.thread == 0) {
      hand.cpuNanos += CPU_NANOS.getAsLong() - cpuNanos;
    }
  }

  private void window64(Hand hand) {
    for (int i = 0; i < BLOCK; i++) {
      replace(hand.next(pending), hand);
    }
  }

  private void random64(Hand hand) {
    for (int i = 0; i < BLOCK; i++) {
      replace(hand.delays.below(pending), hand);
    }
  }

  private void replace(int slot, Hand hand) {
    clockwork.cancel(slot);
    clockwork.schedule(slot, hand.delays.next(), Callback.NOTHING);
  }
}
