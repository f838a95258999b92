package dev.bide.memory;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.ClaimRequest.Claimant;
import dev.bide.spi.End;
import dev.bide.spi.Held;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.TaskStore;
import dev.bide.spi.Write;
import dev.bide.task.Due;
import dev.bide.task.OnExisting;
import dev.bide.task.PauseMode;
import dev.bide.task.Payload;
import dev.bide.task.TaskState;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;

/**
 * The calls of a store in memory, in a form in which Lincheck can mix and compare them: parameters are drawn from so
 * few values that calls meet, answers are texts. A settlement or renewal names a claim that may be. Each thread has a
 * stream of stamps of its own. The clock stands still but for {@link #advance}.
 */
@Param(name = "id", gen = IntGen.class, conf = "1:2")
@Param(name = "seq", gen = IntGen.class, conf = "1:2")
@Param(name = "token", gen = IntGen.class, conf = "1:2")
@Param(name = "delay", gen = IntGen.class, conf = "0:1")
@Param(name = "thread", gen = ThreadIdGen.class)
public final class StoreOperations {
  private static final String QUEUE = "q";
  private static final int STEP_MILLIS = 10;
  private static final int LEASE_MILLIS = 15;

  private final AtomicLong clock = new AtomicLong();
  private final TaskStore store = MemoryTaskStore.on(clock::get);
  private final long[] calls = new long[8];

  /** A store with one queue and no task. */
  public StoreOperations() {
    store.queues().define(new QueueSettings(QUEUE, 1, 2, 1_000, 0, 0));
  }

  @Operation
  public String insert(@Param(name = "id") int id, @Param(name = "delay") int delay, OnExisting onExisting,
      @Param(name = "thread") int thread) {
    return write(new Write.Insert(QUEUE, name(id), Payload.EMPTY, in(delay), onExisting, null, null, List.of()),
        thread);
  }

  @Operation
  public String cancel(@Param(name = "id") int id, @Param(name = "thread") int thread) {
    return write(new Write.Cancel(QUEUE, name(id), "caller"), thread);
  }

  @Operation
  public String move(@Param(name = "id") int id, @Param(name = "delay") int delay,
      @Param(name = "thread") int thread) {
    return write(new Write.Move(QUEUE, name(id), in(delay), null), thread);
  }

  @Operation
  public String pause(@Param(name = "id") int id, PauseMode mode, @Param(name = "thread") int thread) {
    return write(new Write.Pause(QUEUE, name(id), mode), thread);
  }

  @Operation
  public String resume(@Param(name = "id") int id, @Param(name = "thread") int thread) {
    return write(new Write.Resume(QUEUE, name(id)), thread);
  }

  @Operation
  public String claim(@Param(name = "thread") int thread) {
    return exchange(List.of(), 1, thread);
  }

  @Operation
  public String settle(@Param(name = "id") int id, @Param(name = "seq") int seq,
      @Param(name = "token") int token, End end, @Param(name = "thread") int thread) {
    return exchange(List.of(new Settlement(name(id), seq, token, end, 0, "note")), 0, thread);
  }

  @Operation
  public String renew(@Param(name = "seq") int seq, @Param(name = "token") int token) {
    return store.renew(List.of(new Held(QUEUE, seq, token)), LEASE_MILLIS).toString();
  }

  @Operation
  public String find(@Param(name = "id") int id) {
    return store.find(QUEUE, List.of(name(id))).toString();
  }

  @Operation
  public long advance() {
    return clock.addAndGet(STEP_MILLIS);
  }

  /** Looks at a task, and cancels it in a call of its own if it was seen waiting. */
  String cancelHastily(int id, int thread) {
    boolean waits = store.find(QUEUE, List.of(name(id))).value().get(0)
        .filter(task -> task.state() == TaskState.WAITING).isPresent();
    cancel(id, thread);
    return waits ? "cancelled" : "not cancelled";
  }

  private String write(Write write, int thread) {
    return store.write(List.of(write), stamp("writes", thread)).toString();
  }

  private String exchange(List<Settlement> settlements, int limit, int thread) {
    return store.exchange(settlements,
        new ClaimRequest(QUEUE, Set.of(0), stamp("claims", thread), false, limit, limit, true, LEASE_MILLIS,
            Claimant.OUTSIDE))
        .toString();
  }

  private Stamp stamp(String stream, int thread) {
    return new Stamp("node-" + thread, stream, ++calls[thread], Due.LAST);
  }

  private static Due in(int steps) {
    return Due.fromNow(steps * STEP_MILLIS);
  }

  private static String name(int id) {
    return "task-" + id;
  }
}
