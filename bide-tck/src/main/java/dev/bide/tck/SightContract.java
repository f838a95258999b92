package dev.bide.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.Claimed;
import dev.bide.spi.Host;
import dev.bide.spi.Sight;
import dev.bide.spi.Write;
import dev.bide.task.Amount;
import dev.bide.task.Load;
import dev.bide.task.OnExisting;
import dev.bide.task.PauseMode;
import dev.bide.task.Payload;
import dev.bide.task.Tag;
import dev.bide.task.Task;
import dev.bide.task.TaskCounts;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import dev.bide.task.TaskView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Lists, counts and forecasts. */
abstract class SightContract extends StoreTest {
  private static final Tag GOLD = new Tag("customer", "gold");
  private static final Tag EAST = new Tag("region", "east");

  // Helpers.

  private static TaskQuery all(TaskView view) {
    return TaskQuery.of(view);
  }

  private TaskPage page(TaskQuery query, int limit, String cursor) {
    return store.list(QUEUE, query, limit, cursor).value();
  }

  private List<String> ids(TaskQuery query) {
    return page(query, 1_000, "").tasks().stream().map(Task::id).toList();
  }

  private List<String> ids(TaskView view) {
    return ids(all(view));
  }

  /** Returns the ids of all pages of {@code size}. */
  private List<String> paged(TaskQuery query, int size) {
    List<String> ids = new ArrayList<>();
    String cursor = "";
    do {
      TaskPage page = page(query, size, cursor);
      assertTrue(page.tasks().size() <= size, "a page holds no more than was asked for");
      page.tasks().forEach(task -> ids.add(task.id()));
      cursor = page.next().orElse("");
    } while (!cursor.isEmpty());
    return ids;
  }

  private TaskCounts counts() {
    return store.counts(List.of(QUEUE)).value().get(0);
  }

  private Load load(long from, long width, int buckets) {
    return store.load(QUEUE, moment(from), width, buckets).value();
  }

  private static List<Amount> exactly(long... counts) {
    return Arrays.stream(counts).mapToObj(Amount::exactly).toList();
  }

  private Write.Insert tagged(String id, long delay, Tag... tags) {
    return new Write.Insert(QUEUE, id, Payload.of(id), in(delay), OnExisting.KEEP, null, null, List.of(tags));
  }

  private Write.Insert carrying(String id, String payload) {
    return new Write.Insert(QUEUE, id, Payload.of(payload), in(HOUR), OnExisting.KEEP, null, null, List.of());
  }

  private void pause(String id) {
    node.write(new Write.Pause(QUEUE, id, PauseMode.KEEP_DUE));
  }

  /** One task in each view; {@code at(MINUTE)} is now afterwards. */
  private void oneInEachView() {
    node.schedule("completed", in(0));
    node.complete(node.claim());
    node.schedule("failed", in(0));
    node.fail(node.claim());
    node.schedule("cancelled", in(0));
    node.cancel("cancelled");
    node.schedule("lapsed", in(0));
    node.claim();
    node.schedule("retry", in(0));
    node.retry(node.claim(), HOUR);
    node.schedule("paused", in(0));
    pause("paused");
    node.schedule("waiting", in(2 * HOUR));
    node.schedule("ready", in(20 * SECOND));
    at(10 * SECOND);
    node.schedule("processing", in(0));
    node.renew(node.claim(), 10 * MINUTE);
    at(MINUTE);
  }

  // Views and their order.

