package dev.bide.jdbc;

import static java.util.Objects.requireNonNull;

import dev.bide.jdbc.SqliteSql.Ended;
import dev.bide.spi.QueuePause;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Records;
import dev.bide.spi.Rules;
import dev.bide.spi.StoredTask;
import dev.bide.spi.Tally;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import dev.bide.task.Tag;
import dev.bide.task.TaskId;
import dev.bide.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The records of one transaction on SQLite.
 *
 * <p>Rows are read many at a time and kept, so that a task is one object however it is found. Changes are gathered and
 * written many at a time: before a statement that would miss them, and at the end, by {@link #flush}.
 */
final class SqliteRecords implements Records {
  private final Session session;
  private final long now;
  private final SqliteCounters counters;
  private long seq;
  private boolean seqGiven;
  private Object @Nullable [] touched;
  private final Map<String, Queue> queuesByName = new HashMap<>();
  private final Map<Long, Queue> queuesByNumber = new HashMap<>();
  private final Map<Long, Known> known = new HashMap<>();
  private final Set<StoredTask> added = new LinkedHashSet<>();
  private final Set<StoredTask> changed = new LinkedHashSet<>();
  private final Set<StoredTask> claimed = new LinkedHashSet<>();

  private SqliteRecords(Session session, long seq, long now, byte[] counted) {
    this.session = session;
    this.now = now;
    this.seq = seq;
    counters = new SqliteCounters(session, counted);
  }

  /** The records of a transaction that begins here; its now is not before {@code now}, nor before one in the file. */
  static SqliteRecords begin(Session session, long now) {
    return session.rows(SqliteSql.BEGIN,
        row -> new SqliteRecords(session, row.getLong(1), row.getLong(2), row.getBytes(3)), now).get(0);
  }

  @Override
  public long now() {
    return now;
  }

  @Override
  public QueueSettings settings(String queue) {
    return queue(queue).settings;
  }

  @Override
  public QueuePause pause(String queue) {
    return queue(queue).pause;
  }

  @Override
  public long nextSeq() {
    seqGiven = true;
    return ++seq;
  }

  @Override
  public Map<String, StoredTask> live(String queue, Collection<String> ids) {
    write();
    Map<String, StoredTask> found = new HashMap<>();
    for (StoredTask task : rows(SqliteSql.LIVE_BY_IDS, queue(queue).number, JsonArray.ofTexts(ids))) {
      found.put(task.id, task);
    }
    return found;
  }

  @Override
  public Map<Long, StoredTask> live(Collection<Long> seqs) {
    write();
    if (seqs.isEmpty()) {
      return Map.of();
    }
    Map<Long, StoredTask> found = new HashMap<>();
    session.claimed().checkVersion(session);
    for (long seq : seqs) {
      StoredTask task = session.claimed().take(seq);
      if (task != null) {
        found.put(seq, known(task));
      }
    }
    if (found.size() < seqs.size()) {
      List<Long> others = seqs.stream().filter(seq -> !found.containsKey(seq)).toList();
      rows(SqliteSql.LIVE_BY_SEQS, JsonArray.ofNumbers(others)).forEach(task -> found.put(task.seq, task));
    }
    return found;
  }

  private List<StoredTask> rows(String sql, Object... values) {
    return session.rows(sql, this::task, values);
  }

  private StoredTask task(ResultSet row) throws SQLException {
    long seq = row.getLong(1);
    Known found = known.get(seq);
    if (found != null) {
      return found.task;
    }
    session.claimed().take(seq);
    return known(TaskRow.live(row, queue(row.getLong(2)).settings.name()));
  }

  private StoredTask known(StoredTask task) {
    known.put(task.seq, new Known(task, task.spot()));
    return task;
  }

  @Override
  public Map<String, TaskState> latestFinished(String queue, Collection<String> ids) {
    if (ids.isEmpty()) {
      return Map.of();
    }
    write();
    Map<String, TaskState> states = new HashMap<>();
    Map<String, Long> seqs = new HashMap<>();
    for (Ended table : Ended.values()) {
      session.rows(table.latest, row -> {
        String id = row.getString(1);
        long found = row.getLong(2);
        if (found > seqs.getOrDefault(id, 0L)) {
          seqs.put(id, found);
          states.put(id, TaskRow.state(row.getInt(3)));
        }
        return id;
      }, queue(queue).number, JsonArray.ofTexts(ids));
    }
    return states;
  }

  /** A life that ended in this transaction is known, so nothing need be written first. */
  @Override
  public Optional<FinishedLife> finished(String queue, String id, long seq) {
    Known found = known.get(seq);
    if (found != null && found.task.queue.equals(queue) && found.task.id.equals(id)) {
      StoredTask task = found.task;
      return task.state.finished() ? Optional.of(new FinishedLife(task.state, task.token)) : Optional.empty();
    }
    for (Ended table : Ended.values()) {
      Optional<FinishedLife> life = session.row(table.life,
          row -> new FinishedLife(TaskRow.state(row.getInt(1)), row.getLong(2)), queue(queue).number, id, seq);
      if (life.isPresent()) {
        return life;
      }
    }
    return Optional.empty();
  }

  @Override
  public List<StoredTask> due(String queue, Set<Integer> shards, int lane, int limit) {
    write();
    long number = queue(queue).number;
    Collection<Integer> worthLooking = worthLooking(number, shards, lane);
    if (worthLooking.size() == 1) {
      return rows(SqliteSql.DUE_WHOLE, number, lane, worthLooking.iterator().next(), now, limit);
    }
    List<Place> due = new ArrayList<>();
    for (int shard : worthLooking) {
      due.addAll(session.rows(SqliteSql.DUE, row -> new Place(row.getLong(1), row.getLong(2)), number, lane, shard, now,
          limit));
    }
    due.sort(Place.ORDER);
    List<Long> seqs = due.stream().limit(limit).map(Place::seq).toList();
    Map<Long, StoredTask> tasks = live(seqs);
    return seqs.stream().map(tasks::get).toList();
  }

  /** Among many shards most have nothing due, and one statement tells them. */
  private Collection<Integer> worthLooking(long queue, Set<Integer> shards, int lane) {
    return shards.size() == 1
        ? shards
        : session.rows(SqliteSql.DUE_SHARDS, row -> row.getInt(1), queue, lane, JsonArray.ofNumbers(shards), now);
  }

  @Override
  public long nextMoment(String queue, Set<Integer> shards) {
    write();
    return session.rows(SqliteSql.NEXT_MOMENT, row -> {
      long next = row.getLong(1);
      return row.wasNull() ? Due.NEVER : next;
    }, queue(queue).number, JsonArray.ofNumbers(shards), now).get(0);
  }

  @Override
  public void add(StoredTask task) {
    added.add(task);
    known.put(task.seq, new Known(task, null));
  }

  @Override
  public void changed(StoredTask task) {
    claimed.remove(task);
    if (!added.contains(task)) {
      changed.add(task);
    }
  }

  @Override
  public void claimed(StoredTask task) {
    if (added.contains(task) || changed.contains(task)) {
      changed(task);
    } else {
      claimed.add(task);
    }
  }

  @Override
  public Optional<StoredTask> deadLetter(String queue, String id) {
    write();
    return session.row(Ended.FAILED.latestWhole, row -> TaskRow.ended(row, queue), queue(queue).number,
        JsonArray.ofTexts(List.of(id)));
  }

  /** Its end is the moment at which it was revived now, and was another in the table that it leaves. */
  @Override
  public void revived(StoredTask dead) {
    long queue = queue(dead.queue).number;
    long endedAt = session.row(Ended.FAILED.delete, row -> row.getLong(1), queue, dead.id, dead.seq).orElseThrow();
    deleteTags(Ended.FAILED, tagsOf(queue, dead.tags, endedAt, dead.seq));
    insertEnded(Ended.FINISHED, List.of(dead));
    counters.of(queue).revived();
  }

  /** See {@link dev.bide.spi.TaskStore#prune}. */
  int prune(String name, int limit) {
    Queue queue = queue(name);
    int finished = prune(Ended.FINISHED, queue.number, queue.settings.retentionMillis(), limit);
    int failed = prune(Ended.FAILED, queue.number, queue.settings.deadRetentionMillis(), limit - finished);
    session.update(SqliteSql.PRUNE_STREAMS, now - Rules.KEPT_MILLIS);
    return finished + failed;
  }

  private int prune(Ended table, long queue, long retentionMillis, int limit) {
    List<List<Object[]>> dropped = session.rows(table.prune, row -> {
      TaskState state = TaskRow.state(row.getInt(1));
      counters.of(queue).dropped(state, table == Ended.FINISHED && state == TaskState.FAILED, 1);
      return tagsOf(queue, TaskRow.tags(row.getString(4)), row.getLong(2), row.getLong(3));
    }, queue, now - Math.max(retentionMillis, Rules.KEPT_MILLIS), limit);
    deleteTags(table, dropped.stream().flatMap(List::stream).toList());
    return dropped.size();
  }

  private void deleteTags(Ended table, List<Object[]> tags) {
    session.batch(table.deleteTag, tags, each -> each);
  }

  private static List<Object[]> tagsOf(long queue, List<Tag> tags, long endedAt, long seq) {
    return tags.stream().map(tag -> new Object[]{queue, tag.toString(), endedAt, seq}).toList();
  }

  /** A stream that is only read is used as well, and so kept. */
  @Override
  public Optional<Remembered> remembered(String node, String stream) {
    touched = new Object[]{node, stream, now};
    return session.row(SqliteSql.REMEMBERED, row -> new Remembered(row.getLong(1), Payload.of(row.getBytes(2))), node,
        stream);
  }

  @Override
  public void remember(String node, String stream, Remembered last) {
    touched = null;
    session.update(SqliteSql.REMEMBER, node, stream, last.number(), now, last.answers().bytes());
  }

  /** Writes what is left to write; the last call before the transaction is committed. */
  void flush() {
    write();
    if (counters.flush() || seqGiven) {
      session.update(SqliteSql.END, seq, counters.counted());
    }
    if (touched != null) {
      session.update(SqliteSql.TOUCH, touched);
    }
  }

  /** Writes the changes so far. Lives that end make room first, since a new life may have the id of an old one. */
  private void write() {
    changed.forEach(this::count);
    claimed.forEach(this::count);
    added.forEach(this::count);
    List<StoredTask> ended = all(changed, task -> task.state.finished());
    insertEnded(ended);
    if (!ended.isEmpty()) {
      session.update(SqliteSql.DELETE_LIVE, JsonArray.ofNumbers(ended.stream().map(task -> task.seq).toList()));
      session.batch(SqliteSql.DELETE_TAG, tagsOf(ended), each -> each);
    }
    writeClaimed();
    session.batch(SqliteSql.UPDATE_LIVE, all(changed, task -> !task.state.finished()), TaskRow::updateLive);
    insertEnded(all(added, task -> task.state.finished()));
    List<StoredTask> begun = all(added, task -> !task.state.finished());
    session.batch(SqliteSql.INSERT_PLAIN, all(begun, TaskRow::plainAndNew),
        task -> TaskRow.insertPlain(task, queue(task.queue).number, shard(task)));
    session.batch(SqliteSql.INSERT_LIVE, all(begun, task -> !TaskRow.plainAndNew(task)),
        task -> TaskRow.insertLive(task, queue(task.queue).number, shard(task)));
    session.batch(SqliteSql.INSERT_TAG, tagsOf(begun), each -> each);
    changed.clear();
    added.clear();
  }

  private int shard(StoredTask task) {
    return TaskId.shard(task.slot, queue(task.queue).settings.shards());
  }

  private void count(StoredTask task) {
    Known counted = requireNonNull(known.get(task.seq));
    Tally.Spot spot = task.spot();
    counters.of(queue(task.queue).number).move(counted.spot, spot);
    counted.spot = spot;
  }

  /**
   * What one call hands out is alike but for what counts up, and many values for each would cost more than the change.
   */
  private void writeClaimed() {
    if (claimed.isEmpty()) {
      return;
    }
    session.update(SqliteSql.CLAIM_LIVE, TaskRow.claimLive(claimed.iterator().next(),
        JsonArray.ofNumbers(claimed.stream().map(task -> task.seq).toList())));
    session.claimed().keep(session, claimed);
    claimed.clear();
  }

  private void insertEnded(List<StoredTask> tasks) {
    insertEnded(Ended.FINISHED, all(tasks, task -> task.state != TaskState.FAILED));
    insertEnded(Ended.FAILED, all(tasks, task -> task.state == TaskState.FAILED));
  }

  private void insertEnded(Ended table, List<StoredTask> tasks) {
    session.batch(table.insertPlain, all(tasks, TaskRow::plain),
        task -> TaskRow.insertPlainEnded(task, queue(task.queue).number));
    session.batch(table.insert, all(tasks, task -> !TaskRow.plain(task)),
        task -> TaskRow.insertEnded(task, queue(task.queue).number));
    session.batch(table.insertTag, tasks.stream()
        .flatMap(task -> tagsOf(queue(task.queue).number, task.tags, task.updatedAt, task.seq).stream()).toList(),
        each -> each);
  }

  private List<Object[]> tagsOf(List<StoredTask> live) {
    return live.stream().flatMap(
        task -> task.tags.stream().map(tag -> new Object[]{queue(task.queue).number, tag.toString(), task.seq}))
        .toList();
  }

  private static List<StoredTask> all(Collection<StoredTask> tasks, Predicate<StoredTask> condition) {
    return tasks.stream().filter(condition).toList();
  }

  /**
   * Returns a queue with its number.
   *
   * @throws IllegalArgumentException if it is not defined
   */
  Queue queue(String name) {
    Queue queue = queuesByName.get(name);
    return queue != null ? queue : kept(queue(session, name));
  }

  private Queue queue(long number) {
    Queue queue = queuesByNumber.get(number);
    return queue != null ? queue : kept(session.row(SqliteSql.QUEUE_BY_NUMBER, Queue::of, number).orElseThrow());
  }

  private Queue kept(Queue queue) {
    queuesByName.put(queue.settings.name(), queue);
    queuesByNumber.put(queue.number, queue);
    return queue;
  }

  static Queue queue(Session session, String name) {
    return findQueue(session, name)
        .orElseThrow(() -> new IllegalArgumentException("queue=" + name + " is not defined"));
  }

  static Optional<Queue> findQueue(Session session, String name) {
    return session.row(SqliteSql.QUEUE_BY_NAME, Queue::of, name);
  }

  /** Settings, and the number that stands for the name in the other tables. */
  record Queue(long number, QueueSettings settings, QueuePause pause) {
    static Queue of(ResultSet row) throws SQLException {
      return new Queue(row.getLong(1), new QueueSettings(row.getString(2), row.getInt(3), row.getInt(4),
          row.getLong(5), row.getLong(6), row.getLong(7)), new QueuePause(row.getLong(8), row.getLong(9)));
    }
  }

  /** A task that was read or added. */
  private static final class Known {
    final StoredTask task;
    /** Where it counts as it was last read or written; null if it is new. */
    Tally.@Nullable Spot spot;

    Known(StoredTask task, Tally.@Nullable Spot spot) {
      this.task = task;
      this.spot = spot;
    }
  }

  /** Where a task stands in the order of claiming. */
  private record Place(long nextAt, long seq) {
    static final Comparator<Place> ORDER = Comparator.comparingLong(Place::nextAt).thenComparingLong(Place::seq);
  }
}
