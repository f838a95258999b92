package dev.bide;

import dev.bide.spi.Driver;
import dev.bide.spi.StoreException;
import dev.bide.spi.TaskStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Has the requests of duties performed on other threads, and brings the answers back to the engine's.
 *
 * <p>A call that is not answered in {@value #TIMEOUT_MILLIS} ms has failed for its duty, which may send it again; what it
 * answers later is dropped. Calls that hang hold their threads, so a duty with {@value #MOST_HANGING} of them is
 * refused more until one returns. Used by the engine's thread only.
 */
final class Calls {
  /** How long a call may take. */
  static final long TIMEOUT_MILLIS = 10_000;
  private static final long TIMEOUT_NANOS = Duration.ofMillis(TIMEOUT_MILLIS).toNanos();
  private static final int MOST_HANGING = 3;

  private final TaskStore store;
  private final Driver driver;
  private final Consumer<Runnable> engineThread;
  private final Set<Call<?>> underWay = new LinkedHashSet<>();
  private final Map<Duty, Integer> hanging = new HashMap<>();

  /** Calls performed by {@code driver}; {@code engineThread} runs what it is given on the engine's thread. */
  Calls(TaskStore store, Driver driver, Consumer<Runnable> engineThread) {
    this.store = store;
    this.driver = driver;
    this.engineThread = engineThread;
  }

  /** Has a request performed. */
  <R> void send(Duty duty, StoreRequest<R> request) {
    Call<R> call = new Call<>(duty, request, driver.nanos() + TIMEOUT_NANOS);
    underWay.add(call);
    if (hanging.getOrDefault(duty, 0) >= MOST_HANGING) {
      call.failed(StoreException.passing(MOST_HANGING + " calls to the store hang", null));
      return;
    }
    try {
      driver.call(call);
    } catch (Throwable e) {
      call.failed(StoreException.passing("no thread to call the store", e));
    }
  }

  /** Fails the calls that have taken too long. */
  void giveUp(long now) {
    // The oldest come first.
    for (Call<?> call : List.copyOf(underWay)) {
      if (now < call.deadline) {
        return;
      }
      underWay.remove(call);
      hanging.merge(call.duty, 1, Integer::sum);
      call.request.failed(StoreException.passing("no answer from the store in " + TIMEOUT_MILLIS + " ms", null), now);
    }
  }

  /** Returns when {@link #giveUp} must be called again; {@link Duty#NEVER} if nothing is under way. */
  long nextGiveUp() {
    return underWay.isEmpty() ? Duty.NEVER : underWay.iterator().next().deadline;
  }

  private final class Call<R> implements Driver.Call<R> {
    final Duty duty;
    final StoreRequest<R> request;
    final long deadline;

    Call(Duty duty, StoreRequest<R> request, long deadline) {
      this.duty = duty;
      this.request = request;
      this.deadline = deadline;
    }

    @Override
    public boolean urgent() {
      return request.urgent();
    }

    @Override
    public R perform() {
      return request.perform(store);
    }

    @Override
    public void answered(R reply) {
      // The moment of the reply is read here: the engine's thread may come to it later.
      long received = driver.nanos();
      back(() -> request.answered(reply, received));
    }

    @Override
    public void failed(Throwable failure) {
      RuntimeException known = failure instanceof RuntimeException runtime
          ? runtime
          : StoreException.passing("the call to the store broke down", failure);
      back(() -> request.failed(known, driver.nanos()));
    }

    private void back(Runnable answer) {
      engineThread.accept(() -> {
        if (underWay.remove(this)) {
          answer.run();
        } else {
          hanging.merge(duty, -1, Integer::sum);
        }
      });
    }
  }
}
