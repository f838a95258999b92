package dev.bide.bench.embedded;

import dev.bide.Claim;
import dev.bide.Outcome;
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
import java.util.concurrent.atomic.AtomicLong;

/**
 * How long after its due time the handler of a task begins, by the wall clock. The store's clock follows that by small
 * steps, so early is who begins before the store's time, or more than a millisecond before the wall clock's. Tasks are
 * scheduled ahead, so that only claims and settlements share the disk.
 */
final class Lateness {
  private static final long HEAD_START_MILLIS = 500;
  private static final long SCHEDULED_A_SECOND = 4_000;

  private final Queue<Double> lateMillis = new ConcurrentLinkedQueue<>();
  private final AtomicLong early = new AtomicLong();

  private Lateness() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    Table table = new Table("lateness, from due to the begin of a handler that does nothing, default settings; "
        + sizes.lateness().toSeconds() + " s, due times drawn evenly, scheduled ahead", "due a second", "tasks", "p50",
        "p99", "p99.9", "most", "early", "sync p50", "sync p99", "cost of a task");
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
    new Lateness().play(run, length.dividedBy(4), rate, new Table("warm-up"));
    Figures before = Disk.syncMillis(run.root());
    Lateness lateness = new Lateness();
    Work work = lateness.play(run, length, rate, table);
    Figures sync = before.and(Disk.syncMillis(run.root()));
    Figures late = Figures.of(lateness.lateMillis);
    table.row("" + rate, "" + late.count(), millis(late.median()), millis(late.percentile(99)),
        millis(late.percentile(99.9)), millis(late.most()), "" + lateness.early, millis(sync.median()),
        millis(sync.percentile(99)), work.cost());
    return new Result(late, sync, lateness.early.get());
  }

  /** Lets {@code rate} tasks a second come due, after time enough to schedule them. */
  private Work play(Run run, Duration length, int rate, Table table) throws Exception {
    int tasks = (int) (length.toMillis() * rate / 1_000);
    Completed completed = new Completed(tasks);
    try (Folder folder = run.folder("lateness"); Ours ours = Ours.at(folder.file("ours.db"), completed)) {
      ours.queue().handle(this::note);
      Instant first = Instant.now().plusMillis(HEAD_START_MILLIS + tasks * 1_000L / SCHEDULED_A_SECOND);
      Supply.of(0, first.toEpochMilli(), length).batches(tasks).forEach(ours::schedule);
      if (Instant.now().isAfter(first)) {
        table.note("at " + rate + " a second the first was due before the last was scheduled: the machine is too slow");
      }
      return Work.of(ours.meter(), completed::await);
    }
  }

  private Outcome note(Claim<byte[]> claim) {
    double late = ChronoUnit.MICROS.between(claim.dueAt(), Instant.now()) / 1e3;
    lateMillis.add(late);
    if (late < -1 || claim.claimedAt().isBefore(claim.dueAt())) {
      early.incrementAndGet();
    }
    return Outcome.done();
  }

  private static String millis(double millis) {
    return Table.number(millis) + " ms";
  }
}
