package dev.bide;

import dev.bide.spi.StoreException;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A write of one caller on its way to the store. It is answered once. */
abstract sealed class WriteCall {
  final Write write;
  final long since;

  private WriteCall(Write write, long since) {
    this.write = write;
    this.since = since;
  }

  /** Returns the size of the payload of a write. */
  static int bytes(Write write) {
    return write instanceof Write.Insert insert ? insert.payload().size() : 0;
  }

  abstract void fail(Throwable failure);

  /** Returns whether nobody wants the answer any more. */
  abstract boolean forsaken();

  /** One whose caller goes on, and is told later. */
  static final class Promised extends WriteCall {
    final CompletableFuture<Written> answer = new CompletableFuture<>();

    Promised(Write write, long since) {
      super(write, since);
    }

    @Override
    void fail(Throwable failure) {
      answer.completeExceptionally(failure);
    }

    @Override
    boolean forsaken() {
      return false;
    }
  }

  /**
   * One whose caller waits. To wake a thread costs the one who does it about as much as a row costs the store, so
   * whoever writes wakes the first of a batch only, and each who is woken wakes two more.
   *
   * <p>The answer is there for all of them at once: who looks before he is woken goes on.
   */
  static final class Awaited extends WriteCall implements Future<Written> {
    private static final Answer FORSAKEN = new Answer(null, null);

    private final AtomicReference<@Nullable Answer> answer = new AtomicReference<>();
    private volatile @Nullable Thread waiter;
    /** These are written before the answer, and read after it. */
    private @Nullable Awaited first;
    private @Nullable Awaited second;

    private record Answer(@Nullable Written written, @Nullable Throwable failure) {}

    Awaited(Write write, long since) {
      super(write, since);
    }

    /** Answers all, and wakes the first. */
    static void answer(List<Awaited> calls, List<Written> answers) {
      // The last one first, since each must know whom to wake before he can go on.
      for (int i = calls.size() - 1; i >= 0; i--) {
        Awaited call = calls.get(i);
        call.first = 2 * i + 1 < calls.size() ? calls.get(2 * i + 1) : null;
        call.second = 2 * i + 2 < calls.size() ? calls.get(2 * i + 2) : null;
        call.answer.compareAndSet(null, new Answer(answers.get(i), null));
      }
      if (!calls.isEmpty()) {
        calls.get(0).wake();
      }
    }

    @Override
    void fail(Throwable failure) {
      answer.compareAndSet(null, new Answer(null, failure));
      wake();
    }

    /** Gives up waiting; false if the answer is there. */
    boolean forsake() {
      return answer.compareAndSet(null, FORSAKEN);
    }

    @Override
    boolean forsaken() {
      Answer given = answer.get();
      return given != null && given.written == null && given.failure == null;
    }

    /** Wakes the caller; if he has left, those whom he would have woken. */
    void wake() {
      Thread thread = waiter;
      if (forsaken()) {
        wakeOthers();
      } else if (thread != null) {
        LockSupport.unpark(thread);
      }
    }

    private void wakeOthers() {
      if (first != null) {
        first.wake();
      }
      if (second != null) {
        second.wake();
      }
    }

    /** Wakes whom this one is to wake, and returns the answer, which is there. */
    Written take() {
      wakeOthers();
      Answer given = answer.get();
      Throwable failure = given == null ? null : given.failure;
      if (failure instanceof StoreException known) {
        // The failure is shared, and was made on another thread: the caller wants to see where he called.
        String message = String.valueOf(known.getMessage());
        throw known.isTransient() ? StoreException.passing(message, known) : StoreException.lasting(message, known);
      } else if (failure instanceof Error error) {
        throw error;
      }
      return Futures.result(given == null ? null : given.written, failure);
    }

    @Override
    public boolean isDone() {
      return answer.get() != null;
    }

    /** Waits, but not for all of that time if it is woken for no reason. */
    @Override
    public Written get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
      waiter = Thread.currentThread();
      if (answer.get() == null) {
        LockSupport.parkNanos(this, unit.toNanos(timeout));
      }
      waiter = null;
      Answer given = answer.get();
      if (given == null && Thread.interrupted()) {
        throw new InterruptedException();
      } else if (given == null) {
        throw new TimeoutException();
      } else if (given.written == null) {
        throw new ExecutionException(given.failure);
      }
      return given.written;
    }

    @Override
    public Written get() throws InterruptedException, ExecutionException {
      while (true) {
        try {
          return get(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
          // It was woken for no reason.
        }
      }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      return false;
    }

    @Override
    public boolean isCancelled() {
      return false;
    }
  }
}
