package dev.bide.tck;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.bide.Bide;
import dev.bide.Outcome;
import dev.bide.QueueSpec;
import dev.bide.TaskQueue;
import dev.bide.delay.When;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

@ExtendWith(VirtualTimeExtension.class)
class VirtualTimeExtensionTest {
  private static final QueueSpec<String> SPEC = QueueSpec.of("q", String.class);
  private static final List<VirtualTime> USED = new ArrayList<>();

  private TaskQueue<String> queue;

  @BeforeEach
  void schedule(Bide bide) {
    queue = bide.queue(SPEC);
    queue.handle(claim -> Outcome.done());
    queue.schedule("a", "x", When.in(ofHours(1)));
  }

  @AfterEach
  void isTheSameUntilTheEnd(VirtualTime time, Bide bide) {
    assertSame(bide, time.bide());
    time.advance(ZERO);
    assertTrue(USED.stream().noneMatch(used -> used == time), "each test has its own");
    USED.add(time);
  }

  @AfterAll
  static void eachWasClosed() {
    USED.forEach(time -> assertThrows(IllegalStateException.class, () -> time.advance(ZERO)));
    USED.clear();
  }

  @Test
  void aTestIsGivenTimeAndNode(VirtualTime time, Bide bide) {
    assertSame(queue, bide.queue(SPEC));
    time.advance(ofHours(1).minusMillis(1));
    assertEquals(List.of(), time.ran());
    time.advanceTo(VirtualTime.START.plus(ofHours(1)));
    assertEquals(List.of("a"), time.ran());
  }

  @RepeatedTest(2)
  void eachRepetitionBeginsAnew(VirtualTime time) {
    assertEquals(VirtualTime.START, time.now());
    time.advance(ofHours(1));
    assertEquals(List.of("a"), time.ran());
  }

  @ParameterizedTest
  @ValueSource(ints = 30)
  void argumentsComeFirst(int minutes, VirtualTime time) {
    time.advance(ofMinutes(minutes));
    assertEquals(List.of(), time.ran());
  }

  @Nested
  class Within {
    @Test
    void theTimeIsTheOneOfTheMethodsOutside(VirtualTime time) {
      time.advance(ofHours(1));
      assertEquals(List.of("a"), time.ran());
    }
  }

  /** These are run by the launcher only. */
  static final class Later {
    @RegisterExtension
    static final VirtualTimeExtension TIME = VirtualTimeExtension.from(Instant.parse("2031-12-24T18:00:00Z"));

    @Test
    void beginsWhereItIsTold(VirtualTime time) {
      assertEquals(Instant.parse("2031-12-24T18:00:00Z"), time.now());
    }
  }

  @ExtendWith(VirtualTimeExtension.class)
  static final class Failing {
    @Test
    void failsInItsHandler(VirtualTime time, Bide bide) {
      TaskQueue<String> queue = bide.queue(SPEC);
      queue.handle(claim -> {
        throw new AssertionError("in the handler");
      });
      queue.schedule("a", "x", When.now());
      assertEquals(List.of(), bide.queue(QueueSpec.of("other", String.class)).take(1, ofMinutes(1)));
    }
  }

  @ExtendWith(VirtualTimeExtension.class)
  static final class BeforeAllTests {
    @BeforeAll
    static void once(VirtualTime time) {
      throw new AssertionError("given " + time);
    }

    @Test
    void isNotReached() {}
  }

  @Test
  void aStartOfItsOwnIsGivenByAField() {
    assertEquals(1, run(Later.class).getTestsSucceededCount());
  }

  @Test
  void anAssertionThatFailsInAHandlerFailsTheTest() {
    TestExecutionSummary summary = run(Failing.class);
    assertEquals("in the handler", summary.getFailures().get(0).getException().getMessage());
  }

  @Test
  void aMethodForAllTestsIsRefused() {
    Throwable refused = run(BeforeAllTests.class).getFailures().get(0).getException();
    assertTrue(refused.toString().contains("virtual time is of one test"), refused::toString);
  }

  private static TestExecutionSummary run(Class<?> tests) {
    SummaryGeneratingListener summary = new SummaryGeneratingListener();
    LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests)).build(),
        summary);
    return summary.getSummary();
  }
}
