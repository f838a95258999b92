package dev.bide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.ClaimRequest;
import dev.bide.spi.ClaimRequest.Claimant;
import dev.bide.spi.Claimed;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Stamp;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import dev.bide.task.Task;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The real duties of a node without its threads: the test says when time passes, when a request is answered and when a
 * handler runs. All of it happens on the test's thread, so every run is the same.
 */
final class SteppedNode {
  /** What the store's clock shows when the engine's shows 0. */
  static final long START = 1_000_000;
  /** More rounds than any honest engine needs while time stands still. */
  private static final int TOO_MANY = 5_000;

  /** A store and a clock that several nodes can share. */
  static final class World {
    long nanos;
    final TappedStore store = new TappedStore(MemoryTaskStore.on(() -> START + nanos / 1_000_000));
    private long writes;

    /** Lets time pass, and nothing else. */
    void pass(Duration time) {
      nanos += time.toNanos();
    }

    /** Creates a task due {@code delayMillis} from now; nobody is told. */
    Written insert(String queue, String id, long delayMillis) {
      return write(new Write.Insert(queue, id, Payload.of(id), Due.fromNow(delayMillis)));
    }

    Written write(Write write) {
      return store.write(List.of(write), new Stamp("test", "test", ++writes, Long.MAX_VALUE)).value().get(0);
    }

    /** Creates tasks of a queue that a node claims and loses by its death, {@code lapses} times over. */
    void lapsed(String queue, int lapses, String... ids) {
      for (String id : ids) {
        insert(queue, id, 0);
      }
      for (int i = 0; i < lapses; i++) {
        List<String> claimed = store.exchange(List.of(), new ClaimRequest(queue, Set.of(0),
            new Stamp("gone", "gone", ++writes, Long.MAX_VALUE), false, 1_000, i == 0 ? 0 : 1_000, false, 1,
            Claimant.OUTSIDE)).claims()
            .stream().map(Claimed::id).toList();
        assertEquals(List.of(ids), claimed);
        pass(Duration.ofMillis(1));
      }
    }

    Task task(String queue, String id) {
      return store.find(queue, List.of(id)).value().get(0).orElseThrow();
    }
  }

  final World world;
  final Node node;
  final List<TaskEvent> events = new ArrayList<>();
  /** Requests that are not answered yet, oldest first. */
  final Deque<Asked<?>> asked = new ArrayDeque<>();
  /** Handlers that have been given to the executor and have not run, oldest first. */
  final Deque<Runnable> handlers;
  private final Deque<Runnable> posted = new ArrayDeque<>();
  private final List<Duty> duties = new ArrayList<>();

  SteppedNode(World world, String name) {
    this.world = world;
    StoreTime time = new StoreTime(world.store.now(), world.nanos, world.nanos);
    Events told = new Events(name, () -> time.storeMillis(world.nanos), List.of(events::add));
    HandDriver driver = new HandDriver(() -> world.nanos);
    handlers = driver.handlers;
    node = new Node(name, driver, new Callbacks(driver.callbacks()), time, new SuspectGate(), told, posted::add,
        posted::add, driver.starter(), driver.handlers(), true);
  }

  /** One queue of the node, its payloads texts. */
  final class Queue {
    final QueueSpec<String> spec;
    final Leases leases;
    final Dispatcher dispatcher;
    private final QueueSettings settings;

    Queue(QueueSpec<String> spec) {
      this.spec = spec;
      settings = world.store.queues().define(spec.settings());
      leases = new Leases(node, spec.name(), settings.leaseMillis());
      dispatcher = new Dispatcher(node, settings, leases, spec);
      duties.add(leases);
      duties.add(dispatcher);
    }

    /** Sets the handler. */
    Queue handle(Handler<String> handler) {
      dispatcher.workers().begin(HandlerRunner.of(handler, spec, Codecs.find(String.class, spec.codec()), node));
      return this;
    }

    /** Sets an asynchronous handler. */
    Queue handleAsync(AsyncHandler<String> handler) {
      dispatcher.workers().begin(HandlerRunner.ofAsync(handler, spec, Codecs.find(String.class, spec.codec()), node));
      return this;
    }

    /** Inserts a task and wakes this node for it, as {@link TaskQueue} does. */
    void schedule(String id, long delayMillis) {
      dispatcher.signal(world.insert(spec.name(), id, delayMillis).nextAt());
    }

    /** Begins to wait for claims. */
    Pulling pull(int max, Duration wait) {
      Pulling pulling = new Pulling(max, world.nanos + wait.toNanos());
      posted.add(() -> dispatcher.pull(pulling.pull));
      return pulling;
    }

    Task task(String id) {
      return world.task(spec.name(), id);
    }

    void settle(HeldClaim claim, Outcome outcome) {
      assertTrue(claim.beginSettling());
      posted.add(() -> dispatcher.settle(claim, outcome));
    }
  }

  /** A pull under way. */
  static final class Pulling {
    final CompletableFuture<List<HeldClaim>> taken = new CompletableFuture<>();
    final Dispatcher.Pull pull;

