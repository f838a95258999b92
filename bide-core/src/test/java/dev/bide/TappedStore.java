package dev.bide;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Held;
import dev.bide.spi.QueueStore;
import dev.bide.spi.Renewed;
import dev.bide.spi.Reply;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.TaskStore;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Load;
import dev.bide.task.Task;
import dev.bide.task.TaskCounts;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/**
 * Passes calls on to another store, and lets a test see them, delay them or fail them. Thread-safe as far as the test's
 * own {@link Tap} is.
 */
class TappedStore implements TaskStore {

  /** Stands before a call: it may wait or throw. */
  interface Tap {
    void on(Call call);
  }

  /** One call, as it came in. */
  record Call(Kind kind, List<Settlement> settlements, Optional<ClaimRequest> request, List<Held> held) {
    int limit() {
      return request.map(ClaimRequest::limit).orElse(0);
    }
  }

  enum Kind {
    WRITE, EXCHANGE, RENEW, FIND, LOOK, PRUNE, QUEUES
  }

  private final TaskStore store;
  private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
  private volatile Tap before = call -> {};
  private volatile Tap after = call -> {};
  volatile boolean closed;

  TappedStore(TaskStore store) {
    this.store = store;
  }

  /** Calls {@code tap} before each call from now on. */
  void before(Tap tap) {
    before = tap;
  }

  /** Calls {@code tap} after each call from now on: what it throws is a reply that is lost. */
  void after(Tap tap) {
    after = tap;
  }

  List<Call> calls(Kind kind) {
    return calls.stream().filter(call -> call.kind == kind).toList();
  }

  void forget() {
    calls.clear();
  }

  private <T> T tapped(Call call, Supplier<T> body) {
    calls.add(call);
    before.on(call);
    T reply = body.get();
    after.on(call);
    return reply;
  }

  private static Call call(Kind kind) {
    return new Call(kind, List.of(), Optional.empty(), List.of());
  }

  @Override
  public Reply<List<Written>> write(List<Write> writes, Stamp stamp) {
    return tapped(call(Kind.WRITE), () -> store.write(writes, stamp));
  }

  @Override
  public Exchanged exchange(List<Settlement> settlements, ClaimRequest request) {
    return tapped(new Call(Kind.EXCHANGE, List.copyOf(settlements), Optional.of(request), List.of()),
        () -> store.exchange(settlements, request));
  }

  @Override
  public Reply<List<Renewed>> renew(List<Held> claims, long leaseMillis) {
    return tapped(new Call(Kind.RENEW, List.of(), Optional.empty(), List.copyOf(claims)),
        () -> store.renew(claims, leaseMillis));
  }

  @Override
  public Reply<List<Optional<Task>>> find(String queue, List<String> ids) {
    return tapped(call(Kind.FIND), () -> store.find(queue, ids));
  }

  @Override
  public Reply<TaskPage> list(String queue, TaskQuery query, int limit, String cursor) {
    return tapped(call(Kind.LOOK), () -> store.list(queue, query, limit, cursor));
  }

  @Override
  public Reply<List<String>> ids(String queue, String after, int limit) {
    return tapped(call(Kind.LOOK), () -> store.ids(queue, after, limit));
  }

  @Override
  public Reply<List<TaskCounts>> counts(List<String> queues) {
    return tapped(call(Kind.LOOK), () -> store.counts(queues));
  }

  @Override
  public Reply<Load> load(String queue, long from, long widthMillis, int buckets) {
    return tapped(call(Kind.LOOK), () -> store.load(queue, from, widthMillis, buckets));
  }

  @Override
  public Reply<Integer> prune(String queue, int limit) {
    return tapped(call(Kind.PRUNE), () -> store.prune(queue, limit));
  }

  @Override
  public QueueStore queues() {
    return tapped(call(Kind.QUEUES), store::queues);
  }

  @Override
  public long now() {
    return store.now();
  }

  @Override
  public void close() {
    closed = true;
    store.close();
  }
}
