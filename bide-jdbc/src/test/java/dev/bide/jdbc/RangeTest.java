package dev.bide.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.jdbc.Range.Row;
import dev.bide.spi.Scan.Place;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RangeTest {
  private static final Comparator<Place> ORDER = Comparator.comparingLong(Place::moment).thenComparingLong(Place::seq);
  private static final Place START = new Place(0, 0, "");

  private int read;

  private Range range(List<Place> places) {
    return (after, limit) -> {
      List<Row> rows = places.stream().sorted(ORDER).filter(place -> ORDER.compare(place, after) > 0).limit(limit)
          .map(place -> new Row(place, null, place.seq())).toList();
      read += rows.size();
      return rows;
    };
  }

  private static List<Place> places(List<Row> rows) {
    return rows.stream().map(Row::place).toList();
  }

  @Test
  void noRangeHasNoRows() {
    assertEquals(List.of(), Range.merged(List.of(), START, ORDER, 10));
    assertEquals(List.of(), Range.merged(List.of(range(List.of()), range(List.of())), START, ORDER, 10));
  }

  @Test
  void manyRangesAreMergedWhateverIsWhere() {
    long seed = Long.getLong("bide.seed", new Random().nextLong());
    Random random = new Random(seed);
    for (int turn = 0; turn < 200; turn++) {
      List<List<Place>> places = new ArrayList<>();
      IntStream.range(0, 1 + random.nextInt(12)).forEach(i -> places.add(new ArrayList<>()));
      for (int seq = 1; seq <= 300; seq++) {
        int busy = random.nextInt(places.size());
        places.get(random.nextBoolean() ? 0 : busy).add(new Place(random.nextInt(50), seq, ""));
      }
      Place after = new Place(random.nextInt(50), random.nextInt(300), "");
      int limit = 1 + random.nextInt(400);
      assertEquals(
          places.stream().flatMap(List::stream).filter(place -> ORDER.compare(place, after) > 0).sorted(ORDER)
              .limit(limit).toList(),
          places(Range.merged(places.stream().map(this::range).toList(), after, ORDER, limit)), () -> "seed " + seed);
    }
  }

  @Test
  void littleMoreIsReadThanIsReturned() {
    List<Range> ranges = IntStream.range(0, 1_000)
        .mapToObj(i -> range(IntStream.range(0, 1_000).mapToObj(j -> new Place(j, 1 + i, "")).toList())).toList();
    assertEquals(500, Range.merged(ranges, START, ORDER, 500).size());
    assertTrue(read <= 10_000, () -> read + " are read");
    read = 0;
    assertEquals(50, Range.merged(ranges.subList(0, 1), START, ORDER, 50).size());
    assertEquals(50, read);
  }
}
