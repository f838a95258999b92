package dev.bide.bench.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BareLoopTest {
  private static final long NOW = 1_000_000;

  @TempDir
  Path folder;

  @Test
  void whatIsDueIsDrainedOnceInOverlappingBatches() throws SQLException {
    try (BareLoop loop = open()) {
      loop.insert(LongStream.range(0, 2_500).mapToObj(number -> new Given(number, NOW - number)).toList());
      loop.insert(List.of(new Given(2_500, NOW + 1)));
      assertEquals(2_500, loop.drain(NOW));
      assertEquals(2 + 4, loop.meter().commits().getAsLong());
      assertEquals(0, loop.drain(NOW));
      assertEquals(1, loop.drain(NOW + 1));
    }
  }

  @Test
  void anIdIsThereOnce() throws SQLException {
    try (BareLoop loop = open()) {
      loop.insert(List.of(new Given(1, NOW)));
      assertThrows(SQLException.class, () -> loop.insert(List.of(new Given(1, NOW))));
    }
  }

  private BareLoop open() throws SQLException {
    return new BareLoop(folder.resolve("bare.db"));
  }
}
