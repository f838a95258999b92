package dev.bide.spi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;

/**
 * What moves one node: its monotonic clock, its threads and its chance. Applications run on the threads of their
 * machine and need none; a test gives a node a driver of its own, and all that the node does happens when the test says
 * so.
 *
 * <p>Moments are nanoseconds of the driver's clock, which starts near 0 and never goes back, so that they may be compared.
 * Thread-safe. A driver drives one node, once.
 */
public interface Driver {

  /** One call of a node to its store: exactly one of {@link #answered} and {@link #failed} follows {@link #perform}. */
  interface Call<R> extends Runnable {

    /** Returns whether it must not wait behind the others. */
    boolean urgent();

    /** Returns after how many nanoseconds it is to be performed, about. */
    default long delayNanos() {
      return 0;
    }

    /** Asks the store; may block. Asking twice has the effect of asking once. */
    R perform();

    /** Takes the reply; on any thread. */
    void answered(R reply);

    /** Takes what {@link #perform} threw, or would have; on any thread. */
    void failed(Throwable failure);

    /** Performs it, and tells at once what came of that. */
    @Override
    default void run() {
      R reply;
      try {
        reply = perform();
      } catch (Throwable e) {
        failed(e);
        return;
      }
      answered(reply);
    }
  }

  /** Returns now. */
  long nanos();

  /**
   * Begins to call {@code step}, never twice at a time: at the latest at the moment that it returned, and after each
   * {@link #wake}.
   */
  void start(LongSupplier step);

  /** Has the step called soon, once for any number of such wishes. */
  void wake();

  /**
   * Returns when the store must be looked at again that answered last at {@code lookedAt}: another node may have
   * changed it. Asked anew in each step.
   */
  long nextLook(long lookedAt);

  /** Returns whether the calling thread is in the step, so that waiting for a later one would be for good. */
  boolean stepping();

  /**
   * Has a call performed, not within this method. One that is made while another is {@linkplain Call#answered answered}
   * may follow that on its thread.
   *
   * @throws java.util.concurrent.RejectedExecutionException if there is no thread for it
   */
  <R> void call(Call<R> call);

  /**
   * Has a call performed, now, for a caller who waits for it afterwards: that may be within this method and on his
   * thread, which saves him two hand-overs.
   */
  default <R> void callHere(Call<R> call) {
    call.run();
  }

  /**
   * Has {@code action} run when {@code signal} is complete, or after {@code nanos} if it is not by then; once, not
   * within this method, and on any thread. As a {@linkplain #call call}, it may follow on the thread of another.
   *
   * @throws java.util.concurrent.RejectedExecutionException if there is no thread for it
   */
  void after(CompletableFuture<?> signal, long nanos, Runnable action);

  /** Returns what runs handlers, as many at once as are given to it. */
  Executor handlers();

  /** Returns what brings tasks, in their order, to an executor that may block. */
  Executor starter();

  /** Returns what runs the small work of strangers, in its order. */
  Executor callbacks();

  /**
   * Waits, up to {@code nanos}, for an answer that the node will give.
   *
   * @return whether it is there
   */
  boolean await(Future<?> answer, long nanos) throws InterruptedException;

  /** Pauses the calling thread for about {@code nanos}; an interrupt ends the pause and stays set. */
  void pause(long nanos);

  /** Returns 64 random bits. */
  long randomBits();

  /** Calls the step no more once this returns, and ends what it had started; idempotent. */
  void end();
}
