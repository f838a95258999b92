package dev.bide;

import dev.bide.spi.StoreException;
import dev.bide.spi.TaskStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

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
  private final LongSupplier clock;
  private final Consumer<Runnable> engineThread;
  private final Executor calls;
  private final Executor urgentCalls;
  private final Set<Call<?>> underWay = new LinkedHashSet<>();
  private final Map<Duty, Integer> hanging = new HashMap<>();

  Calls(TaskStore store, LongSupplier clock, Consumer<Runnable> engineThread, Executor calls, Executor urgentCalls) {
    this.store = store;
    this.clock = clock;
    this.engineThread = engineThread;
    this.calls = calls;
    this.urgentCalls = urgentCalls;
  }

  /** Has a request performed. */
  <R> void send(Duty duty, StoreRequest<R> request) {
    Call<R> call = new Call<>(duty, request, clock.getAsLong() + TIMEOUT_NANOS);
    underWay.add(call);
    if (hanging.getOrDefault(duty, 0) >= MOST_HANGING) {
      call.fail(StoreException.passing(MOST_HANGING + " calls to the store hang", null));
      return;
    }
    try {
      (request.urgent() ? urgentCalls : calls).execute(call);
    } catch (Throwable e) {
      call.fail(StoreException.passing("no thread to call the store", e));
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

  private final class Call<R> implements Runnable {
    final Duty duty;
    final StoreRequest<R> request;
    final long deadline;

    Call(Duty duty, StoreRequest<R> request, long deadline) {
      this.duty = duty;
      this.request = request;
      this.deadline = deadline;
    }

    @Override
    public void run() {
      R reply;
      try {
        reply = request.perform(store);
      } catch (RuntimeException e) {
        fail(e);
        return;
      } catch (Throwable e) {
        fail(StoreException.passing("the call to the store broke down", e));
        return;
      }
      // The moment of the reply is read here: the engine's thread may come to it later.
      long received = clock.getAsLong();
      back(() -> request.answered(reply, received));
    }

    void fail(RuntimeException failure) {
      back(() -> request.failed(failure, clock.getAsLong()));
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