  @Test
  final void eachViewShowsWhatItSays() {
    oneInEachView();
    assertEquals(List.of("ready", "retry", "waiting"), ids(TaskView.WAITING));
    assertEquals(List.of("ready"), ids(TaskView.READY));
    assertEquals(List.of("retry"), ids(TaskView.RETRY));
    assertEquals(List.of("lapsed", "processing"), ids(TaskView.PROCESSING));
    assertEquals(List.of("lapsed"), ids(TaskView.LAPSED));
    assertEquals(List.of("paused"), ids(TaskView.PAUSED));
    assertEquals(List.of("completed"), ids(TaskView.COMPLETED));
    assertEquals(List.of("failed"), ids(TaskView.FAILED));
    assertEquals(List.of("cancelled"), ids(TaskView.CANCELLED));
    assertEquals(List.of("ready", "lapsed", "processing", "retry", "waiting", "paused"), ids(TaskView.LIVE));
    assertEquals(Set.of("completed", "failed", "cancelled"), new HashSet<>(ids(TaskView.FINISHED)));
  }

  @Test
  final void eachViewShowsTheSameWithPagesOfOne() {
    oneInEachView();
    for (TaskView view : TaskView.values()) {
      assertEquals(ids(view), paged(all(view), 1));
      TaskQuery byId = all(view).idPrefix("r");
      assertEquals(ids(byId), paged(byId, 1));
    }
  }

  @Test
  final void aListShowsATaskAsItStands() {
    node.write(tagged("a", HOUR, GOLD));
    at(MINUTE);
    assertEquals(List.of(task("a")), page(all(TaskView.WAITING), 10, "").tasks());
    assertEquals(Optional.of(instant(HOUR)), task("a").nextAt());
  }

  @Test
  final void liveTasksStandByTheirNextMomentAndEqualOnesAsTheyCame() {
    node.schedule("c", in(2));
    node.schedule("a", in(1));
    node.schedule("b", in(2));
    node.move("a", in(2));
    assertEquals(List.of("c", "a", "b"), ids(TaskView.WAITING));
    at(2);
    node.claim(1);
    assertEquals(List.of("a", "b", "c"), ids(TaskView.LIVE));
  }

  @Test
  final void pausedTasksStandLastAsTheyCame() {
    node.schedule("b", in(HOUR));
    node.schedule("a", in(HOUR));
    node.schedule("c", in(HOUR));
    pause("a");
    pause("b");
    assertEquals(List.of("c", "b", "a"), ids(TaskView.LIVE));
    assertEquals(List.of("b", "a"), paged(all(TaskView.PAUSED), 1));
  }

  @Test
  final void finishedTasksStandByTheirEndTheLatestFirst() {
    for (String id : List.of("a", "b", "c", "d")) {
      node.schedule(id, in(0));
    }
    List<Claimed> claims = node.claim(4);
    at(1);
    node.fail(claims.get(2));
    at(2);
    node.complete(claims.get(0));
    at(3);
    node.complete(claims.get(3));
    node.fail(claims.get(1));
    assertEquals(List.of("d", "b", "a", "c"), ids(TaskView.FINISHED));
    assertEquals(List.of("d", "a"), ids(TaskView.COMPLETED));
    assertEquals(List.of("b", "c"), ids(TaskView.FAILED));
  }

  @Test
  final void severalShardsMakeOneList() {
    define("wide", 8, ATTEMPTS);
    Node wide = node("wide", "wide", IntStream.range(0, 8).boxed().collect(java.util.stream.Collectors.toSet()));
    List<String> ids = IntStream.range(0, 50).mapToObj(i -> "t" + i).toList();
    for (int i = 0; i < 50; i++) {
      wide.schedule(ids.get(i), in(MINUTE + i));
    }
    assertEquals(ids,
        store.list("wide", all(TaskView.WAITING), 100, "").value().tasks().stream().map(Task::id).toList());
    assertEquals(List.of(), ids(TaskView.LIVE), "the other queue has none");
  }

  // What is asked for.

