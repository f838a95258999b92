package dev.bide.timer;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Of what threads may share: calls made at the same time answer as if they had been made one after another. Short by
 * default, longer with {@code -Dbide.long=true}.
 */
class FrontsLincheckTest {
  private static final int LENGTH = Boolean.getBoolean("bide.long") ? 20 : 1;

  @ParameterizedTest
  @ValueSource(classes = {QueueOperations.class, StripeOperations.class, LoopOperations.class})
  void callsOfRealThreadsAnswerAsIfMadeOneAfterAnother(Class<?> operations) {
    check(patient(new StressOptions()).iterations(20 * LENGTH).invocationsPerIteration(200), operations);
  }

  @ParameterizedTest
  @ValueSource(classes = {QueueOperations.class, StripeOperations.class, LoopOperations.class})
  void callsAnswerAsIfMadeOneAfterAnotherWhereverThreadsAreSwitched(Class<?> operations) {
    check(patient(new ModelCheckingOptions()).iterations(10 * LENGTH).invocationsPerIteration(100), operations);
  }

  @Test
  void aMoveThatCancelsInOneCallAndPutsInAnotherIsFound() {
    var options = patient(new ModelCheckingOptions()).threads(2).actorsBefore(0).actorsPerThread(2).actorsAfter(0)
        .minimizeFailedScenario(false);
    var error = assertThrows(LincheckAssertionError.class, () -> options.check(HastyQueueOperations.class));
    assertTrue(error.toString().contains("Invalid execution results"), error.toString());
  }

  private static void check(Options<?, ?> options, Class<?> operations) {
    options.threads(2).actorsBefore(3).actorsPerThread(3).actorsAfter(2).check(operations);
  }

  /**
   * Lincheck rewrites classes inside the first calls, and takes calls that last for a hang: on a busy machine that
   * would be the first ones. Its setting for this bears the name that Kotlin gives to what is not public there.
   */
  private static <T extends Options<T, ?>> T patient(T options) {
    return options.invocationTimeout$lincheck(600_000);
  }
}
