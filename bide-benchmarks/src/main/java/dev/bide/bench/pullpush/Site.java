package dev.bide.bench.pullpush;

import dev.bide.Bide;
import dev.bide.Claim;
import dev.bide.Entry;
import dev.bide.Outcome;
import dev.bide.QueueSpec;
import dev.bide.TaskEvent;
import dev.bide.TaskQueue;
import dev.bide.bench.frame.Calls;
import dev.bide.bench.frame.Child;
import dev.bide.bench.frame.Figures;
import dev.bide.delay.When;
import dev.bide.sqlite.SqliteStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/** A queue on a file, one consumer, and what there is to count about them. Used by one thread. */
final class Site implements AutoCloseable {
  static final long SEED = 42;
  /** Enough to be seen in the heap, were the backlog there. */
  static final int PAYLOAD_BYTES = 2_000;
  static final Duration WORK = Duration.ofMillis(12);

  private static final int RATE = 200;
  private static final int BATCH = 1_000;
  /** How many times its length a burst takes to be worked off, about: (2,000 - 333) / (333 - 200), and some more. */
  private static final int TAIL = 20;
  private static final long PATIENCE_NANOS = 300_000_000_000L;

  private final Calls calls = new Calls();
  private final Bide bide;
  private final TaskQueue<byte[]> queue;
  private final Consumer consumer;
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final AtomicLong claimed = new AtomicLong();
  private final AtomicLong completed = new AtomicLong();
  private final AtomicLong early = new AtomicLong();
  private final AtomicInteger mostHeld = new AtomicInteger();
  private final Queue<Double> lateMillis = new ConcurrentLinkedQueue<>();
  private volatile boolean busy;
  private long scheduled;
  private double millisToSchedule;
  private boolean tooSlow;

  /** Opens the file, and lets a consumer begin. */
  Site(Path file, Mode mode) {
    bide = Bide.on(calls.of(SqliteStore.at(file))).listener(this::count).start();
    queue = bide
        .queue(QueueSpec.of("bench", byte[].class).handlers(mode == Mode.CREDIT ? 2 * Mode.THREADS : Mode.THREADS));
    consumer = new Consumer(queue, mode, this::work);
  }

  private void count(TaskEvent event) {
    switch (event.kind()) {
      case CLAIMED -> {
        int held = (int) (claimed.incrementAndGet() - completed.get());
        mostHeld.accumulateAndGet(held, Math::max);
      }
      case COMPLETED -> completed.incrementAndGet();
      default -> {
      }
    }
  }

  private Outcome work(Claim<byte[]> claim) throws InterruptedException {
    if (claim.claimedAt().isBefore(claim.dueAt())) {
      early.incrementAndGet();
    }
    if (busy) {
      Thread.sleep(WORK.toMillis());
    } else {
      lateMillis.add(ChronoUnit.MICROS.between(claim.dueAt(), Instant.now()) / 1e3);
    }
    return Outcome.done();
  }

  /** Schedules tasks that will not come due, and learns how long that takes. */
  void scheduleFar(int tasks) {
    long begun = System.nanoTime();
    long month = Instant.now().plus(Duration.ofDays(30)).toEpochMilli();
    schedule(LongStream.range(0, tasks).map(i -> month + i).toArray());
    millisToSchedule = (System.nanoTime() - begun) / 1e6 / tasks;
  }

  private void schedule(long[] dueAt) {
    for (int from = 0; from < dueAt.length; from += BATCH) {
      List<Entry<byte[]>> batch = new ArrayList<>();
      for (int i = from; i < Math.min(from + BATCH, dueAt.length); i++) {
        batch.add(Entry.of("t" + scheduled++, new byte[PAYLOAD_BYTES], When.at(Instant.ofEpochMilli(dueAt[i]))));
      }
      queue.scheduleAll(batch);
    }
  }

  /** Schedules them before the first is due, if the machine is not too slow. */
  private void scheduleAhead(long[] dueAt) {
    schedule(dueAt);
    tooSlow |= System.currentTimeMillis() >= dueAt[0];
  }

  /** Returns whether tasks came due before the last of them was scheduled. */
  boolean tooSlow() {
    return tooSlow;
  }

  /** Returns when to begin, so that there is time to schedule so many tasks. */
  private long begin(int tasks) {
    return System.currentTimeMillis() + 500 + (long) (3 * tasks * millisToSchedule);
  }