  @Test
  final void aRangeIncludesItsStartAndNotItsEnd() {
    for (int i = 0; i < 5; i++) {
      node.schedule("t" + i, in(HOUR + i));
    }
    pause("t2");
    assertEquals(List.of("t1", "t3"), ids(all(TaskView.LIVE).between(instant(HOUR + 1), instant(HOUR + 4))));
    assertEquals(List.of("t3", "t4"), ids(all(TaskView.LIVE).between(instant(HOUR + 3), Instant.MAX)));
    assertEquals(List.of("t0"), ids(all(TaskView.LIVE).between(Instant.MIN, instant(HOUR + 1))));
    assertEquals(List.of("t1"),
        ids(all(TaskView.WAITING).between(instant(HOUR).plusNanos(1), instant(HOUR + 1).plusNanos(1))));
  }

  @Test
  final void aRangeOfFinishedTasksIsOfTheirEnds() {
    for (int i = 0; i < 4; i++) {
      at(i);
      node.schedule("t" + i, in(0));
      node.complete(node.claim());
    }
    assertEquals(List.of("t2", "t1"), ids(all(TaskView.FINISHED).between(instant(1), instant(3))));
    assertEquals(List.of("t2", "t1"), paged(all(TaskView.FINISHED).between(instant(1), instant(3)), 1));
  }

  @Test
  final void anIdPrefixListsByIdInTheOrderOfItsBytes() {
    for (String id : List.of("order-9", "order-10", "ORDER-1", "orde", "order-é", "order-😀", "order-\uFFFD",
        "orders")) {
      node.schedule(id, in(HOUR));
    }
    List<String> wanted = List.of("order-10", "order-9", "order-é", "order-\uFFFD", "order-😀");
    assertEquals(wanted, ids(all(TaskView.LIVE).idPrefix("order-")));
    assertEquals(wanted, paged(all(TaskView.LIVE).idPrefix("order-"), 1));
    assertEquals(List.of("orde"),
        page(all(TaskView.LIVE).idPrefix("orde"), 1, "").tasks().stream().map(Task::id).toList());
    assertEquals(List.of(), ids(all(TaskView.LIVE).idPrefix("order-\uDC00")));
  }

  @Test
  final void anIdPrefixListsAllLivesOfAnIdTheLatestFirst() {
    for (int i = 0; i < 3; i++) {
      node.schedule("a", in(0), OnExisting.REUSE);
      Claimed claim = node.claim();
      if (i == 1) {
        node.fail(claim);
      } else {
        node.complete(claim);
      }
    }
    List<Long> seqs = page(all(TaskView.FINISHED).idPrefix("a"), 10, "").tasks().stream().map(Task::seq).toList();
    assertEquals(seqs.stream().sorted(Comparator.reverseOrder()).toList(), seqs);
    assertEquals(3, seqs.size());
    assertEquals(1, ids(all(TaskView.FAILED).idPrefix("a")).size());
    assertEquals(List.of("a", "a", "a"), paged(all(TaskView.FINISHED).idPrefix("a"), 1));
  }

  @Test
  final void aTagFindsLiveTasksAsTheyWereScheduled() {
    node.write(tagged("c", HOUR, GOLD, EAST));
    node.write(tagged("a", MINUTE, GOLD));
    node.write(tagged("b", MINUTE, EAST));
    node.write(tagged("d", MINUTE, new Tag("customer", "gol")));
    pause("a");
    assertEquals(List.of("c", "a"), ids(all(TaskView.LIVE).tag(GOLD)));
    assertEquals(List.of("c", "b"), paged(all(TaskView.LIVE).tag(EAST), 1));
    assertEquals(List.of("a"), ids(all(TaskView.PAUSED).tag(GOLD)));
    assertEquals(List.of(), ids(all(TaskView.WAITING).tag(new Tag("customer", "silver"))));
    assertEquals(List.of(GOLD, EAST), task("c").tags(), "in the order of their keys");
  }

