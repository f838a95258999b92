package dev.bide.bench.embedded;

import dev.bide.TaskEvent;
import dev.bide.TaskListener;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits until so many tasks are completed, for good. */
final class Completed implements TaskListener {
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final int tasks;
  private final CountDownLatch missing;

  Completed(int tasks) {
    this.tasks = tasks;
    missing = new CountDownLatch(tasks);
  }

  @Override
  public void on(TaskEvent event) {
    if (event.kind() == TaskEvent.Kind.COMPLETED) {
      missing.countDown();
    }
  }

  /** Returns how many there are, when they are. */
  long await() throws InterruptedException, TimeoutException {
    if (!missing.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new TimeoutException(missing.getCount() + " of " + tasks + " tasks are not completed");
    }
    return tasks;
  }
}