  /** Returns due times drawn evenly from a span. */
  private LongStream drawn(long fromMillis, Duration span, int rate) {
    return random.longs(span.toMillis() * rate / 1_000, fromMillis, fromMillis + span.toMillis());
  }

  /** Returns how often a second each method of the store is called while nothing is due. */
  Map<String, Double> idle(Duration length) throws InterruptedException {
    Thread.sleep(length.toMillis() / 4);
    Map<String, Long> before = calls.counts();
    long begun = System.nanoTime();
    Thread.sleep(length.toMillis());
    double seconds = (System.nanoTime() - begun) / 1e9;
    Map<String, Double> rates = new TreeMap<>();
    calls.counts().forEach((call, count) -> {
      long more = count - before.getOrDefault(call, 0L);
      if (more > 0) {
        rates.put(call, more / seconds);
      }
    });
    return rates;
  }

  /** What a steady load found. */
  record Steady(Figures lateMillis, long early, long exchanges) {}

  /** Lets tasks come due at the steady rate, with work that takes no time. */
  Steady steady(Duration length) throws Exception {
    int tasks = (int) (length.toMillis() * RATE / 1_000);
    long end = completed.get() + tasks;
    scheduleAhead(drawn(begin(tasks), length, RATE).sorted().toArray());
    lateMillis.clear();
    early.set(0);
    long exchanges = calls.counts().getOrDefault("exchange", 0L);
    long patience = patience(length);
    while (completed.get() < end) {
      pause(patience, end - completed.get());
    }
    return new Steady(Figures.of(lateMillis), early.get(), calls.counts().getOrDefault("exchange", 0L) - exchanges);
  }

  private static long patience(Duration length) {
    return System.nanoTime() + length.toNanos() + PATIENCE_NANOS;
  }

  private static void pause(long patience, long left) throws Exception {
    if (System.nanoTime() - patience > 0) {
      throw new TimeoutException(left + " tasks are left");
    }
    Thread.sleep(10);
  }

  /**
   * What a burst found.
   *
   * @param waiting most tasks that were due and not claimed
   * @param held most tasks that were claimed and not settled
   * @param heapBefore bytes in use before it, when the tasks were scheduled
   * @param heapAtHeight bytes in use at its end
   * @param workedOffMillis from its end until none waited but those there was no credit for
   * @param rate tasks completed a second from its begin until then
   */
  record Burst(long waiting, int held, long heapBefore, long heapAtHeight, long workedOffMillis, double rate,
      long early) {}

  /** Lets ten times as many tasks come due for a while, with work that takes its time, beside the steady load. */
  Burst burst(Duration length) throws Exception {
    busy = true;
    lateMillis.clear();
    early.set(0);
    Duration steady = length.multipliedBy(2 + TAIL);
    int tasks = (int) ((steady.toMillis() + length.toMillis() * 9) * RATE / 1_000);
    long begin = begin(tasks);
    long burst = begin + length.toMillis();
    long burstEnd = burst + length.toMillis();
    long[] dueAt = LongStream.concat(drawn(begin, steady, RATE), drawn(burst, length, 9 * RATE)).sorted().toArray();
    scheduleAhead(dueAt);
    long heapBefore = Child.heapInUse();
    long before = claimed.get();
    long patience = patience(Duration.ofMillis(burstEnd - System.currentTimeMillis()));
    while (System.currentTimeMillis() < burst) {
      pause(patience, tasks);
    }
    mostHeld.set(0);
    long completedBefore = completed.get();
    long heapAtHeight = -1;
    long mostWaiting = 0;
    int due = 0;
    while (true) {
      long now = System.currentTimeMillis();
      while (due < dueAt.length && dueAt[due] <= now) {
        due++;
      }
      long waiting = due - (claimed.get() - before);
      mostWaiting = Math.max(mostWaiting, waiting);
      if (now >= burstEnd && heapAtHeight < 0) {
        heapAtHeight = Child.heapInUse();
      } else if (now >= burstEnd && waiting <= Mode.THREADS) {
        double seconds = (now - burst) / 1e3;
        return new Burst(mostWaiting, mostHeld.get(), heapBefore, heapAtHeight, now - burstEnd,
            (completed.get() - completedBefore) / seconds, early.get());
      }
      pause(patience, waiting);
    }
  }

  @Override
  public void close() {
    consumer.close();
    bide.close();
  }
}
