package dev.bide.bench.embedded;

import dev.bide.bench.frame.Folder;
import dev.bide.bench.frame.Rounds;
import dev.bide.bench.frame.Work;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

/** Our queue and the bare loop, on files that have grown the same way. */
final class Sides implements AutoCloseable {
  private static final int STRETCH = 100_000;

  private final Path file;
  private Ours ours;
  private final BareLoop bare;
  private final Supply ourSupply = Supply.overAMonth();
  private final Supply bareSupply = Supply.overAMonth();

  Sides(Folder folder) throws SQLException {
    file = folder.file("ours.db");
    ours = Ours.at(file);
    bare = new BareLoop(folder.file("bare.db"));
  }

  Ours ours() {
    return ours;
  }

  /** Where our queue is. */
  Path file() {
    return file;
  }

  /** Does something while our queue is closed. */
  void closed(Closed what) throws Exception {
    ours.close();
    try {
      what.run();
    } finally {
      ours = Ours.at(file);
    }
  }

  /** Something that may break. */
  interface Closed {
    /** Does it. */
    void run() throws Exception;
  }

  /** Adds tasks that wait, many to one side and then as many to the other. */
  void addWaiting(int tasks) throws SQLException {
    for (int left = tasks; left > 0; left -= STRETCH) {
      ourSupply.batches(Math.min(left, STRETCH)).forEach(ours::schedule);
      for (List<Given> batch : bareSupply.batches(Math.min(left, STRETCH))) {
        bare.insert(batch);
      }
    }
  }

  /** Adds tasks that have ended. */
  void addFinished(int tasks) throws SQLException {
    for (List<Given> batch : ourSupply.batches(tasks)) {
      ours.expire(batch);
    }
    for (List<Given> batch : bareSupply.batches(tasks)) {
      bare.insertFinished(batch);
    }
  }

  /** Plays rounds of batches: ours is 0, bare 1. */
  Rounds inserts(int rounds, int tasks) throws Exception {
    return Rounds.play(rounds, () -> {
      List<List<Given>> batches = ourSupply.batches(tasks);
      return Work.of(ours.meter(), () -> {
        batches.forEach(ours::schedule);
        return tasks;
      });
    }, () -> {
      List<List<Given>> batches = bareSupply.batches(tasks);
      return Work.of(bare.meter(), () -> {
        for (List<Given> batch : batches) {
          bare.insert(batch);
        }
        return tasks;
      });
    });
  }

  @Override
  public void close() throws SQLException {
    ours.close();
    bare.close();
  }
}
