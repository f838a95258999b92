package dev.bide.tck;

import dev.bide.spi.Driver;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;

/**
 * Drives a node on a {@link Timeline}: all that it does, its handlers too, happens on the thread that lets time pass.
 * Calls and handlers take no time, and whoever waits lets time pass.
 */
class VirtualDriver implements Driver {
  private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();

  final Timeline timeline;
  private final SplittableRandom chance;
  private LongSupplier step = () -> Long.MAX_VALUE;
  private long stepAt = Long.MAX_VALUE;
  private boolean stepping;
  private boolean again;
  private boolean ended;

  /** A driver whose chance begins with {@code seed}. */
  VirtualDriver(Timeline timeline, long seed) {
    this.timeline = timeline;
    chance = new SplittableRandom(seed);
  }

  @Override
  public long nanos() {
    return timeline.now();
  }

  /** Has something of this node happen {@code nanos} from now. */
  void in(long nanos, Runnable action) {
    timeline.in(nanos, action);
  }

  @Override
  public void start(LongSupplier step) {
    this.step = step;
    stepIn(0);
  }

  @Override
  public void wake() {
    stepIn(0);
  }

  private void stepIn(long nanos) {
    long moment = timeline.after(nanos);
    if (moment < stepAt && !ended) {
      stepAt = moment;
      in(nanos, () -> step(moment));
    }
  }

  /** Returns after how many nanoseconds the step is taken though it did not ask for it. */
  long longestSleep() {
    return SECOND_NANOS;
  }

  private void step(long moment) {
    if (moment != stepAt || ended) {
      return;
    }
    stepAt = Long.MAX_VALUE;
    again = stepping;
    if (stepping) {
      // A listener lets time pass; the step that it holds up goes first.
      return;
    }
    stepping = true;
    long next;
    try {
      next = step.getAsLong();
    } finally {
      stepping = false;
    }
    stepIn(again ? 0 : Math.max(0, Math.min(next - nanos(), longestSleep())));
    again = false;
  }

  @Override
  public long nextLook(long lookedAt) {
    return lookedAt + SECOND_NANOS;
  }

  @Override
  public boolean stepping() {
    return stepping;
  }

  @Override
  public <R> void call(Call<R> call) {
    in(call.delayNanos(), call);
  }

  @Override
  public void after(CompletableFuture<?> signal, long nanos, Runnable action) {
    CompletableFuture<Boolean> first = signal.handle((value, failure) -> true);
    var unused = first.thenRun(() -> in(0, action));
    in(nanos, () -> first.complete(false));
  }

  @Override
  public Executor handlers() {
    return task -> in(0, task);
  }

  @Override
  public Executor starter() {
    return task -> in(0, task);
  }

  @Override
  public Executor callbacks() {
    return task -> in(0, task);
  }

  @Override
  public boolean await(Future<?> answer, long nanos) {
    return timeline.runUntil(timeline.after(nanos), answer::isDone);
  }

  @Override
  public void pause(long nanos) {
    timeline.runUntil(timeline.after(nanos));
  }

  @Override
  public long randomBits() {
    return chance.nextLong();
  }

  @Override
  public void end() {
    ended = true;
  }
}