  @Test
  final void aTagStaysWithItsTaskToTheEndAndBeyond() {
    node.write(tagged("a", 0, GOLD));
    node.write(tagged("b", 0, GOLD));
    node.write(tagged("c", 0, GOLD));
    List<Claimed> claims = node.claim(3);
    assertEquals(List.of("a", "b", "c"), ids(all(TaskView.PROCESSING).tag(GOLD)));
    at(1);
    node.complete(claims.get(1));
    at(2);
    node.fail(claims.get(0));
    node.retry(claims.get(2), 0);
    assertEquals(List.of("a", "b"), ids(all(TaskView.FINISHED).tag(GOLD)));
    assertEquals(List.of("a"), ids(all(TaskView.FAILED).tag(GOLD)));
    assertEquals(List.of("c"), ids(all(TaskView.LIVE).tag(GOLD)));
    node.write(new Write.Revive(QUEUE, "a"));
    assertEquals(List.of(GOLD), task("a").tags(), "a new life keeps the tags");
    assertEquals(List.of("c", "a"), ids(all(TaskView.LIVE).tag(GOLD)));
    assertEquals(List.of(), ids(all(TaskView.FAILED).tag(GOLD)));
  }

  @Test
  final void aReplacedTaskLeavesItsTagsToItsOldLife() {
    node.write(tagged("a", HOUR, GOLD));
    node.write(new Write.Insert(QUEUE, "a", Payload.EMPTY, in(HOUR), OnExisting.REPLACE, null, null, List.of(EAST)));
    assertEquals(List.of(), ids(all(TaskView.LIVE).tag(GOLD)));
    assertEquals(List.of("a"), ids(all(TaskView.LIVE).tag(EAST)));
    assertEquals(List.of("a"), ids(all(TaskView.CANCELLED).tag(GOLD)));
  }

  @Test
  final void tagsGoWithTheirTaskWhenItIsDropped() {
    node.write(tagged("a", 0, GOLD));
    node.complete(node.claim());
    at(RETENTION);
    assertEquals(1, store.prune(QUEUE, 10).value());
    assertEquals(List.of(), ids(all(TaskView.FINISHED).tag(GOLD)));
  }

  @Test
  final void aTextIsFoundInThePayloadByteByByte() {
    node.write(carrying("a", "{\"city\":\"Zürich\"}"));
    node.write(carrying("b", "{\"city\":\"Bern\"}"));
    node.write(carrying("c", ""));
    assertEquals(List.of("a"), ids(all(TaskView.LIVE).text("Zürich")));
    assertEquals(List.of("a", "b"), ids(all(TaskView.LIVE).text("\"city\"")));
    assertEquals(List.of(), ids(all(TaskView.LIVE).text("zürich")));
  }

  @Test
  final void everythingAskedForMustHold() {
    node.write(tagged("order-1", HOUR, GOLD));
    node.write(tagged("order-2", 2 * HOUR, GOLD));
    node.write(tagged("other-3", HOUR, GOLD));
    node.write(tagged("order-4", HOUR, EAST));
    TaskQuery query = all(TaskView.WAITING).tag(GOLD).idPrefix("order-").text("order")
        .between(instant(0), instant(HOUR + 1));
    assertEquals(List.of("order-1"), ids(query));
    assertEquals(List.of("order-1"), paged(query, 1));
  }

  @Test
  final void aQueueThatIsUnknownHasNothingToShow() {
    assertEquals(List.of(), store.list("nobody", all(TaskView.LIVE), 10, "").value().tasks());
    assertEquals(0, store.counts(List.of("nobody")).value().get(0).waiting());
    assertEquals(exactly(0), store.load("nobody", START, HOUR, 1).value().buckets());
    assertEquals(List.of(), store.ids("nobody", "", 10).value());
  }

  // Pages and cursors.

  @Test
  final void theLastPageHasNoNextOne() {
    node.schedule("a", in(HOUR));
    node.schedule("b", in(HOUR));
    assertEquals(Optional.empty(), page(all(TaskView.LIVE), 2, "").next());
    assertTrue(page(all(TaskView.LIVE), 1, "").next().isPresent());
  }

