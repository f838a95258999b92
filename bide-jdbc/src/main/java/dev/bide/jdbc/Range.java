package dev.bide.jdbc;

import dev.bide.jdbc.SqliteSql.Ended;
import dev.bide.spi.Scan.Place;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** A range of an index, in the order of its places. */
@FunctionalInterface
interface Range {

  /** Returns the first rows behind a place, at most {@code limit}. */
  List<Row> after(Place place, int limit);

  /**
   * A row that an index leads to.
   *
   * @param place its place in the order
   * @param table the table it is in; null for that of live tasks
   * @param key its number there
   */
  record Row(Place place, @Nullable Ended table, long key) {}

  /**
   * Returns the first rows of all ranges behind a place, in {@code order}. Each range is read in small parts, so that
   * not many more are read than are returned, however many ranges there are.
   */
  static List<Row> merged(List<Range> ranges, Place place, Comparator<Place> order, int limit) {
    int part = ranges.size() == 1 ? limit : limit / Math.max(1, ranges.size()) + 8;
    PriorityQueue<Reading> heads = new PriorityQueue<>((one, other) -> order.compare(one.head.place, other.head.place));
    for (Range range : ranges) {
      Reading.begun(range, place, part, heads);
    }
    List<Row> rows = new ArrayList<>();
    while (rows.size() < limit && !heads.isEmpty()) {
      Reading first = heads.remove();
      rows.add(first.head);
      if (rows.size() < limit) {
        first.next(heads);
      }
    }
    return rows;
  }

  /** How far a range has been read. */
  final class Reading {
    private final Range range;
    private final int part;
    private Iterator<Row> read;
    private Row head;

    private Reading(Range range, int part, Iterator<Row> read) {
      this.range = range;
      this.part = part;
      this.read = read;
      head = read.next();
    }

    private static void begun(Range range, Place place, int part, PriorityQueue<Reading> heads) {
      Iterator<Row> read = range.after(place, part).iterator();
      if (read.hasNext()) {
        heads.add(new Reading(range, part, read));
      }
    }

    private void next(PriorityQueue<Reading> heads) {
      if (!read.hasNext()) {
        read = range.after(head.place, part).iterator();
      }
      if (read.hasNext()) {
        head = read.next();
        heads.add(this);
      }
    }
  }
}
