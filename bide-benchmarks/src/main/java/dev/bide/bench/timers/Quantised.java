package dev.bide.bench.timers;

import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import dev.bide.timer.HashedWheel;
import dev.bide.timer.TimerQueue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;

/** How late timers are that a hashed wheel rounds up to its ticks, beside queues that do not round. */
final class Quantised {
  private static final long[] DELAYS = LongStream.of(30, 70, 120, 260, 380, 430).map(TimeUnit.MILLISECONDS::toNanos)
      .toArray();
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int SLOTS = 8;

  private Quantised() {}

  static void measure(Run run) throws Exception {
    run.doing("quantisation");
    List<String> columns = new ArrayList<>(List.of(""));
    LongStream.of(DELAYS).forEach(delay -> columns.add(delay / 1_000_000 + " ms"));
    columns.add("mean");
    Table table = new Table("how many ms late each delay is, with " + SLOTS + " slots of 50 ms and without",
        columns.toArray(String[]::new));
    row(table, "HashedWheel, virtual time", inVirtualTime(rounding()));
    row(table, "HashedWheel", inRealTime(rounding()));
    for (Library engine : Library.ENGINES) {
      if (engine.queue().spec().exact()) {
        row(table, engine.words, inRealTime(engine.queue()));
      }
    }
    row(table, Library.DELAY_QUEUE.words, delayQueue());
    run.print(table);
  }

  private static TimerQueue rounding() {
    return new HashedWheel(0, TICK_NANOS, SLOTS);
  }

  private static void row(Table table, String words, double[] late) {
    List<String> cells = new ArrayList<>(List.of(words));
    DoubleStream.of(late).forEach(nanos -> cells.add(Table.number(nanos / 1e6)));
    cells.add(Table.number(Arrays.stream(late).average().orElseThrow() / 1e6));
    table.row(cells.toArray(String[]::new));
  }

  static double[] inVirtualTime(TimerQueue queue) {
    double[] late = scheduled(queue);
    while (queue.size() > 0) {
      long now = queue.nextDeadline();
      queue.drain(now, DELAYS.length, (handle, deadline, cookie) -> late[(int) cookie] = now - deadline);
    }
    return late;
  }

  private static double[] inRealTime(TimerQueue queue) {
    long start = System.nanoTime();
    double[] late = scheduled(queue);
    while (queue.size() > 0) {
      LockSupport.parkNanos(queue.nextDeadline() - (System.nanoTime() - start));
      queue.drain(System.nanoTime() - start, DELAYS.length,
          (handle, deadline, cookie) -> late[(int) cookie] = System.nanoTime() - start - deadline);
    }
    return late;
  }

  private static double[] scheduled(TimerQueue queue) {
    for (int i = 0; i < DELAYS.length; i++) {
      queue.schedule(DELAYS[i], i);
    }
    return new double[DELAYS.length];
  }

  private static double[] delayQueue() throws InterruptedException {
    DelayQueue<JdkDelayQueue.Element> queue = new DelayQueue<>();
    long start = System.nanoTime();
    for (long delay : DELAYS) {
      queue.add(new JdkDelayQueue.Element(start + delay, Callback.NOTHING));
    }
    double[] late = new double[DELAYS.length];
    for (int i = 0; i < DELAYS.length; i++) {
      late[i] = -queue.take().getDelay(TimeUnit.NANOSECONDS);
    }
    return late;
  }
}
