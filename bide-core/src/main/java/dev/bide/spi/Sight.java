package dev.bide.spi;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.bide.spi.Scan.Place;
import dev.bide.task.Amount;
import dev.bide.task.Load;
import dev.bide.task.Task;
import dev.bide.task.TaskCounts;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import dev.bide.task.TaskView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How the tasks of a queue are looked at, written once over what a store can read: a part of {@link TaskStore}. Nothing
 * here looks at more than a bounded number of tasks, however many wait. No state of its own.
 */
public final class Sight {
  /** How many tasks one page looks at, at most, for those that are asked for. */
  public static final int MOST_SEARCHED = 10_000;
  /** How many bytes of payloads, about, one page looks at. */
  private static final long MOST_BYTES = 16L * 1024 * 1024;
  /** How many tasks are counted one by one in one call, at most; beyond that a number is marked as the least. */
  public static final long MOST_COUNTED = 100_000;
  private static final int CHUNK = 1_000;

  private Sight() {}

  /** See {@link TaskStore#list}. */
  public static Reply<TaskPage> list(SightRecords records, String queue, TaskQuery query, int limit, String cursor) {
    if (limit < 1) {
      throw new IllegalArgumentException("a page has at least 1 task, got " + limit);
    }
    long now = records.now();
    Scan scan = Scan.of(query, now);
    Optional<Tally> tally = records.tally(queue, 0, query.view() == TaskView.READY ? nextHour(now) : 0);
    if (tally.isEmpty()) {
      return Reply.of(now, new TaskPage(List.of(), Optional.empty(), 0, Amount.exactly(0)));
    }
    Cursor start = cursor.isEmpty()
        ? new Cursor(scan.after(), 0, new Counting(records, queue, tally.get(), new Budget()).of(query.view()))
        : Cursor.parse(cursor, queue, query);
    List<Task> found = new ArrayList<>();
    Place place = start.place;
    long bytes = 0;
    int looked = 0;
    while (true) {
      // Of a page that is full, it is enough to know whether another follows.
      int wanted = found.size() == limit ? 1 : looked == 0 ? Math.min(CHUNK, limit + 1) : CHUNK;
      List<StoredTask> some = records.scan(queue, scan.after(place), wanted);
      for (StoredTask task : some) {
        if (found.size() == limit || looked == MOST_SEARCHED || bytes > MOST_BYTES) {
          Cursor next = new Cursor(place, start.searched + looked, start.of);
          return Reply.of(now, new TaskPage(found, Optional.of(next.text(queue, query)), next.searched, next.of));
        }
        Task seen = task.toTask(now);
        if (query.matches(seen)) {
          found.add(seen);
        }
        place = scan.place(task);
        bytes += task.payload.size();
        looked++;
      }
      if (some.isEmpty()) {
        return Reply.of(now, new TaskPage(found, Optional.empty(), start.searched + looked, start.of));
      }
    }
  }

  /** See {@link TaskStore#counts}. */
  public static Reply<List<TaskCounts>> counts(SightRecords records, List<String> queues) {
    List<TaskCounts> counts = new ArrayList<>();
    Budget budget = new Budget();
    for (String queue : queues) {
      Tally tally = records.tally(queue, 0, nextHour(records.now())).orElseGet(Tally::new);
      Counting counting = new Counting(records, queue, tally, budget);
      counts.add(new TaskCounts(queue, Instant.ofEpochMilli(records.now()), tally.of(TaskView.WAITING),
          counting.of(TaskView.READY), tally.of(TaskView.RETRY),
          tally.of(TaskView.PROCESSING), counting.of(TaskView.LAPSED),
          tally.of(TaskView.PAUSED), tally.of(TaskView.COMPLETED), tally.of(TaskView.FAILED),
          tally.of(TaskView.CANCELLED)));
    }
    return Reply.of(records.now(), counts);
  }

  /** See {@link TaskStore#load}. */
  public static Reply<Load> load(SightRecords records, String queue, long from, long widthMillis, int buckets) {
    if (from < 0 || widthMillis < 1 || buckets < 1 || buckets > Load.MOST
        || widthMillis > (Long.MAX_VALUE - from) / buckets) {
      throw new IllegalArgumentException("a load has 1 to " + Load.MOST
          + " buckets of at least 1 ms from the epoch on, got " + buckets + " of " + widthMillis + " from " + from);
    }
    Tally tally = records.tally(queue, from / Tally.HOUR_MILLIS, nextHour(from + buckets * widthMillis))
        .orElseGet(Tally::new);
    Counting counting = new Counting(records, queue, tally, new Budget());
    List<Amount> amounts = new ArrayList<>(buckets);
    for (int i = 0; i < buckets; i++) {
      amounts.add(counting.waiting(from + i * widthMillis, from + (i + 1) * widthMillis));
    }
    return Reply.of(records.now(), new Load(queue, Instant.ofEpochMilli(records.now()), Instant.ofEpochMilli(from),
        Duration.ofMillis(widthMillis), amounts));
  }

