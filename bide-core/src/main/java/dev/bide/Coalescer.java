package dev.bide;

import dev.bide.spi.Driver;
import dev.bide.spi.Reply;
import dev.bide.spi.Stamp;
import dev.bide.spi.StoreException;
import dev.bide.spi.TaskStore;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Brings the single writes of callers to the store, in the order in which they come. While one batch is being written
 * the others stand in line, and what stands there then is the next batch: they share its commit.
 *
 * <p>Callers who were answered together tend to come back together. The next batch is held back for them, for no longer
 * than a quarter of what the last one took, and not at all for a while when they did not come. Otherwise those who wait
 * for their answers and those in line would take turns, in batches of half the size.
 *
 * <p>Who comes when nothing is under way writes himself. What has come meanwhile is written by a thread of the driver,
 * which goes on until nobody is left. A batch ends before the first write to a task that it holds already, so that
 * writes to one task, and those of one thread, keep their order.
 *
 * <p>A passing mishap repeats a batch under its stamp. One that the store refuses for good is halved until the bad write
 * stands alone, unless it was sent before: it might have been done then, and would be done twice. An attempt that hangs
 * is given up; the next batch outruns it. Thread-safe.
 */
final class Coalescer implements Duty {
  private static final int MOST_CALLS = 1_000;
  private static final long MOST_BYTES = 16 * 1024 * 1024;
  private static final int MOST_HANGING = 8;
  private static final long TIMEOUT_NANOS = Duration.ofMillis(Repeater.TIMEOUT_MILLIS).toNanos();
  /** Who waits looks so often whether the store hangs. */
  private static final long LOOK_NANOS = Duration.ofSeconds(1).toNanos();
  /** Who was interrupted looks so often whether the store fails. */
  private static final long INTERRUPTED_LOOK_NANOS = Duration.ofMillis(20).toNanos();
  /** A batch is held back for this part of the time that the last one took. */
  private static final int HELD_BACK_PART = 4;
  private static final long MOST_HELD_BACK_NANOS = Duration.ofMillis(1).toNanos();
  /** A thread cannot be woken after less. */
  private static final long LEAST_HELD_BACK_NANOS = Duration.ofNanos(20_000).toNanos();
  /** So many batches are not held back after one that was, and for which nearly nobody came. */
  private static final int NOT_HELD_BACK = 16;

  private final TaskStore store;
  private final Node node;
  private final Driver driver;
  private final Room room;
  private final CompletableFuture<Void> written = new CompletableFuture<>();
  /** What the last attempt met; null if it was answered. */
  private volatile @Nullable StoreException mishap;

  private final Object lock = new Object();
  // All below is guarded by lock.
  private final Deque<WriteCall> line = new ArrayDeque<>();
  /** The halves of a batch that was refused. */
  private final Deque<Batch> parts = new ArrayDeque<>();
  private @Nullable Batch underWay;
  /** Not null while the last batch is over and the next is held back. */
  private @Nullable Gathering gathering;
  private int notHeldBack;
  private @Nullable Future<?> lastPromise;
  private long number;
  private int hanging;
  private boolean closed;

  /** A coalescer that keeps at most so many calls and bytes of {@link #writeAsync}. */
  Coalescer(TaskStore store, Node node, int mostCalls, long mostBytes) {
    this.store = store;
    this.node = node;
    driver = node.driver();
    room = new Room(mostCalls, mostBytes);
  }

  private record Key(String queue, String id) {}

  /** Some calls that are written at once. */
  private static final class Batch {
    final List<WriteCall> calls;
    final List<Write> writes;
    final Repeater.Patience patience;
    // Guarded by lock.
    long number;
    @Nullable
    Attempt attempt;
    boolean sentTwice;
    boolean over;

    Batch(List<WriteCall> calls, Repeater.Patience patience) {
      this.calls = calls;
      this.patience = patience;
      writes = calls.stream().map(call -> call.write).toList();
    }

    void fail(Throwable failure) {
      calls.forEach(call -> call.fail(failure));
    }

    boolean forsaken() {
      return calls.stream().allMatch(WriteCall::forsaken);
    }

    Batch part(int from, int to) {
      return new Batch(calls.subList(from, to), patience);
    }
  }

