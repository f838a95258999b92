package dev.bide.spi;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.bide.task.Due;
import dev.bide.task.Payload;
import org.junit.jupiter.api.Test;

class WriteTest {

  @Test
  void aNewTaskHasNoDueTimeToCountFrom() {
    Due extension = new Due(Due.Base.FROM_DUE, 1, 0, 1, Due.Past.RUN, 0, false);
    assertThrows(IllegalArgumentException.class, () -> new Write.Insert("q", "a", Payload.EMPTY, extension));
  }
}