  private static long nextHour(long moment) {
    return moment / Tally.HOUR_MILLIS + 1;
  }

  /** Counts with the counters what they tell, and the rest one by one, as long as it is not too much. */
  private static final class Counting {
    private final SightRecords records;
    private final String queue;
    private final Tally tally;
    private final Budget budget;

    Counting(SightRecords records, String queue, Tally tally, Budget budget) {
      this.records = records;
      this.queue = queue;
      this.tally = tally;
      this.budget = budget;
    }

    Amount of(TaskView view) {
      return switch (view) {
        case READY -> waiting(0, records.now() + 1);
        case LAPSED -> tally.of(TaskView.PROCESSING) == 0
            ? Amount.exactly(0)
            : budget.count(0, limit -> records.lapsed(queue, limit));
        default -> Amount.exactly(tally.of(view));
      };
    }

    /** Whole hours come from the counters; what is left at both ends is counted. */
    Amount waiting(long from, long until) {
      long first = -Math.floorDiv(-from, Tally.HOUR_MILLIS);
      long end = Math.floorDiv(until, Tally.HOUR_MILLIS);
      if (first > end) {
        return withinAnHour(0, from, until);
      }
      Amount begun = withinAnHour(tally.waiting(first, end), from, first * Tally.HOUR_MILLIS);
      Amount ended = withinAnHour(begun.count(), end * Tally.HOUR_MILLIS, until);
      return new Amount(ended.count(), begun.exact() && ended.exact());
    }

    private Amount withinAnHour(long known, long from, long until) {
      long hour = Math.floorDiv(from, Tally.HOUR_MILLIS);
      return from >= until || tally.waiting(hour, hour + 1) == 0
          ? Amount.exactly(known)
          : budget.count(known, limit -> records.waiting(queue, from, until, limit));
    }
  }

  /** What one call may still count one by one. */
  private static final class Budget {
    private long left = MOST_COUNTED;

    /** Returns what is known and what is counted, up to a limit. */
    Amount count(long known, LongUnaryOperator upTo) {
      if (left == 0) {
        return Amount.atLeast(known);
      }
      long counted = upTo.applyAsLong(left + 1);
      boolean exact = counted <= left;
      long taken = Math.min(counted, left);
      left -= taken;
      return new Amount(known + taken, exact);
    }
  }

  /** A place in a list, how many tasks had been looked at there, and how many there were when it began. */
  private record Cursor(Place place, long searched, Amount of) {
    private static final String VERSION = "1";

    String text(String queue, TaskQuery query) {
      String plain = String.join(" ", VERSION, sign(queue, query), Long.toString(searched),
          Long.toString(of.count()), Boolean.toString(of.exact()), Long.toString(place.moment()),
          Long.toString(place.seq()), place.id());
      return Base64.getUrlEncoder().withoutPadding().encodeToString(plain.getBytes(UTF_8));
    }

    static Cursor parse(String text, String queue, TaskQuery query) {
      @Nullable
      RuntimeException cause = null;
      try {
        String[] parts = new String(Base64.getUrlDecoder().decode(text), UTF_8).split(" ", 8);
        if (parts.length == 8 && parts[0].equals(VERSION) && parts[1].equals(sign(queue, query))) {
          return new Cursor(new Place(Long.parseLong(parts[5]), Long.parseLong(parts[6]), parts[7]),
              Long.parseLong(parts[2]), new Amount(Long.parseLong(parts[3]), Boolean.parseBoolean(parts[4])));
        }
      } catch (IllegalArgumentException e) {
        cause = e;
      }
      throw new IllegalArgumentException("this cursor does not continue this list of queue=" + queue
          + "; hand back the one that its last page has given, with the same query", cause);
    }

    /** Tells lists apart, lest a cursor be handed to another one. */
    private static String sign(String queue, TaskQuery query) {
      return Integer.toHexString((queue + ' ' + query).hashCode());
    }
  }
}
