package dev.bide.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.task.Amount;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import dev.bide.task.TaskCounts;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import dev.bide.task.TaskState;
import dev.bide.task.TaskView;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Where looking ends so that it does not take too long. */
class SightTest {
  private static final long HOUR = Tally.HOUR_MILLIS;
  private static final String QUEUE = "q";

  /** So many waiting tasks as seqs, all due at the start of the second hour, with payloads of one size. */
  private static final class Many implements SightRecords {
    final long tasks;
    final Payload payload;
    long now;
    long read;
    int counted;
    long found;

    Many(long tasks, int bytes) {
      this.tasks = tasks;
      payload = Payload.of(new byte[bytes]);
    }

    @Override
    public long now() {
      return now;
    }

    @Override
    public Optional<Tally> tally(String queue, long firstHour, long endHour) {
      Tally tally = new Tally();
      LongStream.rangeClosed(1, tasks).forEach(seq -> tally.move(null, task(seq).spot()));
      return Optional.of(tally);
    }

    @Override
    public List<StoredTask> scan(String queue, Scan scan, int limit) {
      List<StoredTask> some = LongStream.rangeClosed(scan.after().seq() + 1, tasks).limit(limit).mapToObj(this::task)
          .toList();
      read += some.size();
      return some;
    }

    private StoredTask task(long seq) {
      StoredTask task = new StoredTask(QUEUE, "t" + seq, seq, 0, payload, 0, null);
      task.state = TaskState.WAITING;
      task.nextAt = HOUR;
      return task;
    }

    @Override
    public long waiting(String queue, long from, long until, long limit) {
      counted++;
      long some = from <= HOUR && HOUR < until ? Math.min(tasks, limit) : 0;
      found += some;
      return some;
    }

    @Override
    public long lapsed(String queue, long limit) {
      return 0;
    }
  }

  private static TaskPage page(Many many, TaskQuery query, int limit, String cursor) {
    return Sight.list(many, QUEUE, query, limit, cursor).value();
  }

  @Test
  void aPageReadsLittleMoreThanItShows() {
    Many many = new Many(5_000, 0);
    assertEquals(20, page(many, TaskQuery.of(TaskView.LIVE), 20, "").tasks().size());
    assertEquals(21, many.read);
  }

  @Test
  void aSearchEndsItsPageAfterSoManyTasks() {
    Many many = new Many(Sight.MOST_SEARCHED + 1, 0);
    TaskQuery query = TaskQuery.of(TaskView.LIVE).text("x");
    TaskPage first = page(many, query, 1, "");
    assertEquals(Sight.MOST_SEARCHED, first.searched());
    TaskPage second = page(many, query, 1, first.next().orElseThrow());
    assertEquals(Sight.MOST_SEARCHED + 1, second.searched());
    assertEquals(Optional.empty(), second.next());
  }

  @Test
  void aPageEndsBeforeItsPayloadsFillTheMemory() {
    Many many = new Many(200, 256 * 1024);
    TaskPage page = page(many, TaskQuery.of(TaskView.LIVE), 200, "");
    assertEquals(65, page.tasks().size(), "16 MiB, and the one that went beyond");
    assertTrue(page.next().isPresent());
  }

  @Test
  void whatIsTooMuchToCountIsAtLeastThat() {
    Many few = new Many(100_000, 0);
    Many many = new Many(100_001, 0);
    long minute = 60_000;
    assertEquals(List.of(Amount.exactly(100_000)), Sight.load(few, QUEUE, HOUR, minute, 1).value().buckets());
    assertEquals(List.of(Amount.atLeast(100_000)), Sight.load(many, QUEUE, HOUR, minute, 1).value().buckets());
    assertEquals(List.of(Amount.exactly(100_001)), Sight.load(many, QUEUE, HOUR, HOUR, 1).value().buckets(),
        "a whole hour is counted already");
    many.now = HOUR;
    assertEquals(Amount.atLeast(100_000), Sight.counts(many, List.of(QUEUE)).value().get(0).ready());
    many.now = 2 * HOUR;
    assertEquals(Amount.exactly(100_001), Sight.counts(many, List.of(QUEUE)).value().get(0).ready());
  }

  @Test
  void whatOneCallCountsIsBoundedHoweverManyQueuesItIsAskedFor() {
    Many many = new Many(60_000, 0);
    many.now = HOUR;
    List<Amount> ready = Sight.counts(many, List.of("one", "two", "three")).value().stream().map(TaskCounts::ready)
        .toList();
    assertEquals(List.of(Amount.exactly(60_000), Amount.atLeast(40_000), Amount.atLeast(0)), ready);
    assertEquals(100_000 + 1, many.found, "one more tells that there are more");
    assertEquals(2, many.counted, "nothing is looked for any more");
  }

  @Test
  void aListCountsOnItsFirstPageOnly() {
    Many many = new Many(10, 0);
    many.now = HOUR;
    TaskPage first = page(many, TaskQuery.of(TaskView.READY), 4, "");
    TaskPage second = page(many, TaskQuery.of(TaskView.READY), 4, first.next().orElseThrow());
    assertEquals(Amount.exactly(10), second.of());
    assertEquals(1, many.counted);
  }

  @Test
  void aMomentBetweenTwoMillisecondsIsRoundedUp() {
    Scan scan = Scan.of(TaskQuery.of(TaskView.LIVE).between(Instant.ofEpochMilli(5).plusNanos(1),
        Instant.ofEpochMilli(9).plusNanos(1)), 0);
    assertEquals(6, scan.from());
    assertEquals(10, scan.until());
    assertEquals(Due.NEVER, Scan.of(TaskQuery.of(TaskView.LIVE), 0).until());
    assertTrue(Scan.of(TaskQuery.of(TaskView.LIVE), 0).paused());
  }
}