  @Test
  final void aCursorSurvivesInsertsEndsAndARestart() {
    for (String id : List.of("b", "d", "f", "h")) {
      node.schedule(id, in(id.charAt(0)));
    }
    TaskPage first = page(all(TaskView.WAITING), 2, "");
    node.schedule("a", in('a'));
    node.schedule("e", in('e'));
    node.cancel("d");
    restart();
    TaskPage second = page(all(TaskView.WAITING), 9, first.next().orElseThrow());
    assertEquals(List.of("e", "f", "h"), second.tasks().stream().map(Task::id).toList());
  }

  @Test
  final void aCursorOfAnotherListIsRefused() {
    node.schedule("a", in(HOUR));
    node.schedule("b", in(HOUR));
    String cursor = page(all(TaskView.LIVE), 1, "").next().orElseThrow();
    define("other", 1, ATTEMPTS);
    assertThrows(IllegalArgumentException.class, () -> page(all(TaskView.WAITING), 1, cursor));
    assertThrows(IllegalArgumentException.class, () -> store.list("other", all(TaskView.LIVE), 1, cursor));
    assertThrows(IllegalArgumentException.class, () -> page(all(TaskView.LIVE), 1, "nonsense"));
    assertThrows(IllegalArgumentException.class, () -> page(all(TaskView.LIVE), 1, "!"));
    assertThrows(IllegalArgumentException.class, () -> page(all(TaskView.LIVE), 0, ""));
  }

  @Test
  final void aSearchSaysHowMuchItHasSearchedAndGoesOnFromThere() {
    int tasks = Sight.MOST_SEARCHED + 100;
    for (int from = 0; from < tasks; from += 500) {
      node.write(IntStream.range(from, Math.min(tasks, from + 500))
          .mapToObj(i -> carrying("t" + i, i == tasks - 1 ? "needle" : "hay")).toList());
    }
    TaskQuery query = all(TaskView.LIVE).text("needle");
    TaskPage first = page(query, 10, "");
    assertEquals(List.of(), first.tasks());
    assertEquals(Sight.MOST_SEARCHED, first.searched());
    assertEquals(Amount.exactly(tasks), first.of());
    TaskPage second = page(query, 10, first.next().orElseThrow());
    assertEquals(List.of("t" + (tasks - 1)), second.tasks().stream().map(Task::id).toList());
    assertEquals(tasks, second.searched());
    assertEquals(Optional.empty(), second.next());
  }

  // Ids.

  @Test
  final void theLiveIdsComeInTheOrderOfTheirBytesPageByPage() {
    oneInEachView();
    for (String id : List.of("😀", "\uFFFD", "ä", "z")) {
      node.schedule(id, in(HOUR));
    }
    List<String> live = List.of("lapsed", "paused", "processing", "ready", "retry", "waiting", "z", "ä", "\uFFFD",
        "😀");
    List<String> ids = new ArrayList<>();
    for (List<String> page = store.ids(QUEUE, "", 3).value(); !page.isEmpty(); page = store
        .ids(QUEUE, ids.get(ids.size() - 1), 3).value()) {
      assertTrue(page.size() <= 3);
      ids.addAll(page);
    }
    assertEquals(live, ids);
    assertEquals(List.of("paused"), store.ids(QUEUE, "lapsed", 1).value());
    assertEquals(List.of(), store.ids(QUEUE, "😀", 1).value());
  }

  @Test
  final void theQueuesAreListedByName() {
    assertEquals(List.of(QUEUE), store.queues().names());
    define("b", 1, ATTEMPTS);
    define("Z", 2, ATTEMPTS);
    assertEquals(List.of("Z", "b", QUEUE), store.queues().names());
  }

  // Counts.

  @Test
  final void eachViewIsCounted() {
    oneInEachView();
    assertEquals(new TaskCounts(QUEUE, instant(MINUTE), 3, Amount.exactly(1), 1, 2, Amount.exactly(1), 1, 1, 1, 1),
        counts());
    restart();
    assertEquals(1, counts().paused(), "counters are kept");
  }