  /** Waiting for callers who may be back soon. */
  private static final class Gathering {
    final int stood;
    final int wanted;
    /** Complete when so many are there as are wanted. */
    final CompletableFuture<Void> allBack = new CompletableFuture<>();

    Gathering(int stood, int wanted) {
      this.stood = stood;
      this.wanted = wanted;
    }

    boolean inVain(int standing) {
      return 2 * (standing - stood) < wanted - stood;
    }
  }

  // Callers.

  /**
   * Writes, and waits for the answer.
   *
   * @throws StoreException if the store would not, or could not in time; it says what is known of it
   * @throws IllegalStateException if this is closed
   */
  Written write(Write write) {
    WriteCall.Awaited call = new WriteCall.Awaited(write, driver.nanos());
    Attempt attempt = accept(call);
    if (attempt != null) {
      callHere(attempt);
    }
    if (!await(call) && call.forsake()) {
      throw brokenOff(call);
    }
    return call.take();
  }

  /** An interrupt from before does not reach the store: it would break off here what it lets go on in line. */
  private void callHere(Attempt attempt) {
    boolean interrupted = Thread.interrupted();
    try {
      driver.callHere(attempt);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Accepts a write, waits for nothing but room, and returns a stage of what {@code told} makes of the answer. It has
   * failed at once if the write cannot be accepted.
   *
   * @param answered hears of it at once, on the thread that writes
   * @param told hears of it on the thread of callbacks, in the order of the calls
   * @throws IllegalStateException if this is closed, or a listener on the engine's thread would have to wait
   */
  <T> CompletionStage<T> writeAsync(Write write, Consumer<Written> answered, Function<Written, T> told) {
    CompletableFuture<T> stage = new CompletableFuture<>();
    try {
      promise(write, answered, told, stage);
    } catch (StoreException e) {
      stage.completeExceptionally(e);
    }
    // A copy: what its holder completes by himself is his own.
    return stage.minimalCompletionStage();
  }

  private <T> void promise(Write write, Consumer<Written> answered, Function<Written, T> told,
      CompletableFuture<T> stage) {
    int bytes = WriteCall.bytes(write);
    enter(bytes);
    WriteCall.Promised call = new WriteCall.Promised(write, driver.nanos());
    var unused = call.answer.thenAccept(answered);
    follow(call, told, stage);
    Attempt attempt;
    try {
      attempt = accept(call);
    } catch (RuntimeException e) {
      room.leave(bytes);
      throw e;
    }
    if (attempt != null) {
      send(attempt);
    }
  }

  /** Has the stage completed, and its room given back when the steps that follow are over: the end waits for them. */
  private <T> void follow(WriteCall.Promised call, Function<Written, T> told, CompletableFuture<T> stage) {
    var unused = call.answer.whenCompleteAsync((written, failure) -> {
      try {
        stage.complete(told.apply(Futures.result(written, failure)));
      } catch (Throwable e) {
        stage.completeExceptionally(e);
      }
      room.leave(WriteCall.bytes(call.write));
    }, node.callbacks());
  }

  private void enter(int bytes) {
    if (node.callbacks().running()) {
      // Room is made by this very thread.
      if (!room.enterBeyond(bytes)) {
        throw undone("no room, and a step that follows a stage cannot wait for it", mishap);
      }
      return;
    }
    for (Future<?> freed = room.enter(bytes); freed != null; freed = room.enter(bytes)) {
      node.requireMayWait();
      requireOpen();
      if (!await(freed)) {
        throw undone("interrupted while waiting for room", mishap);
      }
    }
  }

  /** Waits until all is answered that {@link #writeAsync} has accepted. */
  void awaitPromised() {
    Future<?> last;
    synchronized (lock) {
      last = lastPromise;
    }
    if (last != null && !await(last)) {
      throw undone("interrupted while waiting for earlier calls", mishap);
    }
  }

  private void requireOpen() {
    synchronized (lock) {
      if (closed) {
        throw new IllegalStateException("this Bide is closed: " + node.name());
      }
    }
  }

  /** Puts a call in line; if nothing is under way it is the next batch, and its attempt is returned. */
  private @Nullable Attempt accept(WriteCall call) {
    Gathering gathered = null;
    Attempt attempt = null;
    synchronized (lock) {
      requireOpen();
      if (hanging >= MOST_HANGING) {
        throw undone(MOST_HANGING + " calls to the store hang", null);
      }
      if (call instanceof WriteCall.Promised promised) {
        lastPromise = promised.answer;
      }
      if (underWay == null) {
        attempt = begin(new Batch(List.of(call), new Repeater.Patience(call.since)));
      } else {
        line.add(call);
        gathered = gathering != null && line.size() == gathering.wanted ? gathering : null;
      }
    }
    if (gathered != null) {
      gathered.allBack.complete(null);
    }
    return attempt;
  }

  /**
   * Waits until something is there. An interrupt ends that only while the store fails: else a call would be done or not
   * as it happens to stand in line.
   *
   * @return false if it was ended; the interrupt stays set
   */
  private boolean await(Future<?> something) {
    boolean interrupted = false;
    try {
      while (!something.isDone()) {
        interrupted |= Thread.interrupted();
        if (interrupted && mishap != null) {
          return false;
        }
        try {
          if (!driver.await(something, interrupted ? INTERRUPTED_LOOK_NANOS : LOOK_NANOS)) {
            giveUp(driver.nanos());
          }
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** What a caller is told who does not wait any longer. A batch that nobody waits for is not repeated. */
  private StoreException brokenOff(WriteCall call) {
    boolean unsent;
    Batch forsaken;
    synchronized (lock) {
      unsent = line.remove(call);
      forsaken = underWay != null && underWay.forsaken() ? underWay : null;
    }
    StoreException told = unsent ? undone("interrupted before it was sent", mishap) : Repeater.gaveUp(mishap);
    if (forsaken != null) {
      fail(forsaken, told);
    }
    return told;
  }

  private static StoreException undone(String why, @Nullable StoreException cause) {
    return StoreException.passing(why + ", so nothing was done" + (cause == null ? "" : ": " + cause.getMessage()),
        cause);
  }

  // Batches. Whoever has ended one begins the next.

  private Attempt begin(Batch batch) {
    assert Thread.holdsLock(lock);
    batch.number = ++number;
    underWay = batch;
    return again(batch, 0);
  }

  private Attempt again(Batch batch, long delayNanos) {
    Attempt attempt = new Attempt(batch, delayNanos);
    batch.attempt = attempt;
    return attempt;
  }

  /** Begins the next batch, perhaps after having waited for so many who were answered with one that took so long. */
  private void next(int answered, long tookNanos) {
    long nanos = Math.min(tookNanos / HELD_BACK_PART, MOST_HELD_BACK_NANOS);
    Gathering begun = answered > 0 && nanos >= LEAST_HELD_BACK_NANOS ? gather(answered) : null;
    try {
      if (begun != null) {
        driver.after(begun.allBack, nanos, this::next);
        return;
      }
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      // Nothing is held back then.
    }
    next();
  }

  private @Nullable Gathering gather(int answered) {
    synchronized (lock) {
      int wanted = Math.min(line.size() + answered, MOST_CALLS);
      boolean mayPay = wanted > 1 && wanted > line.size() && parts.isEmpty() && !closed;
      if (!mayPay) {
        return null;
      }
      if (notHeldBack > 0) {
        notHeldBack--;
        return null;
      }
      gathering = new Gathering(line.size(), wanted);
      return gathering;
    }
  }

  private void next() {
    Attempt attempt = take();
    while (attempt != null && !sent(attempt)) {
      attempt = take();
    }
  }

  private void send(Attempt attempt) {
    if (!sent(attempt)) {
      next();
    }
  }

  /** Has an attempt performed; fails its batch, and returns false, if there is no thread for it. */
  private boolean sent(Attempt attempt) {
    try {
      driver.call(attempt);
      return true;
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      StoreException failure = StoreException.passing("no thread to call the store", e);
      return !(attempt.back() && end(attempt.batch,
          attempt.batch.sentTwice ? Repeater.gaveUp(failure) : undone("it was not sent", failure)));
    }
  }

  private @Nullable Attempt take() {
    long now = driver.nanos();
    List<WriteCall> expired;
    Attempt attempt;
    boolean last;
    synchronized (lock) {
      if (gathering != null) {
        notHeldBack = gathering.inVain(line.size()) ? NOT_HELD_BACK : 0;
        gathering = null;
      }
      expired = expired(now);
      Batch batch = parts.isEmpty() ? prefix(now) : parts.pop();
      underWay = null;
      attempt = batch == null ? null : begin(batch);
      last = attempt == null && closed;
    }
    failUnsent(expired);
    if (last) {
      written.complete(null);
    }
    return attempt;
  }

  private @Nullable Batch prefix(long now) {
    List<WriteCall> calls = new ArrayList<>();
    Set<Key> keys = new HashSet<>();
    long bytes = 0;
    for (WriteCall call : line) {
      bytes += WriteCall.bytes(call.write);
      if (calls.size() == MOST_CALLS || bytes > MOST_BYTES || !keys.add(new Key(call.write.queue(), call.write.id()))) {
        break;
      }
      calls.add(call);
    }
    if (calls.isEmpty()) {
      return null;
    }
    // Out of memory, it is still in line.
    Batch batch = new Batch(calls, new Repeater.Patience(now));
    calls.forEach(call -> line.remove());
    return batch;
  }

  /**
   * Takes those out, in their order, who have waited too long; what was promised in the line comes behind all parts.
   */
  private List<WriteCall> expired(long now) {
    List<WriteCall> expired = new ArrayList<>();
    while (!parts.isEmpty() && parts.element().patience.over(now)) {
      expired.addAll(parts.pop().calls);
    }
    expired.addAll(expired(now, parts.isEmpty() ? WriteCall.class : WriteCall.Awaited.class));
    return expired;
  }

  /** Takes those out of the line who have waited too long; the others keep their order. */
  private List<WriteCall> expired(long now, Class<? extends WriteCall> kind) {
    List<WriteCall> expired = new ArrayList<>();
    for (Iterator<WriteCall> calls = line.iterator(); calls.hasNext();) {
      WriteCall call = calls.next();
      if (now - call.since < TIMEOUT_NANOS) {
        break;
      }
      if (kind.isInstance(call)) {
        calls.remove();
        expired.add(call);
      }
    }
    return expired;
  }

  private void failUnsent(List<WriteCall> calls) {
    for (WriteCall call : calls) {
      call.fail(undone("it waited " + Repeater.TIMEOUT_MILLIS / 1000 + " s behind others and was not sent", mishap));
    }
  }

  /** Takes a batch off its way; false if it was already. */
  private boolean end(Batch batch) {
    synchronized (lock) {
      if (batch.over) {
        return false;
      }
      batch.over = true;
      Attempt attempt = batch.attempt;
      batch.attempt = null;
      if (attempt != null && attempt.begun()) {
        attempt.hangs = true;
        hanging++;
      }
      return true;
    }
  }

  private boolean end(Batch batch, Throwable failure) {
    boolean ended = end(batch);
    if (ended) {
      batch.fail(failure);
    }
    return ended;
  }

  private void fail(Batch batch, Throwable failure) {
    if (end(batch)) {
      try {
        batch.fail(failure);
      } finally {
        next();
      }
    }
  }

  /** Answers all, and returns how many of them have waited for it. */
  private static int answer(Batch batch, List<Written> answers) {
    List<WriteCall.Awaited> awaited = new ArrayList<>();
    List<Written> theirs = new ArrayList<>();
    for (int i = 0; i < answers.size(); i++) {
      if (batch.calls.get(i) instanceof WriteCall.Awaited call) {
        awaited.add(call);
        theirs.add(answers.get(i));
      } else if (batch.calls.get(i) instanceof WriteCall.Promised call) {
        call.answer.complete(answers.get(i));
      }
    }
    WriteCall.Awaited.answer(awaited, theirs);
    return awaited.size();
  }

  private final class Attempt implements Driver.Call<Reply<List<Written>>> {
    final Batch batch;
    private final long delayNanos;
    private final long sent;
    private final Stamp stamp;
    /** Whether it was given up; guarded by lock. */
    boolean hangs;

    Attempt(Batch batch, long delayNanos) {
      this.batch = batch;
      this.delayNanos = delayNanos;
      sent = driver.nanos();
      stamp = new Stamp(node.name(), "calls", batch.number,
          node.time().storeMillis(sent) + Repeater.TIMEOUT_MILLIS);
    }

    @Override
    public boolean urgent() {
      return false;
    }

    @Override
    public long delayNanos() {
      return delayNanos;
    }

    boolean begun() {
      return driver.nanos() - sent >= delayNanos;
    }

    @Override
    public Reply<List<Written>> perform() {
      return store.write(batch.writes, stamp);
    }

    @Override
    public void answered(Reply<List<Written>> reply) {
      node.time().learn(reply, sent, driver.nanos());
      if (reply.late()) {
        failed(Repeater.late(reply));
      } else if (back()) {
        answered(reply.value());
      }
    }

    private void answered(List<Written> answers) {
      if (answers.size() != batch.calls.size()) {
        fail(batch, StoreException.lasting("a fault of the store: it gave " + answers.size() + " answers to "
            + batch.calls.size() + " writes, so whether they were done is unknown", null));
      } else if (end(batch)) {
        mishap = null;
        int awaited = 0;
        try {
          awaited = answer(batch, answers);
        } catch (Throwable e) {
          // Whatever it is, nobody must wait for ever.
          batch.fail(e);
        } finally {
          next(awaited, driver.nanos() - sent);
        }
      }
    }

    @Override
    public void failed(Throwable failure) {
      if (!back()) {
        return;
      }
      if (failure instanceof StoreException passing && passing.isTransient()) {
        mishap = passing;
        repeat(passing);
      } else if (refused(failure) && split(batch)) {
        next();
      } else {
        fail(batch, failure);
      }
    }

    private void repeat(StoreException passing) {
      long now = driver.nanos();
      long pause = batch.patience.pause(now);
      Attempt again = null;
      synchronized (lock) {
        batch.sentTwice = true;
        if (!batch.over && !batch.forsaken() && !batch.patience.over(now + pause)) {
          again = again(batch, pause);
        }
      }
      if (again != null) {
        send(again);
      } else {
        fail(batch, Repeater.gaveUp(passing));
      }
    }

    /** Learns that it is over, or will never begin; returns whether somebody still waits for it. */
    private boolean back() {
      synchronized (lock) {
        if (batch.attempt == this) {
          batch.attempt = null;
          return true;
        }
        hanging -= hangs ? 1 : 0;
        return false;
      }
    }
  }

  private static boolean refused(Throwable failure) {
    return failure instanceof StoreException || failure instanceof IllegalArgumentException;
  }

  private boolean split(Batch batch) {
    synchronized (lock) {
      int size = batch.calls.size();
      if (size == 1 || batch.sentTwice || batch.over) {
        return false;
      }
      batch.over = true;
      parts.push(batch.part(size / 2, size));
      parts.push(batch.part(0, size / 2));
      return true;
    }
  }

  // What takes too long, and the end.

  @Override
  public long turn(long now, Consumer<StoreRequest<?>> out) {
    giveUp(now);
    synchronized (lock) {
      // One that is over is being told, which may take as long as a listener likes.
      return underWay == null || underWay.over ? NEVER : underWay.patience.ends();
    }
  }

  /** What was promised is left to {@link #take}, so that it is told in its order: nobody waits for it. */
  private void giveUp(long now) {
    List<WriteCall> expired;
    Batch hangs;
    synchronized (lock) {
      expired = expired(now, WriteCall.Awaited.class);
      hangs = underWay != null && underWay.patience.over(now) ? underWay : null;
    }
    failUnsent(expired);
    if (hangs != null) {
      fail(hangs, Repeater.gaveUp(StoreException.passing("no answer from the store", mishap)));
    }
  }

  /** Accepts no more; what was accepted goes on. */
  void close() {
    boolean idle;
    synchronized (lock) {
      closed = true;
      idle = underWay == null;
    }
    if (idle) {
      written.complete(null);
    }
    room.close();
  }

  /** Returns what is complete when, after {@link #close}, all is answered and told. */
  CompletableFuture<Void> over() {
    return node.callbacks().running() ? written : CompletableFuture.allOf(written, room.empty());
  }

  /** Fails what is left after {@link #close}. */
  void abandon() {
    List<WriteCall> unsent;
    Batch batch;
    synchronized (lock) {
      unsent = new ArrayList<>();
      parts.forEach(part -> unsent.addAll(part.calls));
      unsent.addAll(line);
      parts.clear();
      line.clear();
      batch = underWay;
    }
    boolean ended = batch != null && end(batch, Repeater.gaveUp(StoreException.passing("the Bide was closed", mishap)));
    unsent.forEach(call -> call.fail(undone("the Bide was closed before it was sent", mishap)));
    if (ended) {
      next();
    }
  }
}