    Pulling(int max, long deadline) {
      pull = new Dispatcher.Pull(max, deadline, taken::complete);
    }

    boolean over() {
      return taken.isDone();
    }

    List<HeldClaim> claims() {
      return taken.getNow(List.of());
    }

    List<String> ids() {
      return claims().stream().map(claim -> claim.task.id()).toList();
    }
  }

  /** A request on its way to the store. */
  final class Asked<R> {
    private final StoreRequest<R> request;

    Asked(StoreRequest<R> request) {
      this.request = request;
    }

    boolean urgent() {
      return request.urgent();
    }

    /** The store does it, and answers. */
    void reply() {
      R reply = perform();
      arrive(reply);
    }

    /** The store does it; the reply is on its way. */
    R perform() {
      return request.perform(world.store);
    }

    /** A reply comes in. */
    void arrive(R reply) {
      asked.remove(this);
      request.answered(reply, world.nanos);
    }

    /** The store does it, and the reply is lost. */
    void loseReply(RuntimeException failure) {
      perform();
      fail(failure);
    }

    /** The store does not do it. */
    void fail(RuntimeException failure) {
      asked.remove(this);
      request.failed(failure, world.nanos);
    }

    /** As {@link #reply}; what the store says by itself counts, failures too. */
    void replyOrFail() {
      R reply;
      try {
        reply = perform();
      } catch (RuntimeException e) {
        fail(e);
        return;
      }
      arrive(reply);
    }
  }

  Queue queue(QueueSpec<String> spec) {
    return new Queue(spec);
  }

  Queue queue(String name) {
    return queue(QueueSpec.of(name, String.class));
  }

  void add(Duty duty) {
    duties.add(duty);
  }

  /** Runs something on the engine's thread at the next turn. */
  void post(Runnable step) {
    posted.add(step);
  }

  /**
   * One turn of the engine: what was posted, then a step of each duty. Returns when the next one is needed, in
   * nanoseconds.
   */
  long turn() {
    for (Runnable step = posted.poll(); step != null; step = posted.poll()) {
      step.run();
    }
    long next = Duty.NEVER;
    for (Duty duty : duties) {
      next = Math.min(next, duty.turn(world.nanos, request -> asked.add(new Asked<>(request))));
    }
    return next;
  }

  /** Turns, has the store answer everything, and runs no handler, until nothing happens any more. Time stands still. */
  long answerAll() {
    for (int round = 0; round < TOO_MANY; round++) {
      long next = turn();
      if (asked.isEmpty() && posted.isEmpty()) {
        if (next > world.nanos) {
          return next;
        }
      } else {
        List.copyOf(asked).forEach(Asked::replyOrFail);
      }
    }
    throw new AssertionError("a busy loop: " + world.store.calls(TappedStore.Kind.EXCHANGE).size() + " exchanges");
  }

  /** As {@link #answerAll}, and handlers run as they come. */
  long settleDown() {
    for (int round = 0; round < TOO_MANY; round++) {
      long next = answerAll();
      if (handlers.isEmpty() && posted.isEmpty()) {
        return next;
      }
      runHandlers();
    }
    throw new AssertionError("handlers without an end");
  }

  /** Runs the handlers that wait in the executor. */
  void runHandlers() {
    for (int i = handlers.size(); i > 0; i--) {
      handlers.remove().run();
    }
  }

  /** Lets time pass, and the node do what it wants to do meanwhile, handlers included. */
  void runFor(Duration time) {
    long end = world.nanos + time.toNanos();
    for (long next = settleDown(); next <= end; next = settleDown()) {
      world.nanos = next;
    }
    world.nanos = end;
  }

  /** As {@link #runFor}, but handlers stay in the executor. */
  void answerFor(Duration time) {
    long end = world.nanos + time.toNanos();
    for (long next = answerAll(); next <= end; next = answerAll()) {
      world.nanos = next;
    }
    world.nanos = end;
  }

  /** The exchange that waits for its answer. */
  Asked<?> exchange() {
    return one(false);
  }

  /** The renewal that waits for its answer. */
  Asked<?> renewal() {
    return one(true);
  }

  boolean exchangeUnderWay() {
    return asked.stream().anyMatch(each -> !each.urgent());
  }

  private Asked<?> one(boolean urgent) {
    List<Asked<?>> found = new ArrayList<>();
    asked.stream().filter(each -> each.urgent() == urgent).forEach(found::add);
    if (found.size() != 1) {
      throw new AssertionError("one " + (urgent ? "renewal" : "exchange") + " expected, got " + found.size());
    }
    return found.get(0);
  }

  /** How many exchanges the store has seen. */
  int exchanges() {
    return world.store.calls(TappedStore.Kind.EXCHANGE).size();
  }

  List<TaskEvent.Kind> kinds(String task) {
    return events.stream().filter(event -> event.task().equals(task)).map(TaskEvent::kind).toList();
  }

  Optional<TaskEvent> event(TaskEvent.Kind kind) {
    return events.stream().filter(event -> event.kind() == kind).findFirst();
  }

  static When in(long millis) {
    return When.in(Duration.ofMillis(millis));
  }
}
