package dev.bide.bench.timers;

import dev.bide.timer.HierarchicalWheel;
import dev.bide.timer.IndexedHeap;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Who is measured. */
enum Library {
  WHEEL("HierarchicalWheel", slots -> new Engine(new HierarchicalWheel(), slots)), HEAP("IndexedHeap",
      slots -> new Engine(new IndexedHeap(), slots)), TIMER("Timer", Front::new), DELAY_QUEUE("DelayQueue",
          JdkDelayQueue::new), STPE("ScheduledThreadPoolExecutor", JdkExecutor::threadPool), FORK_JOIN("ForkJoinPool",
              JdkExecutor::forkJoinPool), NETTY("Netty HashedWheelTimer",
                  Netty::new), AGRONA("Agrona DeadlineTimerWheel", Agrona::new), KAFKA("Kafka SystemTimer", Kafka::new);

  /** Our timer queues, the one that is used by default first. */
  static final List<Library> ENGINES = List.of(WHEEL, HEAP);
  static final List<Library> PEERS = available(DELAY_QUEUE, STPE, FORK_JOIN, NETTY, AGRONA, KAFKA);
  /** Those whose own threads call callbacks. */
  static final List<Library> THREADED_PEERS = available(STPE, FORK_JOIN, NETTY, KAFKA);

  final String words;
  private final IntFunction<Clockwork> maker;

  Library(String words, IntFunction<Clockwork> maker) {
    this.words = words;
    this.maker = maker;
  }

  private static List<Library> available(Library... wanted) {
    Predicate<Library> there = library -> library != FORK_JOIN || JdkExecutor.forkJoinPoolSchedules();
    return Stream.of(wanted).filter(there).toList();
  }

  /** Returns its name in the name of a goal. */
  String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Starts it anew, with so many slots. */
  Clockwork start(int slots) {
    return maker.apply(slots);
  }
}