  @Test
  final void countsFollowATaskThroughItsLife() {
    node.schedule("a", in(MINUTE));
    assertEquals(1, counts().waiting());
    assertEquals(Amount.exactly(0), counts().ready());
    at(MINUTE);
    assertEquals(Amount.exactly(1), counts().ready(), "from the very moment");
    Claimed claim = node.claim();
    assertEquals(0, counts().waiting());
    assertEquals(1, counts().processing());
    at(MINUTE + LEASE - 1);
    assertEquals(Amount.exactly(0), counts().lapsed());
    at(MINUTE + LEASE);
    assertEquals(Amount.exactly(1), counts().lapsed());
    node.retry(claim, HOUR);
    assertEquals(1, counts().retry());
    assertEquals(1, counts().waiting());
    pause("a");
    assertEquals(0, counts().retry());
    assertEquals(1, counts().paused());
    node.cancel("a");
    assertEquals(0, counts().paused());
    assertEquals(1, counts().cancelled());
    at(MINUTE + LEASE + RETENTION);
    store.prune(QUEUE, 10);
    assertEquals(0, counts().cancelled());
  }

  @Test
  final void aRevivedTaskIsNoDeadLetterAnyMore() {
    node.schedule("a", in(0));
    node.fail(node.claim());
    assertEquals(1, counts().failed());
    node.write(new Write.Revive(QUEUE, "a"));
    assertEquals(0, counts().failed());
    assertEquals(1, counts().waiting());
    assertEquals(List.of(), ids(TaskView.FAILED));
    assertEquals(List.of("a"), ids(TaskView.FINISHED));
    assertEquals(Amount.exactly(1), page(all(TaskView.FINISHED), 1, "").of());
    at(DEAD_RETENTION);
    store.prune(QUEUE, 10);
    assertEquals(Amount.exactly(0), page(all(TaskView.FINISHED), 1, "").of());
  }

  @Test
  final void manyQueuesAreCountedInOneCallInTheOrderAskedFor() {
    define("b", 1, ATTEMPTS);
    node("b", "b", Set.of(0)).schedule("x", in(0));
    List<TaskCounts> counts = store.counts(List.of("b", QUEUE, "nobody")).value();
    assertEquals(List.of("b", QUEUE, "nobody"), counts.stream().map(TaskCounts::queue).toList());
    assertEquals(List.of(1L, 0L, 0L), counts.stream().map(TaskCounts::waiting).toList());
  }

  @Test
  final void whatIsRepeatedCountsOnce() {
    var stamp = node.nextWrite();
    List<Write> writes = List.of(node.insert("a", in(HOUR)));
    store.write(writes, stamp);
    store.write(writes, stamp);
    assertEquals(1, counts().waiting());
  }

  // Load.

  @Test
  final void theLoadIsCountedByTheHour() {
    node.schedule("a", in(0));
    node.schedule("b", in(HOUR - 1));
    node.schedule("c", in(HOUR));
    node.schedule("d", in(3 * HOUR - 1));
    node.schedule("e", in(400 * DAY));
    Load load = load(0, HOUR, 4);
    assertEquals(exactly(2, 1, 1, 0), load.buckets());
    assertEquals(instant(0), load.at());
    assertEquals(instant(2 * HOUR), load.start(2));
    assertEquals(exactly(4, 0), load(0, DAY, 2).buckets());
    assertEquals(exactly(5), load(-DAY, 1_000 * DAY, 1).buckets());
  }

  @Test
  final void bucketsNeedNotBeginWithAnHour() {
    for (int i = 0; i < 10; i++) {
      node.schedule("t" + i, in(i * 20 * MINUTE));
    }
    assertEquals(exactly(1, 1, 1, 1), load(-10 * MINUTE, 20 * MINUTE, 4).buckets());
    assertEquals(exactly(3, 3, 3), load(10 * MINUTE, HOUR, 3).buckets());
    assertEquals(exactly(9), load(1, 5 * HOUR, 1).buckets());
    assertEquals(exactly(1, 0), load(3 * HOUR, 1, 2).buckets());
  }

