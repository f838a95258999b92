package dev.bide.bench.timers;

import dev.bide.bench.frame.Child;
import java.time.Duration;
import java.util.Map;

/** What is measured in a JVM that does nothing else. */
enum Apart {
  FILLED(Filled::play), LIVE(Live::play), ONE_DEADLINE(OneDeadline::play), ACCURACY(Accuracy::play), IDLE(
      Idle::play), FIXED(Fixed::play), DRAINED(Drained::play);

  private static final int ROOM_MEGABYTES = 256;
  private static final int ROOM_BYTES_A_TIMER = 400;
  private static final int MOST_MEGABYTES = 6_000;

  private final Play play;

  Apart(Play play) {
    this.play = play;
  }

  private interface Play {
    Map<String, Double> with(Library library, int timers, Duration time) throws Exception;
  }

  /** Returns a heap in which every library has room for so many timers, and for its garbage. */
  static int megabytes(int timers) {
    return Math.min(MOST_MEGABYTES, ROOM_MEGABYTES + (int) ((long) timers * ROOM_BYTES_A_TIMER >> 20));
  }

  /** Returns what was found, by its name; each part says what it does with the time. */
  Map<String, Double> play(Sizes sizes, Library library, int timers, Duration time) throws Exception {
    return sizes.forked()
        ? Child.run(megabytes(timers), Apart.class, this, library.name(), timers, time)
        : play.with(library, timers, time);
  }

  /** Takes the name of the part, that of the library, the number of timers and the time. */
  public static void main(String[] args) throws Exception {
    valueOf(args[0]).play.with(Library.valueOf(args[1]), Integer.parseInt(args[2]), Duration.parse(args[3]))
        .forEach(Child::tell);
    // Whatever threads a library has left.
    System.exit(0);
  }
}
