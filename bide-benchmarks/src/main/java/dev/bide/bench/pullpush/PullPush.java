package dev.bide.bench.pullpush;

import dev.bide.bench.frame.Benchmark;
import dev.bide.bench.frame.Disk;
import dev.bide.bench.frame.Figures;
import dev.bide.bench.frame.Folder;
import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Pull, push and what lies between, on the embedded store: lateness, calls while idle, and a burst. */
public final class PullPush implements Benchmark {
  private static final double MEGABYTE = 1e6;

  private final @Nullable Sizes sizes;

  /** With the sizes that the run asks for. */
  public PullPush() {
    this(null);
  }

  /** With these sizes, whatever the run asks for. */
  PullPush(@Nullable Sizes sizes) {
    this.sizes = sizes;
  }

  @Override
  public String name() {
    return "pull-push";
  }

  @Override
  public String about() {
    return "pull, push and hybrid on the SQLite store: lateness, calls while idle, a tenfold burst";
  }

  @Override
  public void measure(Run run) throws Exception {
    Sizes wanted = sizes != null ? sizes : run.full() ? Sizes.FULL : Sizes.REDUCED;
    run.say("tasks    payloads of " + Site.PAYLOAD_BYTES + " B, due times drawn evenly, seed "
        + Site.SEED);
    Table idle = new Table("idle, " + wanted.far() + " tasks due in a month; " + wanted.idle().toSeconds() + " s",
        "", "store calls a second", "of which");
    Table steady = new Table(
        "200 a second, from due to the begin of work that takes no time; " + wanted.steady().toSeconds()
            + " s, scheduled ahead",
        "", "tasks", "p50", "p99", "most", "early", "exchanges a task");
    Table burst = new Table(
        "burst, ten times that for " + wanted.burst().toSeconds() + " s, and the steady rate goes on;"
            + " work takes " + Site.WORK.toMillis() + " ms, by " + Mode.THREADS + " threads, by twice as many"
            + " where hybrid and late",
        "", "due and not claimed, most", "claimed and not settled, most", "credit",
        "heap before", "heap at the height", "worked off after", "done a second", "early");
    for (Mode mode : Mode.values()) {
      measure(run, wanted, mode, idle, steady, burst);
    }
    run.print(idle);
    run.print(steady);
    run.print(burst);
  }

  private static void measure(Run run, Sizes sizes, Mode mode, Table idle, Table steady, Table burst)
      throws Exception {
    String name = mode.name().toLowerCase(Locale.ROOT);
    try (Folder folder = run.folder(name); Site site = new Site(folder.file("tasks.db"), mode)) {
      run.doing(mode.words + ": idle");
      site.scheduleFar(sizes.far());
      Map<String, Double> calls = site.idle(sizes.idle());
      double all = calls.values().stream().mapToDouble(Double::doubleValue).sum();
      idle.row(mode.words, Table.number(all), words(calls));

      run.doing(mode.words + ": steady");
      site.steady(sizes.steady().dividedBy(4));
      Figures before = Disk.syncMillis(folder.path());
      Site.Steady quiet = site.steady(sizes.steady());
      Figures sync = before.and(Disk.syncMillis(folder.path()));
      Figures late = quiet.lateMillis();
      steady.row(mode.words, "" + late.count(), millis(late.median()), millis(late.percentile(99)),
          millis(late.most()), "" + quiet.early(), Table.number(quiet.exchanges() / (double) late.count()));

      run.doing(mode.words + ": burst");
      Site.Burst rush = site.burst(sizes.burst());
      burst.row(mode.words, "" + rush.waiting(), "" + rush.held(), "" + mode.most,
          megabytes(rush.heapBefore()), megabytes(rush.heapAtHeight()),
          Table.number(rush.workedOffMillis() / 1e3) + " s", Table.number(rush.rate()), "" + rush.early());

      if (site.tooSlow()) {
        burst.note(mode.words + ": tasks came due before the last was scheduled; the machine is too slow");
      }
      run.goal(Goal.atMost(name + "-early", quiet.early() + rush.early(), 0, ""));
      run.goal(Goal.atMost(name + "-held", rush.held(), mode.most, ""));
      run.goal(Goal.atMost(name + "-heap-growth", (rush.heapAtHeight() - rush.heapBefore()) / MEGABYTE,
          sizes.heapGrowth(), "MB"));
      if (mode != Mode.POLL) {
        run.goal(Goal.atMost(name + "-idle-calls", all, 1.5, "/s"));
        run.goal(Goal.atMost(name + "-p50", late.median(), 1 + 2 * sync.median(), "ms"));
        run.goal(Goal.atMost(name + "-p99", late.percentile(99), 10 + 2 * sync.percentile(99), "ms"));
      }
    }
  }

  private static String words(Map<String, Double> calls) {
    StringBuilder words = new StringBuilder();
    calls.forEach((call, rate) -> words.append(words.isEmpty() ? "" : ", ").append(call).append(' ')
        .append(Table.number(rate)));
    return words.toString();
  }

  private static String millis(double millis) {
    return Table.number(millis) + " ms";
  }

  private static String megabytes(long bytes) {
    return Table.number(bytes / MEGABYTE) + " MB";
  }
}