  @Test
  final void theLoadFollowsMovesPausesAndClaims() {
    for (String id : List.of("a", "b", "c", "d")) {
      node.schedule(id, in(10 * MINUTE));
    }
    node.move("a", in(HOUR));
    pause("b");
    node.cancel("c");
    assertEquals(exactly(1, 1), load(0, HOUR, 2).buckets());
    at(10 * MINUTE);
    Claimed claim = node.claim();
    assertEquals(exactly(0, 1), load(0, HOUR, 2).buckets(), "one in process is not to come");
    node.retry(claim, HOUR);
    node.write(new Write.Resume(QUEUE, "b"));
    assertEquals(exactly(1, 2), load(0, HOUR, 2).buckets());
  }

  @Test
  final void aLoadThatNobodyCanReadIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> load(0, HOUR, 0));
    assertThrows(IllegalArgumentException.class, () -> load(0, HOUR, Load.MOST + 1));
    assertThrows(IllegalArgumentException.class, () -> load(0, 0, 1));
    assertThrows(IllegalArgumentException.class, () -> store.load(QUEUE, -1, HOUR, 1));
    assertThrows(IllegalArgumentException.class, () -> load(0, Long.MAX_VALUE, 2));
  }

  // All of it, at random.

  /** Compares lists, counts and load with what {@code find} says of each task. */
  @Test
  final void listsCountsAndLoadAgreeWithTheTasks() {
    long seed = Long.getLong("bide.seed", Host.randomBits());
    Random random = new Random(seed);
    List<Claimed> held = new ArrayList<>();
    long now = 0;
    for (int step = 0; step < 400; step++) {
      String id = "t" + random.nextInt(30);
      switch (random.nextInt(10)) {
        case 0, 1, 2 -> node.write(new Write.Insert(QUEUE, id, Payload.of(id), in(random.nextInt((int) (3 * HOUR))),
            OnExisting.REUSE, null, null, random.nextBoolean() ? List.of(GOLD) : List.of()));
        case 3 -> node.move(id, in(random.nextInt((int) (3 * HOUR))));
        case 4 -> node.write(random.nextBoolean()
            ? new Write.Pause(QUEUE, id, PauseMode.KEEP_REMAINING)
            : new Write.Resume(QUEUE, id));
        case 5 -> node.write(random.nextBoolean() ? new Write.Revive(QUEUE, id) : new Write.Cancel(QUEUE, id, "me"));
        case 6 -> held.addAll(node.claim(1 + random.nextInt(3)));
        case 7, 8 -> {
          if (!held.isEmpty()) {
            Claimed claim = held.remove(random.nextInt(held.size()));
            switch (random.nextInt(4)) {
              case 0 -> node.complete(claim);
              case 1 -> node.fail(claim);
              case 2 -> node.release(claim);
              default -> node.retry(claim, random.nextInt((int) HOUR));
            }
          }
        }
        default -> {
          now += random.nextInt((int) (20 * MINUTE));
          at(now);
        }
      }
      if (step % 20 == 19) {
        assertAgreement("seed " + seed + ", step " + step, random);
      }
    }
  }

  private void assertAgreement(String where, Random random) {
    List<String> names = IntStream.range(0, 30).mapToObj(i -> "t" + i).toList();
    List<Task> live = store.find(QUEUE, names).value().stream().flatMap(Optional::stream)
        .filter(task -> !task.state().finished())
        .sorted(Comparator.<Task, Instant>comparing(task -> task.nextAt().orElse(Instant.MAX)).thenComparing(Task::seq))
        .toList();
    List<Task> all = everyPage(all(TaskView.LIVE), 1 + random.nextInt(7));
    assertEquals(live, all, where);
    for (TaskView view : TaskView.values()) {
      if (!view.finished()) {
        List<Task> shown = live.stream().filter(view::shows).toList();
        assertEquals(shown, everyPage(all(view), 1 + random.nextInt(5)), where);
        assertEquals(new HashSet<>(shown.stream().filter(task -> task.tags().contains(GOLD)).toList()),
            new HashSet<>(everyPage(all(view).tag(GOLD), 2)), where);
      }
    }
    List<Task> finished = everyPage(all(TaskView.FINISHED), 1 + random.nextInt(5));
    assertEquals(finished.size(), finished.stream().map(Task::seq).distinct().count(), where);
    TaskCounts counts = counts();
    assertEquals(size(live, TaskView.WAITING), counts.waiting(), where);
    assertEquals(Amount.exactly(size(live, TaskView.READY)), counts.ready(), where);
    assertEquals(size(live, TaskView.RETRY), counts.retry(), where);
    assertEquals(size(live, TaskView.PROCESSING), counts.processing(), where);
    assertEquals(Amount.exactly(size(live, TaskView.LAPSED)), counts.lapsed(), where);
    assertEquals(size(live, TaskView.PAUSED), counts.paused(), where);
    assertEquals(size(finished, TaskView.COMPLETED), counts.completed(), where);
    assertEquals(size(finished, TaskView.CANCELLED), counts.cancelled(), where);
    assertEquals(ids(TaskView.FAILED).size(), counts.failed(), where);
    assertEquals(Amount.exactly(finished.size()), page(all(TaskView.FINISHED), 1, "").of(), where);
    Instant from = live.isEmpty() ? instant(0) : live.get(0).seenAt();
    Load load = store.load(QUEUE, from.toEpochMilli(), 25 * MINUTE, 12).value();
    for (int i = 0; i < 12; i++) {
      Instant start = load.start(i);
      Instant end = load.start(i + 1);
      long wanted = live.stream().filter(TaskView.WAITING::shows).map(task -> task.nextAt().orElseThrow())
          .filter(moment -> !moment.isBefore(start) && moment.isBefore(end)).count();
      assertEquals(Amount.exactly(wanted), load.buckets().get(i), where);
    }
    assertEquals(live.stream().map(Task::id).sorted().toList(), store.ids(QUEUE, "", 1_000).value(), where);
  }

  private static long size(List<Task> tasks, TaskView view) {
    return tasks.stream().filter(view::shows).count();
  }

  private List<Task> everyPage(TaskQuery query, int size) {
    List<Task> tasks = new ArrayList<>();
    String cursor = "";
    do {
      TaskPage page = page(query, size, cursor);
      tasks.addAll(page.tasks());
      cursor = page.next().orElse("");
    } while (!cursor.isEmpty());
    return tasks;
  }

  // Where counting one by one would take too long.

  @Test
  final void whatIsTooMuchToCountIsAtLeastSoMuch() {
    int most = (int) Sight.MOST_COUNTED;
    for (int first = 0; first < most; first += 1_000) {
      node.write(IntStream.range(first, first + 1_000).mapToObj(i -> tagged("t" + i, HOUR + MINUTE)).toList());
    }
    assertEquals(exactly(0, most), load(HOUR, MINUTE, 2).buckets());
    assertEquals(Amount.atLeast(0), load(HOUR, MINUTE, 3).buckets().get(2), "nothing is counted any more");
    node.schedule("one more", in(HOUR + MINUTE));
    assertEquals(List.of(Amount.exactly(0), Amount.atLeast(most)), load(HOUR, MINUTE, 2).buckets());
    assertEquals(exactly(most + 1), load(HOUR, HOUR, 1).buckets());
    at(HOUR + MINUTE);
    assertEquals(Amount.atLeast(most), counts().ready());
    assertEquals(most + 1, counts().waiting());
    assertEquals(Amount.atLeast(most), page(all(TaskView.READY), 1, "").of());
    at(2 * HOUR);
    assertEquals(Amount.exactly(most + 1), counts().ready());
  }
}
