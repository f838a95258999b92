package dev.bide.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import dev.bide.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RememberingTest {
  private static final long[] EXTREMES = {0, 1, -1, 63, 64, -64, -65, Due.LAST, Due.NEVER - 1, Due.NEVER,
      Long.MIN_VALUE};

  static List<Long> seeds() {
    Long only = Long.getLong("bide.seed");
    return only != null ? List.of(only) : new Random().longs(50).boxed().toList();
  }

  private static Claimed claimed(long seq, long token) {
    return new Claimed("id", seq, token, 1, 0, false, Payload.EMPTY, 0, 0, 0, 0, false, false, null);
  }

  private static void assertReadBack(List<Written> answers) {
    assertEquals(answers, Remembering.written(Remembering.ofWritten(answers)));
  }

  @Test
  void nothingIsReadBackAsNothing() {
    assertReadBack(List.of());
    assertEquals(List.of(), Remembering.held("q", Remembering.ofClaims(List.of())));
  }

  @Test
  void everyAnswerAndStateIsReadBack() {
    List<Written> answers = new ArrayList<>();
    for (Answer answer : Answer.values()) {
      answers.add(new Written(answer, null, 0, Due.NEVER, Due.NEVER));
      for (TaskState found : TaskState.values()) {
        answers.add(new Written(answer, found, 5, 1_000, Due.NEVER));
      }
    }
    assertReadBack(answers);
  }

  @Test
  void extremesNextToEachOtherAreReadBack() {
    List<Written> answers = new ArrayList<>();
    List<Claimed> claims = new ArrayList<>();
    List<Held> held = new ArrayList<>();
    for (long a : EXTREMES) {
      for (long b : EXTREMES) {
        answers.add(new Written(Answer.CREATED, null, a, b, a));
        answers.add(new Written(Answer.CREATED, null, b, a, b));
        claims.add(claimed(a, b));
        held.add(new Held("q", a, b));
      }
    }
    assertReadBack(answers);
    assertEquals(held, Remembering.held("q", Remembering.ofClaims(claims)));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void randomAnswersAreReadBack(long seed) {
    Random random = new Random(seed);
    List<Written> answers = new ArrayList<>();
    List<Claimed> claims = new ArrayList<>();
    List<Held> held = new ArrayList<>();
    for (int i = random.nextInt(100); i > 0; i--) {
      TaskState[] states = TaskState.values();
      int found = random.nextInt(states.length + 1);
      answers.add(new Written(Answer.values()[random.nextInt(Answer.values().length)],
          found == states.length ? null : states[found], some(random), some(random), some(random)));
      long seq = some(random);
      long token = some(random);
      claims.add(claimed(seq, token));
      held.add(new Held("q", seq, token));
    }
    assertReadBack(answers);
    assertEquals(held, Remembering.held("q", Remembering.ofClaims(claims)));
  }

  /** Of any length in bits, since the length in bytes follows from it. */
  private static long some(Random random) {
    return random.nextInt(8) == 0 ? Due.NEVER : random.nextLong() >> random.nextInt(64);
  }

  @Test
  void anAnswerTakesAboutTenBytes() {
    List<Written> answers = new ArrayList<>();
    List<Claimed> claims = new ArrayList<>();
    long now = 1_800_000_000_000L;
    for (int i = 0; i < 1_000; i++) {
      long dueAt = now + i * 37_000_000L % 86_400_000;
      answers.add(new Written(Answer.CREATED, null, 5_000_000 + i, dueAt, dueAt));
      claims.add(claimed(5_000_000 + i * 17, 3));
    }
    assertTrue(Remembering.ofWritten(answers).size() < 11_000);
    assertTrue(Remembering.ofClaims(claims).size() < 3_000);
  }
}
