package dev.bide.bench.pullpush;

/** A way for tasks to reach the code that works on them. */
enum Mode {
  /** The library calls the handler, and claims a little ahead of it, as it does by default. */
  PUSH("push", 4 + 4 * 4),
  /** Whoever has room takes, and waits until there is something. */
  PULL("pull, long poll", 8),
  /** Whoever has room takes what there is, and comes again after a while if there was nothing. */
  POLL("pull, every 100 ms", 8),
  /** A handler whose credit is doubled while tasks are late. */
  CREDIT("hybrid, more credit", 16),
  /** A handler with a fixed credit, and as many takers beside it while tasks are late. */
  TAKE("hybrid, handler and take", 16);

  /** How many usually work at once; a hybrid may use twice as many. */
  static final int THREADS = 4;
  /** One task for each of them, and one ahead. */
  static final int ROOM = 2 * THREADS;

  final String words;
  /** How many tasks may be claimed and not yet settled; for {@link #PUSH}, four handlers and their next 50 ms. */
  final int most;

  Mode(String words, int most) {
    this.words = words;
    this.most = most;
  }
}
