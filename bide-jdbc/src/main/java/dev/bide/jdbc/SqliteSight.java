package dev.bide.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.bide.jdbc.SqliteSql.Ended;
import dev.bide.spi.Scan;
import dev.bide.spi.Scan.Place;
import dev.bide.spi.SightRecords;
import dev.bide.spi.StoredTask;
import dev.bide.spi.Tally;
import dev.bide.task.Due;
import dev.bide.task.TaskQuery.Order;
import dev.bide.task.TaskState;
import dev.bide.task.TaskView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** What a transaction that reads lets see of an SQLite file. */
final class SqliteSight implements SightRecords {
  /** How many bytes of payloads, about, are read at once. */
  private static final long MOST_BYTES = 4L * 1024 * 1024;
  private static final List<Integer> WAITING = List.of(StoredTask.ORDINARY, StoredTask.SUSPECT, StoredTask.GRAVE);
  private static final List<Integer> PROCESSING = List.of(StoredTask.HELD);
  private static final List<Integer> ALL = IntStream.range(0, StoredTask.LANES).boxed().toList();
  /** It sorts behind all that may follow a prefix, and is in no id itself. */
  private static final String LAST = Character.toString(Character.MAX_CODE_POINT);

  private final Session session;
  private final long now;

  SqliteSight(Session session, long now) {
    this.session = session;
    this.now = now;
  }

  @Override
  public long now() {
    return now;
  }

  @Override
  public Optional<Tally> tally(String queue, long firstHour, long endHour) {
    return SqliteRecords.findQueue(session, queue)
        .map(known -> SqliteCounters.read(session, known.number(), firstHour, endHour));
  }

  @Override
  public long waiting(String queue, long from, long until, long limit) {
    return count(queue, WAITING, from, until, limit);
  }

  @Override
  public long lapsed(String queue, long limit) {
    return count(queue, PROCESSING, 0, now + 1, limit);
  }

  private long count(String name, List<Integer> lanes, long from, long until, long limit) {
    SqliteRecords.Queue queue = SqliteRecords.queue(session, name);
    return session.rows(SqliteSql.COUNT, row -> row.getLong(1), queue.number(), JsonArray.ofNumbers(lanes),
        shards(queue), from, until, limit).get(0);
  }

  private static String shards(SqliteRecords.Queue queue) {
    return JsonArray.ofNumbers(IntStream.range(0, queue.settings().shards()).boxed().toList());
  }

  /** Rows are read one by one, since a few large ones are enough. */
  @Override
  public List<StoredTask> scan(String name, Scan scan, int limit) {
    SqliteRecords.Queue queue = SqliteRecords.queue(session, name);
    List<StoredTask> tasks = new ArrayList<>();
    long bytes = 0;
    for (Range.Row row : Range.merged(ranges(queue, scan), scan.after(), order(scan), limit)) {
      if (bytes > MOST_BYTES) {
        break;
      }
      StoredTask task = read(row, name);
      tasks.add(task);
      bytes += task.payload.size();
    }
    return tasks;
  }

  private StoredTask read(Range.Row row, String queue) {
    Ended table = row.table();
    return (table == null
        ? session.row(SqliteSql.LIVE_BY_SEQ, task -> TaskRow.live(task, queue), row.key())
        : session.row(table.whole, life -> TaskRow.ended(life, queue), row.key())).orElseThrow();
  }

  private static Comparator<Place> order(Scan scan) {
    if (scan.order() == Order.ID) {
      return Comparator.<Place, byte[]>comparing(place -> place.id().getBytes(UTF_8), Arrays::compareUnsigned)
          .thenComparing(Comparator.comparingLong(Place::seq).reversed());
    }
    Comparator<Place> ascending = Comparator.comparingLong(Place::moment).thenComparingLong(Place::seq);
    return scan.view().finished() ? ascending.reversed() : ascending;
  }

