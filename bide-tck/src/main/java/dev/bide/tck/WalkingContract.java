package dev.bide.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.bide.memory.MemoryTaskStore;
import dev.bide.spi.ClaimRequest;
import dev.bide.spi.ClaimRequest.Claimant;
import dev.bide.spi.Claimed;
import dev.bide.spi.End;
import dev.bide.spi.Ended;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Held;
import dev.bide.spi.Host;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Renewed;
import dev.bide.spi.Reply;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.Tally;
import dev.bide.spi.TaskStore;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Amount;
import dev.bide.task.Due;
import dev.bide.task.OnExisting;
import dev.bide.task.PauseMode;
import dev.bide.task.Payload;
import dev.bide.task.Tag;
import dev.bide.task.Task;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import dev.bide.task.TaskView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random steps, made on the store under test and on one in memory: every answer is the same, but for the numbers that a
 * store gives to lives and tokens, and all of them together are a {@link History} that may be. A failure names its seed
 * and its last steps; {@code -Dbide.seed=…} walks that way alone, and {@code -Dbide.seeds=…} sets how many ways.
 */
abstract class WalkingContract extends StoreTest {
  private static final int WALKS = Integer.getInteger("bide.seeds", Boolean.getBoolean("bide.long") ? 300 : 3);
  private static final int STEPS = 150;
  private static final int SHARDS = 2;
  private static final List<String> IDS = IntStream.range(0, 12).mapToObj(i -> "task-" + i).toList();

  @Override
  final void prepare() {
    at(0);
  }

  @Test
  final void whateverTheStepsTheAnswersAreThoseOfTheStoreInMemory() {
    Long only = Long.getLong("bide.seed");
    long first = only != null ? only : Host.randomBits();
    for (int walk = 0; walk < (only != null ? 1 : WALKS); walk++) {
      new Walk(first + walk, "walk-" + walk).go();
    }
  }

  /** One walk, in a queue of its own. */
  private final class Walk {
    private final long seed;
    private final String queue;
    private final Random random;
    private final TaskStore model;
    private final History history = new History(SHARDS);
    private final List<String> steps = new ArrayList<>();
    private final List<Taken> taken = new ArrayList<>();
    private final Map<Long, Long> lives = new HashMap<>();
    private final Map<String, Long> numbers = new HashMap<>();
    private long clock = store.now();
    private @Nullable Sent<List<Write>> lastWrite;
    private @Nullable Sent<ClaimRequest> lastRequest;

    /** A claim as both stores gave it. */
    private record Taken(Claimed real, Claimed model) {}

    /** A call that may be sent again. */
    private record Sent<T>(T call, Stamp stamp) {}

    Walk(long seed, String queue) {
      this.seed = seed;
      this.queue = queue;
      random = new Random(seed);
      model = MemoryTaskStore.on(() -> clock);
      QueueSettings settings = settings();
      assertEquals(model.queues().define(settings), store.queues().define(settings));
      history.limitedTo(settings.maxAttempts());
    }

    void go() {
      try {
        for (int step = 0; step < STEPS; step++) {
          step();
        }
        look();
      } catch (AssertionError e) {
        throw new AssertionError(e.getMessage() + ", with seed " + seed + " after these steps:\n"
            + String.join("\n", steps.subList(Math.max(0, steps.size() - 25), steps.size())), e);
      }
    }

    private void step() {
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> write();
        case 3, 4, 5, 6 -> exchange();
        case 7 -> renew();
        case 8, 9 -> turnTheClock();
        case 10 -> look();
        default -> keepHouse();
      }
    }

    // Steps.

    private void write() {
      Sent<List<Write>> sent = lastWrite != null && random.nextInt(6) == 0
          ? lastWrite
          : new Sent<>(someWrites(), stamp(queue + " caller-" + random.nextInt(2)));
      lastWrite = sent;
      did("write " + sent);
      Reply<List<Written>> expected = model.write(sent.call, sent.stamp);
      Reply<List<Written>> actual = store.write(sent.call, sent.stamp);
      assertEquals(expected.now(), actual.now());
      assertEquals(expected.late(), actual.late());
      if (!expected.late()) {
        List<Written> answers = expected.value();
        for (int i = 0; i < answers.size(); i++) {
          long life = answers.get(i).seq();
          if (life != 0) {
            assertEquals(lives.computeIfAbsent(actual.value().get(i).seq(), seq -> life), life);
          }
        }
        assertEquals(withoutSeq(answers), withoutSeq(actual.value()));
      }
      history.written(sent.call, sent.stamp, actual);
    }

