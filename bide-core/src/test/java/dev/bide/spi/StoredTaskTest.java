package dev.bide.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.bide.task.Due;
import dev.bide.task.OnExisting;
import dev.bide.task.Payload;
import java.time.ZoneId;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StoredTaskTest {

  @Test
  void aZoneThatThisJvmDoesNotKnowIsNotShown() {
    assertEquals(Optional.of(ZoneId.of("Asia/Shanghai")), shownIn("Asia/Shanghai").toTask(0).zone());
    assertEquals(Optional.empty(), shownIn("Mars/Olympus").toTask(0).zone());
  }

  private static StoredTask shownIn(String zone) {
    return StoredTask.create(
        new Write.Insert("q", "a", Payload.EMPTY, Due.fromNow(0), OnExisting.KEEP, null, zone), 1, 0);
  }
}
