package dev.bide.bench.embedded;

import dev.bide.Claim;
import dev.bide.Outcome;
import dev.bide.TaskEvent;
import dev.bide.bench.frame.Disk;
import dev.bide.bench.frame.Figures;
import dev.bide.bench.frame.Folder;
import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import dev.bide.bench.frame.Work;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How long after its due time the handler of a task begins, by the wall clock. Tasks are scheduled ahead, so that only
 * claims and settlements share the disk.
 */
final class Lateness {
  private static final long HEAD_START_MILLIS = 500;
  private static final long SCHEDULED_A_SECOND = 4_000;
  private static final long PATIENCE_SECONDS = 60;

  private Lateness() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    Table table = new Table("lateness, from due to the begin of a handler that does nothing, default settings; "
        + sizes.lateness().toSeconds() + " s, due times drawn evenly, scheduled ahead", "due a second",
        "tasks", "p50", "p99", "p99.9", "most", "early", "sync p50", "sync p99", "cost of a task");
    Result slow = measure(run, sizes.lateness(), 200, table);
    run.goal(Goal.atMost("lateness-200-p50", slow.lateMillis.median(), 1 + 2 * slow.syncMillis.median(), "ms"));
    run.goal(Goal.atMost("lateness-200-p99", slow.lateMillis.percentile(99), 10 + 2 * slow.syncMillis.percentile(99),
        "ms"));
    Result fast = measure(run, sizes.lateness(), 5_000, table);
    run.goal(Goal.atMost("lateness-5000-p99", fast.lateMillis.percentile(99), 50, "ms"));
    run.goal(Goal.atMost("lateness-early", slow.early + fast.early, 0, ""));
    run.print(table);
  }

  private record Result(Figures lateMillis, Figures syncMillis, long early) {}

  private static Result measure(Run run, Duration length, int rate, Table table) throws Exception {
    run.doing("lateness at " + rate + " tasks a second");
    try (Folder folder = run.folder("lateness"); Handled handled = new Handled(folder)) {
      handled.play(length.dividedBy(4), rate);
      handled.forget();
      Figures before = Disk.syncMillis(folder.path());
      Work work = handled.play(length, rate);
      Figures sync = before.and(Disk.syncMillis(folder.path()));
      Figures late = Figures.of(handled.lateMillis);
      table.row("" + rate, "" + late.count(), millis(late.median()), millis(late.percentile(99)),
          millis(late.percentile(99.9)), millis(late.most()), "" + handled.early, millis(sync.median()),
          millis(sync.percentile(99)), work.cost());
      return new Result(late, sync, handled.early.get());
    }
  }

  private static String millis(double millis) {
    return Table.number(millis) + " ms";
  }

  /** A queue whose handler notes when it was called. */
  private static final class Handled implements AutoCloseable {
    private final Ours ours;
    private final Queue<Double> lateMillis = new ConcurrentLinkedQueue<>();
    private final AtomicLong early = new AtomicLong();
    private long scheduled;
    private volatile CountDownLatch open = new CountDownLatch(0);

    Handled(Folder folder) {
      ours = Ours.at(folder.file("ours.db"), event -> {
        if (event.kind() == TaskEvent.Kind.COMPLETED) {
          open.countDown();
        }
      });
      ours.queue().handle(this::note);
    }

    private Outcome note(Claim<byte[]> claim) {
      lateMillis.add(ChronoUnit.MICROS.between(claim.dueAt(), Instant.now()) / 1e3);
      if (claim.claimedAt().isBefore(claim.dueAt())) {
        early.incrementAndGet();
      }
      return Outcome.done();
    }

    /** Lets {@code rate} tasks a second come due, after time enough to schedule them. */
    Work play(Duration length, int rate) throws Exception {
      int tasks = (int) (length.toMillis() * rate / 1_000);
      Instant first = Instant.now().plusMillis(HEAD_START_MILLIS + tasks * 1_000L / SCHEDULED_A_SECOND);
      open = new CountDownLatch(tasks);
      Supply.of(scheduled, first.toEpochMilli(), length).batches(tasks).forEach(ours::schedule);
      scheduled += tasks;
      if (Instant.now().isAfter(first)) {
        throw new IllegalStateException(
            "too slow: the first of " + tasks + " tasks was due before the last was scheduled");
      }
      return Work.of(ours.meter(), () -> {
        if (!open.await(length.toSeconds() + PATIENCE_SECONDS, TimeUnit.SECONDS)) {
          throw new TimeoutException(open.getCount() + " of " + tasks + " tasks are not completed");
        }
        return tasks;
      });
    }

    void forget() {
      lateMillis.clear();
    }

    @Override
    public void close() {
      ours.close();
    }
  }
}
