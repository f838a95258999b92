package dev.bide.bench.timers;

import dev.bide.timer.BinaryHeap;
import dev.bide.timer.HashedWheel;
import dev.bide.timer.HierarchicalWheel;
import dev.bide.timer.IndexedHeap;
import dev.bide.timer.TieredHeap;
import dev.bide.timer.TimerQueue;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Who is measured. */
enum Library {
  /** Ours by default. */
  WHEEL("HierarchicalWheel", () -> new HierarchicalWheel()),
  /** In order all the time. */
  HEAP("IndexedHeap", () -> new IndexedHeap()),
  /** The textbook's. */
  BINARY_HEAP("BinaryHeap", () -> new BinaryHeap()),
  /** With buckets of about a second. */
  TIERED_HEAP("TieredHeap", () -> new TieredHeap(1 << 30)),
  /** With ticks of about a millisecond, and a turn of 17 seconds. */
  HASHED_WHEEL("HashedWheel", () -> new HashedWheel(0, 1 << 20, 1 << 14)),
  /** Our thread-safe one, over the default. */
  TIMER("Timer", Front::new),
  /** No library. */
  BARE("a loop over a sorted array", Bare::new),
  /** The JDK's queue. */
  DELAY_QUEUE("DelayQueue", JdkDelayQueue::new),
  /** The JDK's executor. */
  STPE("ScheduledThreadPoolExecutor", JdkExecutor::threadPool),
  /** The JDK's from Java 25 on. */
  FORK_JOIN("ForkJoinPool", JdkExecutor::forkJoinPool),
  /** One ring, and a thread. */
  NETTY("Netty HashedWheelTimer", Netty::new),
  /** One ring, for a loop. */
  AGRONA("Agrona DeadlineTimerWheel", Agrona::new),
  /** Rings in a hierarchy, and threads. */
  KAFKA("Kafka SystemTimer", Kafka::new);

  /** Our timer queues, the one that is used by default first. */
  static final List<Library> ENGINES = Stream.of(values()).filter(library -> library.queues != null).toList();
  static final List<Library> PEERS = available(DELAY_QUEUE, STPE, FORK_JOIN, NETTY, AGRONA, KAFKA);
  /** Those whose own threads call callbacks. */
  static final List<Library> THREADED_PEERS = available(STPE, FORK_JOIN, NETTY, KAFKA);

  final String words;
  private final @Nullable Supplier<TimerQueue> queues;
  private final IntFunction<Clockwork> clockworks;

  Library(String words, Supplier<TimerQueue> queues) {
    this.words = words;
    this.queues = queues;
    clockworks = slots -> new Engine(queues.get(), slots);
  }

  Library(String words, IntFunction<Clockwork> clockworks) {
    this.words = words;
    queues = null;
    this.clockworks = clockworks;
  }

  private static List<Library> available(Library... wanted) {
    return Stream.of(wanted).filter(library -> library != FORK_JOIN || JdkExecutor.forkJoinPoolSchedules()).toList();
  }

  /** Starts it anew, with so many slots. */
  Clockwork start(int slots) {
    return clockworks.apply(slots);
  }

  /** Makes one of our timer queues. */
  TimerQueue queue() {
    if (queues == null) {
      throw new IllegalArgumentException(words + " is no timer queue of ours");
    }
    return queues.get();
  }

  /** Returns its name in the name of a goal. */
  String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
