package dev.bide;

import dev.bide.spi.Driver;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;

/** Drives nothing by itself: what is to run waits in lists until the test runs it. */
class HandDriver implements Driver {
  private final LongSupplier clock;
  /** Handlers that have been given to the executor and have not run, oldest first. */
  final Deque<Runnable> handlers = new ArrayDeque<>();
  final Deque<Call<?>> calls = new ArrayDeque<>();

  HandDriver(LongSupplier clock) {
    this.clock = clock;
  }

  @Override
  public long nanos() {
    return clock.getAsLong();
  }

  @Override
  public void start(LongSupplier step) {
    throw new AssertionError("the test takes the steps");
  }

  @Override
  public void wake() {}

  @Override
  public long nextLook(long lookedAt) {
    return lookedAt + 1_000_000_000;
  }

  @Override
  public boolean stepping() {
    return false;
  }

  @Override
  public <R> void call(Call<R> call) {
    calls.add(call);
  }

  /** Stands among the calls, whether the signal comes or not. */
  @Override
  public void after(CompletableFuture<?> signal, long nanos, Runnable action) {
    calls.add(new Call<Long>() {
      @Override
      public boolean urgent() {
        return false;
      }

      @Override
      public long delayNanos() {
        return nanos;
      }

      @Override
      public Long perform() {
        return nanos;
      }

      @Override
      public void answered(Long reply) {
        action.run();
      }

      @Override
      public void failed(Throwable failure) {
        throw new AssertionError(failure);
      }
    });
  }

  /** Has the store do the call that came first, and answer. */
  void performNext(boolean urgent) {
    Call<?> first = calls.stream().filter(call -> call.urgent() == urgent).findFirst().orElseThrow();
    calls.remove(first);
    first.run();
  }

  void performLast() {
    calls.removeLast().run();
  }

  @Override
  public Executor handlers() {
    return handlers::add;
  }

  @Override
  public Executor starter() {
    return Runnable::run;
  }

  @Override
  public Executor callbacks() {
    return Runnable::run;
  }

  @Override
  public boolean await(Future<?> answer, long nanos) {
    return answer.isDone();
  }

  @Override
  public void pause(long nanos) {}

  @Override
  public long randomBits() {
    return 1L << 63;
  }

  @Override
  public void end() {}
}