    private void exchange() {
      Sent<ClaimRequest> sent = lastRequest != null && random.nextInt(5) == 0 ? again(lastRequest) : request();
      lastRequest = sent;
      List<Taken> settled = someTaken();
      List<Settlement> ends = settled.stream().map(each -> someEnd(each.model)).toList();
      did("exchange " + ends + " " + sent.call);
      Exchanged expected = model.exchange(ends, sent.call);
      List<Settlement> realEnds = IntStream.range(0, ends.size())
          .mapToObj(i -> by(settled.get(i).real, ends.get(i))).toList();
      Exchanged actual = store.exchange(realEnds, sent.call);
      assertEquals(expected.settled(), actual.settled());
      assertEquals(expected.claims().stream().map(Walk::withoutNumbers).toList(),
          actual.claims().stream().map(Walk::withoutNumbers).toList());
      assertEquals(endedById(expected), endedById(actual));
      assertEquals(List.of(expected.now(), expected.next(), expected.more(), expected.suspectsLeft(), expected.late()),
          List.of(actual.now(), actual.next(), actual.more(), actual.suspectsLeft(), actual.late()));
      for (int i = 0; i < expected.claims().size(); i++) {
        taken.add(new Taken(actual.claims().get(i), expected.claims().get(i)));
        assertEquals(lives.get(actual.claims().get(i).seq()), expected.claims().get(i).seq());
      }
      history.exchanged(realEnds, sent.call, actual);
    }

    private void renew() {
      List<Taken> some = someTaken();
      long leaseMillis = random.nextInt(2) == 0 ? LEASE : 1;
      did("renew " + some.stream().map(each -> each.model).toList());
      List<Held> held = held(some, Taken::real);
      Reply<List<Renewed>> actual = store.renew(held, leaseMillis);
      assertEquals(model.renew(held(some, Taken::model), leaseMillis).value(), actual.value());
      history.renewed(held, leaseMillis, actual);
    }

    private void turnTheClock() {
      long step = switch (random.nextInt(10)) {
        case 0 -> LEASE;
        case 1 -> -SECOND;
        case 2 -> random.nextInt(4) == 0 ? RETENTION : HOUR;
        default -> random.nextInt(5) * 500L;
      };
      clock += step;
      did("clock " + step);
      fixture.setNow(clock);
      ClaimRequest nothing = new ClaimRequest(queue, Set.of(), new Stamp(queue, "clock", 0, 0), false, 0, 0, false, 1,
          Claimant.OUTSIDE);
      assertEquals(model.exchange(List.of(), nothing).now(), store.exchange(List.of(), nothing).now());
    }

    private void look() {
      did("look");
      Reply<List<Optional<Task>>> expected = model.find(queue, IDS);
      Reply<List<Optional<Task>>> actual = store.find(queue, IDS);
      assertEquals(expected.now(), actual.now());
      for (int i = 0; i < IDS.size(); i++) {
        assertEquals(expected.value().get(i).map(Walk::withoutSeq), actual.value().get(i).map(Walk::withoutSeq));
      }
      history.found(IDS, actual);
      assertEquals(model.counts(List.of(queue)).value(), store.counts(List.of(queue)).value());
      long hour = clock - clock % Tally.HOUR_MILLIS;
      assertEquals(model.load(queue, hour, Tally.HOUR_MILLIS, 48).value(),
          store.load(queue, hour, Tally.HOUR_MILLIS, 48).value());
      for (TaskView view : TaskView.values()) {
        TaskQuery query = TaskQuery.of(view);
        TaskPage page = store.list(queue, query, 1_000, "").value();
        assertEquals(shown(model.list(queue, query, 1_000, "").value()), shown(page), view.name());
        assertEquals(Amount.exactly(page.tasks().size()), page.of(), view.name());
      }
    }

    /** Equal moments are in the order of the seqs, which are each store's own. */
    private static Set<Task> shown(TaskPage page) {
      return page.tasks().stream().map(Walk::withoutSeq).collect(Collectors.toSet());
    }

    private void keepHouse() {
      switch (random.nextInt(6)) {
        case 2 -> {
          did("pause");
          model.queues().pause(queue);
          store.queues().pause(queue);
          history.paused(true);
        }
        case 3, 4 -> {
          did("resume");
          model.queues().resume(queue);
          store.queues().resume(queue);
          assertEquals(model.queues().pauseOf(queue), store.queues().pauseOf(queue));
          history.paused(false);
        }
        case 0 -> {
          did("restart");
          restart();
        }
        case 1 -> update();
        default -> {
          did("prune");
          // What is sent again after this may be forgotten by now.
          lastWrite = null;
          lastRequest = null;
          assertEquals(model.prune(queue, 1_000).value(), store.prune(queue, 1_000).value());
        }
      }
    }

    private void update() {
      QueueSettings settings = settings();
      did("update " + settings);
      assertEquals(model.queues().update(settings), store.queues().update(settings));
      history.limitedTo(settings.maxAttempts());
    }

    // What the steps are made of.

    private QueueSettings settings() {
      return new QueueSettings(queue, SHARDS, 1 + random.nextInt(4), LEASE, random.nextInt(2) * RETENTION,
          random.nextInt(2) * DEAD_RETENTION);
    }

    private List<Write> someWrites() {
      List<String> ids = new ArrayList<>(IDS);
      Collections.shuffle(ids, random);
      return ids.stream().limit(1 + random.nextInt(4)).map(this::someWrite).toList();
    }

