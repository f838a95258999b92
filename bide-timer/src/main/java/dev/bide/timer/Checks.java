package dev.bide.timer;

/** What every timer queue refuses. */
final class Checks {
  private Checks() {}

  static void deadline(long deadline) {
    if (deadline < 0) {
      throw new IllegalArgumentException("deadline must not be negative, got " + deadline);
    }
  }

  static void drain(int limit, boolean draining) {
    if (limit < 0) {
      throw new IllegalArgumentException("limit must not be negative, got " + limit);
    }
    if (draining) {
      throw new IllegalStateException("a sink must not drain the queue that calls it");
    }
  }
}
