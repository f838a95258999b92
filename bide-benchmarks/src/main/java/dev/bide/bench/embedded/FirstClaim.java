package dev.bide.bench.embedded;

import dev.bide.Claim;
import dev.bide.bench.frame.Child;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Opens a file and takes one task, in a JVM that has done nothing else; the task is given back. */
final class FirstClaim {
  static final String MILLIS = "first-claim-ms";
  static final String HEAP = "heap-bytes";

  private FirstClaim() {}

  /** Takes the file. */
  public static void main(String[] args) {
    long begun = System.nanoTime();
    try (Ours ours = Ours.at(Path.of(args[0]))) {
      List<Claim<byte[]>> claims = ours.queue().take(1, Duration.ofSeconds(20));
      if (claims.isEmpty()) {
        throw new IllegalStateException("nothing was due");
      }
      Child.tell(MILLIS, (System.nanoTime() - begun) / 1e6);
      Child.tell(HEAP, Child.heapInUse());
      claims.forEach(Claim::close);
    }
  }
}
