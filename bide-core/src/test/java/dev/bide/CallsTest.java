package dev.bide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.StoreException;
import dev.bide.spi.TaskStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Calls to the store that come back, late or never; each thread of theirs is a place in the driver's list. */
class CallsTest {
  private static final Duty DUTY = (now, out) -> Duty.NEVER;

  private long now;
  private final Deque<Runnable> engine = new ArrayDeque<>();
  private final HandDriver driver = new HandDriver(() -> now);
  private final List<String> heard = new ArrayList<>();
  private final Calls calls = new Calls(MemoryTaskStore.on(() -> 1_000), driver, engine::add);

  private final class Request implements StoreRequest<String> {
    final String name;
    final boolean urgent;
    Throwable failure = new AssertionError("none");

    Request(String name, boolean urgent) {
      this.name = name;
      this.urgent = urgent;
    }

    @Override
    public boolean urgent() {
      return urgent;
    }

    @Override
    public String perform(TaskStore store) {
      if (failure instanceof RuntimeException e) {
        throw e;
      } else if (failure instanceof OutOfMemoryError e) {
        throw e;
      }
      return name;
    }

    @Override
    public void answered(String reply, long moment) {
      heard.add(reply + " answered at " + moment);
    }

    @Override
    public void failed(RuntimeException failure, long moment) {
      boolean passing = failure instanceof StoreException e && e.isTransient();
      heard.add(name + " failed at " + moment + (passing ? ", passing" : ""));
    }
  }

  private void engine() {
    while (!engine.isEmpty()) {
      engine.remove().run();
    }
  }

  @Test
  void anAnswerCarriesTheMomentItCame() {
    calls.send(DUTY, new Request("a", false));
    now = 5;
    driver.performNext(false);
    now = 9;
    engine();
    assertEquals(List.of("a answered at 5"), heard);
  }

  @Test
  void urgentCallsDoNotWaitBehindOthers() {
    calls.send(DUTY, new Request("a", false));
    calls.send(DUTY, new Request("b", true));
    driver.performNext(true);
    engine();
    assertEquals(List.of("b answered at 0"), heard);
  }

  @Test
  void aFailureAndABreakdownComeBack() {
    Request failing = new Request("a", false);
    failing.failure = new IllegalStateException();
    Request breaking = new Request("b", false);
    breaking.failure = new OutOfMemoryError("for a test");
    calls.send(DUTY, failing);
    calls.send(DUTY, breaking);
    driver.performNext(false);
    driver.performNext(false);
    engine();
    assertEquals(List.of("a failed at 0", "b failed at 0, passing"), heard);
  }

  @Test
  void aCallThatHangsIsGivenUpAndItsLateAnswerDropped() {
    calls.send(DUTY, new Request("a", false));
    now = 9_999_999_999L;
    calls.giveUp(now);
    assertEquals(List.of(), heard);
    now++;
    calls.giveUp(now);
    assertEquals(List.of("a failed at 10000000000, passing"), heard);
    driver.performNext(false);
    engine();
    calls.giveUp(now + now);
    assertEquals(1, heard.size());
  }

  @Test
  void anAnswerThatCameJustBeforeIsNotGivenUp() {
    calls.send(DUTY, new Request("a", false));
    driver.performNext(false);
    engine();
    now = 20_000_000_000L;
    calls.giveUp(now);
    assertEquals(List.of("a answered at 0"), heard);
  }

  @Test
  void callsThatHangHoldABoundedNumberOfThreads() {
    Duty other = (moment, out) -> Duty.NEVER;
    for (int i = 0; i < 10; i++) {
      calls.send(DUTY, new Request("a" + i, false));
      engine();
      now += 10_000_000_000L;
      calls.giveUp(now);
    }
    assertEquals(3, driver.calls.size());
    assertEquals(10, heard.size());
    calls.send(other, new Request("other", false));
    assertEquals(4, driver.calls.size(), "another duty is not held up");

    driver.performNext(false);
    engine();
    heard.clear();
    calls.send(DUTY, new Request("b", false));
    driver.performLast();
    engine();
    assertEquals(List.of("b answered at " + now), heard);
  }

  @Test
  void aThreadThatCannotBeHadIsAPassingFailure() {
    HandDriver without = new HandDriver(() -> now) {
      @Override
      public <R> void call(Call<R> call) {
        if (call.urgent()) {
          throw new OutOfMemoryError("unable to create native thread");
        }
        throw new RejectedExecutionException();
      }
    };
    Calls refused = new Calls(MemoryTaskStore.on(() -> 1_000), without, engine::add);
    refused.send(DUTY, new Request("a", false));
    refused.send(DUTY, new Request("b", true));
    assertTrue(heard.isEmpty(), "not within the step that asks");
    engine();
    assertEquals(List.of("a failed at 0, passing", "b failed at 0, passing"), heard);
  }
}
