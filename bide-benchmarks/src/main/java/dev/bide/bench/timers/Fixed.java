package dev.bide.bench.timers;

import dev.bide.bench.frame.Child;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import dev.bide.timer.TimerQueue;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

/** What our timer queues keep of the heap while nothing is pending: before, and after much has come and gone. */
final class Fixed {
  private static final String EMPTY = "empty-bytes";
  private static final String AFTER = "after-bytes";
  private static final int QUEUES = 64;

  private Fixed() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    Table table = new Table("heap of a timer queue with 0 pending", "", "new", "after " + sizes.many()
        + " came and went");
    for (Library engine : Library.ENGINES) {
      run.doing("fixed heap of " + engine.words);
      Map<String, Double> found = Apart.FIXED.play(sizes, engine, sizes.many(), Duration.ZERO);
      table.row(engine.words, kilobytes(found, EMPTY), kilobytes(found, AFTER));
    }
    run.print(table);
  }

  private static String kilobytes(Map<String, Double> found, String bytes) {
    return Table.number(found.getOrDefault(bytes, Double.NaN) / 1e3) + " KB";
  }

  static Map<String, Double> play(Library library, int timers, Duration time) {
    comeAndGo(library.queue(), 1_000);
    long before = Child.heapInUse();
    TimerQueue[] queues = Stream.generate(library::queue).limit(QUEUES).toArray(TimerQueue[]::new);
    double empty = (double) (Child.heapInUse() - before) / QUEUES;
    long beforeThat = Child.heapInUse();
    comeAndGo(queues[0], timers);
    return Map.of(EMPTY, empty, AFTER, empty + Child.heapInUse() - beforeThat);
  }

  private static void comeAndGo(TimerQueue queue, int timers) {
    Delays delays = new Delays();
    long[] handles = new long[timers];
    for (int timer = 0; timer < timers; timer++) {
      handles[timer] = queue.schedule(delays.next(), timer);
    }
    for (long handle : handles) {
      queue.cancel(handle);
    }
    // Some let go of what was cancelled when they come by.
    queue.drain(Delays.LEAST_NANOS, Integer.MAX_VALUE, (handle, deadline, cookie) -> {});
  }
}