  private List<Range> ranges(SqliteRecords.Queue queue, Scan scan) {
    if (scan.view().finished()) {
      return tables(scan.view()).stream().flatMap(table -> ended(table, queue.number(), scan).stream()).toList();
    }
    return switch (scan.order()) {
      case MOMENT -> byMoment(queue, scan);
      case ID -> List.of((after, limit) -> session.rows(SqliteSql.LIVE_IDS,
          row -> new Range.Row(new Place(0, row.getLong(2), row.getString(1)), null, row.getLong(2)), queue.number(),
          after.id(), after.seq(), scan.idPrefix() + LAST, limit));
      case TAG -> List.of((after, limit) -> session.rows(SqliteSql.TAGGED, row -> live(0, row.getLong(1)),
          queue.number(), tag(scan), after.seq(), limit));
    };
  }

  private static String tag(Scan scan) {
    return requireNonNull(scan.tag()).toString();
  }

  private static Range.Row live(long moment, long seq) {
    return new Range.Row(new Place(moment, seq, ""), null, seq);
  }

  // Live tasks by their moment.

  private List<Range> byMoment(SqliteRecords.Queue queue, Scan scan) {
    return switch (scan.view()) {
      case WAITING, READY -> lanes(queue, WAITING, scan);
      case PROCESSING, LAPSED -> lanes(queue, PROCESSING, scan);
      case RETRY -> List.of((after, limit) -> session.rows(SqliteSql.TO_RETRY,
          row -> live(row.getLong(1), row.getLong(2)), queue.number(), after.moment(), after.seq(), scan.until(),
          limit));
      case PAUSED -> List.of(paused(queue));
      default -> {
        List<Range> ranges = new ArrayList<>(lanes(queue, ALL, scan));
        if (scan.paused()) {
          ranges.add(paused(queue));
        }
        yield ranges;
      }
    };
  }

  private List<Range> lanes(SqliteRecords.Queue queue, List<Integer> lanes, Scan scan) {
    return session.rows(SqliteSql.LANES_IN_USE, row -> lane(queue, row.getInt(1), row.getInt(2), scan.until()),
        queue.number(), JsonArray.ofNumbers(lanes), shards(queue), scan.after().moment(), scan.until());
  }

  private Range lane(SqliteRecords.Queue queue, int lane, int shard, long until) {
    return (after, limit) -> session.rows(SqliteSql.LANE, row -> live(row.getLong(1), row.getLong(2)), queue.number(),
        lane, shard, after.moment(), after.seq(), until, limit);
  }

  /** They have no moment, and stand behind all that have one. */
  private Range paused(SqliteRecords.Queue queue) {
    return (after, limit) -> session.rows(SqliteSql.PAUSED, row -> live(Due.NEVER, row.getLong(1)), queue.number(),
        after.moment() == Due.NEVER ? after.seq() : 0, limit);
  }

  // Lives that have ended.

  private static List<Ended> tables(TaskView view) {
    return switch (view) {
      case FINISHED -> List.of(Ended.FINISHED, Ended.FAILED);
      case FAILED -> List.of(Ended.FAILED);
      default -> List.of(Ended.FINISHED);
    };
  }

  private List<Range> ended(Ended table, long queue, Scan scan) {
    return switch (scan.order()) {
      case MOMENT -> table.states.stream().filter(state -> shows(scan.view(), state))
          .<Range>map(state -> (after, limit) -> session.rows(table.byEnd,
              row -> new Range.Row(new Place(row.getLong(1), row.getLong(2), ""), table, row.getLong(3)), queue,
              TaskRow.code(state), after.moment(), after.seq(), scan.from(), limit))
          .toList();
      case ID -> List.of((after, limit) -> session.rows(table.byId,
          row -> new Range.Row(new Place(0, row.getLong(2), row.getString(1)), table, row.getLong(3)), queue,
          after.id(), after.seq(), scan.idPrefix() + LAST, limit));
      case TAG -> List.of((after, limit) -> session.rows(table.byTag,
          row -> new Range.Row(new Place(row.getLong(1), row.getLong(2), ""), table, row.getLong(3)), queue,
          tag(scan), after.moment(), after.seq(), scan.from(), limit));
    };
  }

  private static boolean shows(TaskView view, TaskState state) {
    return view == TaskView.FINISHED || view.name().equals(state.name());
  }
}
