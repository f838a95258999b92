package dev.bide.examples.timers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RateLimitTest {
  private final RateLimit limit = new RateLimit(3, 1_000);

  @Test
  void aClientMakesSoManyCallsInAWindowAndNoMore() {
    assertTrue(limit.allow("a", 0));
    assertTrue(limit.allow("a", 400));
    assertTrue(limit.allow("a", 800));
    assertFalse(limit.allow("a", 800));
    assertFalse(limit.allow("a", 999));
  }

  @Test
  void theWindowSlides() {
    limit.allow("a", 0);
    limit.allow("a", 400);
    limit.allow("a", 800);
    assertTrue(limit.allow("a", 1_000), "the call at 0 counts no more");
    assertFalse(limit.allow("a", 1_399));
    assertTrue(limit.allow("a", 1_400), "nor does the one at 400");
    assertFalse(limit.allow("a", 1_400));
  }

  @Test
  void aCallThatWasRefusedDoesNotCount() {
    for (int i = 0; i < 3; i++) {
      limit.allow("a", 0);
    }
    for (int now = 1; now < 1_000; now++) {
      assertFalse(limit.allow("a", now));
    }
    assertTrue(limit.allow("a", 1_000));
  }

  @Test
  void clientsDoNotLimitEachOther() {
    for (int i = 0; i < 3; i++) {
      assertTrue(limit.allow("a", 0));
      assertTrue(limit.allow("b", 0));
    }
    assertFalse(limit.allow("a", 0));
    assertTrue(limit.allow("c", 0));
  }

  @Test
  void aClientIsForgottenWhenItsCallsCountNoMore() {
    limit.allow("a", 0);
    limit.allow("b", 500);
    assertEquals(2, limit.clients(999));
    assertEquals(1, limit.clients(1_000));
    assertEquals(0, limit.clients(1_500));
  }
}
