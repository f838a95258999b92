package dev.bide.bench.frame;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class CompanionTest {

  @Test
  void itIsGoneWhenItIsClosed() throws IOException {
    Companion companion = Companion.start(new ProcessBuilder("sleep", "600"));
    assertTrue(companion.process().isAlive());
    companion.close();
    assertFalse(companion.process().isAlive());
    companion.close();
  }
}
