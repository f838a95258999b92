package dev.bide.timer;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A timer queue whose items are objects in place of numbers.
 *
 * <p>Not thread-safe. Time, order, handles and cost are those of the queue beneath, which nobody else may use; its cookies
 * are not used. An object is let go as soon as it leaves or is cancelled. It costs 4 bytes more for each item that the
 * queue ever held at once (8 where references are not compressed), given back when the queue has run empty.
 *
 * @param <T> what is held
 */
public final class ObjectTimers<T> {
  // 32 KiB, so that growing copies little and no array is humongous for the collector.
  private static final int CHUNK_BITS = 13;
  private static final int CHUNK = 1 << CHUNK_BITS;
  private static final int SMALLEST = 64;
  private static final @Nullable Object[][] NONE = {};
  private static final @Nullable Object[] EMPTY = {};

  /**
   * Called with each object that is due.
   *
   * @param <T> what is held
   */
  @FunctionalInterface
  public interface Sink<T> {

    /** Takes an object over, as {@link TimerQueue.Sink} does. */
    void accept(long deadline, T item);
  }

  private final TimerQueue queue;
  private final Due due = new Due();
  // By the index in the handle.
  private @Nullable Object[][] chunks = NONE;

  /** Holds objects in {@code queue}, which has to be empty. */
  public ObjectTimers(TimerQueue queue) {
    if (queue.size() != 0) {
      throw new IllegalArgumentException("the queue must be empty, it has " + queue.size() + " items");
    }
    this.queue = queue;
  }

  /** Adds an object; see {@link TimerQueue#schedule}. */
  public long schedule(long deadline, T item) {
    requireNonNull(item, "item");
    long handle = queue.schedule(deadline, 0);
    try {
      put(index(handle), item);
    } catch (OutOfMemoryError e) {
      queue.cancel(handle);
      throw e;
    }
    return handle;
  }

  /** Removes an object before it leaves; see {@link TimerQueue#cancel}. */
  public boolean cancel(long handle) {
    boolean cancelled = queue.cancel(handle);
    if (cancelled) {
      remove(index(handle));
      shrink();
    }
    return cancelled;
  }

  /** Gives an object another deadline; see {@link TimerQueue#move}. */
  public boolean move(long handle, long deadline) {
    return queue.move(handle, deadline);
  }

  /** Hands out objects that are due; see {@link TimerQueue#drain}. */
  public int drain(long now, int limit, Sink<? super T> sink) {
    int drained = queue.drain(now, limit, (handle, deadline, cookie) -> sink.accept(deadline, remove(index(handle))));
    shrink();
    return drained;
  }

  /**
   * Takes out what is due, as many as fit into {@code items}. It looks the objects up in a row, so that several are on
   * their way from memory at a time.
   */
  int drain(long now, long[] deadlines, @Nullable Object[] items) {
    due.deadlines = deadlines;
    if (due.indexes.length < items.length) {
      due.indexes = new int[items.length];
    }
    due.count = 0;
    int drained = queue.drain(now, items.length, due);
    int[] indexes = due.indexes;
    for (int i = 0; i < drained; i++) {
      @Nullable
      Object[] chunk = chunks[indexes[i] >> CHUNK_BITS];
      int place = indexes[i] & CHUNK - 1;
      items[i] = chunk[place];
      chunk[place] = null;
    }
    shrink();
    return drained;
  }

  /** Returns the earliest deadline; see {@link TimerQueue#nextDeadline}. */
  public long nextDeadline() {
    return queue.nextDeadline();
  }

  /** Returns the number of objects. */
  public int size() {
    return queue.size();
  }

  /** Returns what the queue beneath promises of time and order. */
  public TimerQueue.Spec spec() {
    return queue.spec();
  }

  /** Shows each object to {@code viewer}, in no order, which must not call back. Takes O(most objects ever held). */
  public void forEach(Consumer<? super T> viewer) {
    for (@Nullable
    Object[] chunk : chunks) {
      for (Object item : chunk) {
        if (item != null) {
          viewer.accept(cast(item));
        }
      }
    }
  }

  /** Returns the object that {@code handle} names, which has not left. */
  T get(long handle) {
    int index = index(handle);
    return cast(requireNonNull(chunks[index >> CHUNK_BITS][index & CHUNK - 1], "item"));
  }

  /** Returns the index of an object that is {@code wanted}, which must not call back; -1 if there is none. */
  int indexOf(Predicate<? super T> wanted) {
    for (int chunk = 0; chunk < chunks.length; chunk++) {
      for (int place = 0; place < chunks[chunk].length; place++) {
        Object item = chunks[chunk][place];
        if (item != null && wanted.test(cast(item))) {
          return chunk << CHUNK_BITS | place;
        }
      }
    }
    return -1;
  }

  private static int index(long handle) {
    return (int) handle & Integer.MAX_VALUE;
  }

  private void put(int index, T item) {
    int chunk = index >> CHUNK_BITS;
    int place = index & CHUNK - 1;
    if (chunk >= chunks.length) {
      int before = chunks.length;
      chunks = Arrays.copyOf(chunks, Math.max(chunk + 1, before + (before >> 1)));
      Arrays.fill(chunks, before, chunks.length, EMPTY);
    }
    if (place >= chunks[chunk].length) {
      chunks[chunk] = Arrays.copyOf(chunks[chunk], chunk > 0 ? CHUNK : Math.min(Math.max(SMALLEST, 2 * place), CHUNK));
    }
    chunks[chunk][place] = item;
  }

  private T remove(int index) {
    T item = get(index);
    chunks[index >> CHUNK_BITS][index & CHUNK - 1] = null;
    return item;
  }

  private void shrink() {
    if (chunks.length > 1 && queue.size() == 0) {
      chunks = NONE;
    }
  }

  @SuppressWarnings("unchecked")
  private T cast(Object item) {
    return (T) item;
  }

  private static final class Due implements TimerQueue.Sink {
    private long[] deadlines = {};
    private int[] indexes = {};
    private int count;

    @Override
    public void accept(long handle, long deadline, long cookie) {
      deadlines[count] = deadline;
      indexes[count] = index(handle);
      count++;
    }
  }
}