    private Write someWrite(String id) {
      return switch (random.nextInt(10)) {
        case 0 -> new Write.Cancel(queue, id, "caller");
        case 3 -> new Write.Pause(queue, id, any(PauseMode.values()));
        case 4 -> new Write.Resume(queue, id);
        case 5 -> new Write.Revive(queue, id);
        case 1, 2 -> new Write.Move(queue, id, someDue(Due.Base.values()), random.nextBoolean() ? "moved" : null);
        default -> new Write.Insert(queue, id, Payload.of("payload " + random.nextInt()),
            someDue(Due.Base.INSTANT, Due.Base.FROM_NOW), any(OnExisting.values()),
            random.nextBoolean() ? "rule" : null,
            random.nextBoolean() ? "Asia/Shanghai" : null,
            random.nextBoolean() ? List.of(new Tag("customer", "" + random.nextInt(3))) : List.of());
      };
    }

    private Due someDue(Due.Base... bases) {
      Due.Base base = any(bases);
      long millis = random.nextInt(5) * 500L + (base == Due.Base.INSTANT ? clock - SECOND : 0);
      Due.Past past = any(Due.Past.values());
      return new Due(base, millis, random.nextInt(3) * 300L, random.nextBoolean() ? 1 : SECOND, past,
          past == Due.Past.EXPIRE ? random.nextInt(2) * 500L : 0, random.nextInt(4) == 0);
    }

    private Sent<ClaimRequest> request() {
      Stamp stamp = stamp(queue + " node-" + random.nextInt(2));
      return new Sent<>(new ClaimRequest(queue, Set.of(random.nextInt(SHARDS)), stamp, false, random.nextInt(5),
          random.nextInt(3), random.nextBoolean(), random.nextInt(4) == 0 ? 1 : LEASE, Claimant.OUTSIDE), stamp);
    }

    /** The last request again, or its first copy once more. */
    private Sent<ClaimRequest> again(Sent<ClaimRequest> last) {
      return random.nextInt(3) == 0 ? last : new Sent<>(last.call.again(Node.FOREVER), last.stamp);
    }

    /** Mostly the next number; now and then one that is late. */
    private Stamp stamp(String sender) {
      long number = numbers.merge(sender, 1L, Long::sum);
      return switch (random.nextInt(12)) {
        case 0 -> new Stamp(sender, "stream", number, clock - 1);
        case 1 -> new Stamp(sender, "stream", Math.max(1, number - 2), Node.FOREVER);
        default -> new Stamp(sender, "stream", number, Node.FOREVER);
      };
    }

    /** Claims of any age, some settled before, some lost. */
    private List<Taken> someTaken() {
      List<Taken> some = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0 && !taken.isEmpty(); i--) {
        int age = random.nextInt(random.nextInt(3) == 0 ? taken.size() : Math.min(5, taken.size()));
        some.add(taken.get(taken.size() - 1 - age));
      }
      return some;
    }

    private Settlement someEnd(Claimed claim) {
      return new Settlement(claim.id(), claim.seq(), claim.token(), any(End.values()), random.nextInt(3) * 700L,
          "note " + random.nextInt(3));
    }

    private <T> T any(T[] values) {
      return values[random.nextInt(values.length)];
    }

    // How answers are compared.

    private static Settlement by(Claimed claim, Settlement end) {
      return new Settlement(claim.id(), claim.seq(), claim.token(), end.end(), end.delayMillis(), end.note());
    }

    private List<Held> held(List<Taken> some, Function<Taken, Claimed> whose) {
      return some.stream().map(whose).map(claim -> new Held(queue, claim.seq(), claim.token())).toList();
    }

    private static List<Written> withoutSeq(List<Written> answers) {
      return answers.stream().map(each -> new Written(each.answer(), each.found(), 0, each.dueAt(), each.nextAt()))
          .toList();
    }

    private static Claimed withoutNumbers(Claimed claim) {
      return new Claimed(claim.id(), 0, 0, claim.attempt(), claim.lapses(), claim.grave(), claim.payload(),
          claim.createdAt(), claim.dueAt(), claim.readyAt(), claim.claimedAt(), claim.heldBack(),
          claim.cancelRequested(),
          claim.rule());
    }

    private static List<Ended> endedById(Exchanged reply) {
      return reply.ended().stream().map(
          each -> new Ended(each.id(), 0, each.state(), each.attempt(), each.lapses(), each.outcome()))
          .sorted(Comparator.comparing(Ended::id)).toList();
    }

    private static Task withoutSeq(Task task) {
      return new Task(task.queue(), task.id(), 0, task.state(), task.payload(), task.seenAt(), task.createdAt(),
          task.dueAt(), task.readyAt(), task.nextAt(), task.updatedAt(), task.stoppedAt(), task.attempt(),
          task.claims(), task.lapses(),
          task.node(), task.cancelRequested(), task.attempts(), task.outcome(), task.rule(), task.zone(), task.tags());
    }

    private void did(String step) {
      steps.add(clock - START + ": " + step);
    }
  }
}
