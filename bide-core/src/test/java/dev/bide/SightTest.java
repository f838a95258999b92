package dev.bide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.delay.When;
import dev.bide.memory.MemoryTaskStore;
import dev.bide.task.Amount;
import dev.bide.task.Load;
import dev.bide.task.Tag;
import dev.bide.task.Task;
import dev.bide.task.TaskCounts;
import dev.bide.task.TaskPage;
import dev.bide.task.TaskQuery;
import dev.bide.task.TaskView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What callers see of a queue without taking anything; the store's clock stands still unless a test turns it. */
class SightTest {
  private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");
  private static final When LATER = When.in(Duration.ofMinutes(30));

  private final AtomicLong clock = new AtomicLong(START.toEpochMilli());
  private final TappedStore store = new TappedStore(MemoryTaskStore.on(clock::get));
  private final Bide bide = Bide.on(store).start();
  private final TaskQueue<String> queue = bide.queue(QueueSpec.of("orders", String.class));

  @AfterEach
  void close() {
    bide.close();
  }

  private static List<String> ids(TaskPage page) {
    return page.tasks().stream().map(Task::id).toList();
  }

  private void complete(String id) {
    queue.schedule(id, "", When.in(Duration.ZERO));
    queue.take(1, Duration.ofSeconds(10)).get(0).settle(Outcome.skip("paid"));
  }

  @Test
  void manyTasksAreFoundInTheOrderOfTheirIds() {
    queue.schedule("a", "", LATER);
    queue.schedule("b", "", LATER);
    List<Optional<Task>> found = queue.find(List.of("b", "nobody", "a"));
    assertEquals(List.of("b", "none", "a"), found.stream().map(task -> task.map(Task::id).orElse("none")).toList());
    assertEquals(List.of(), queue.find(List.of()));
    assertThrows(IllegalArgumentException.class, () -> queue.find(List.of("")));
    assertThrows(IllegalArgumentException.class, () -> queue.find(Collections.nCopies(1_001, "a")));
  }

  @Test
  void aTagAndATextFindTasks() {
    queue.schedule(Entry.of("a", "express", LATER).tag("customer", "42").tag("region", "east"));
    queue.schedule(Entry.of("b", "slow", LATER).tag("customer", "42").tag("customer", "42"));
    queue.schedule(Entry.of("c", "express", LATER));
    TaskQuery ofCustomer = TaskQuery.of(TaskView.LIVE).tag(new Tag("customer", "42"));
    assertEquals(List.of("a", "b"), ids(queue.list(ofCustomer, 10)));
    assertEquals(List.of("a"), ids(queue.list(ofCustomer.text("express"), 10)));
    assertEquals(List.of(new Tag("customer", "42")), queue.inspect("b").orElseThrow().tags());
  }

  @Test
  void anEntryRefusesWhatIsNoTag() {
    Entry<String> entry = Entry.of("a", "", LATER);
    assertThrows(IllegalArgumentException.class, () -> entry.tag("no key", "x"));
    assertThrows(IllegalArgumentException.class, () -> entry.tag("key", ""));
    assertThrows(IllegalArgumentException.class, () -> entry.tag("key", "a\nb"));
    assertThrows(IllegalArgumentException.class, () -> entry.tag("key", "x".repeat(101)));
    Entry<String> full = IntStream.range(0, Tag.MOST).boxed().reduce(entry, (e, i) -> e.tag("k" + i, "v"), (a, b) -> a);
    assertThrows(IllegalArgumentException.class, () -> full.tag("k8", "v"));
    assertEquals(new Tag("k", "a=b"), Tag.parse("k=a=b"));
    assertThrows(IllegalArgumentException.class, () -> Tag.parse("k"));
  }

  @Test
  void pagesFollowEachOther() {
    List<String> wanted = IntStream.range(0, 25).mapToObj(i -> "t" + i).toList();
    wanted.forEach(id -> queue.schedule(id, "", LATER));
    List<String> seen = new ArrayList<>();
    TaskPage page = queue.list(TaskQuery.of(TaskView.WAITING), 10);
    seen.addAll(ids(page));
    while (page.next().isPresent()) {
      page = queue.list(TaskQuery.of(TaskView.WAITING), 10, page.next().get());
      seen.addAll(ids(page));
    }
    assertEquals(wanted, seen);
    assertEquals(25, page.searched());
    assertEquals(Amount.exactly(25), page.of());
  }

  @Test
  void aPageHasAtLeastOneTaskAndAtMostAThousand() {
    assertThrows(IllegalArgumentException.class, () -> queue.list(TaskQuery.of(TaskView.LIVE), 0));
    assertThrows(IllegalArgumentException.class, () -> queue.list(TaskQuery.of(TaskView.LIVE), 1_001));
    assertThrows(IllegalArgumentException.class, () -> queue.list(TaskQuery.of(TaskView.LIVE), 1, "no cursor"));
  }

  @Test
  void allQueuesOfTheStoreAreCounted() {
    bide.queue(QueueSpec.of("mails", String.class)).schedule("", LATER);
    queue.schedule("a", "", LATER);
    complete("b");
    assertEquals(List.of("mails", "orders"), bide.queues());
    assertEquals(List.of(1L, 1L), bide.counts().stream().map(TaskCounts::waiting).toList());
    assertEquals(bide.counts().get(1), queue.counts());
    assertEquals(1, queue.counts().completed());
  }

  @Test
  void theForecastShowsWhatIsToCome() {
    queue.schedule("a", "", When.in(Duration.ofMinutes(59)));
    queue.schedule("b", "", When.in(Duration.ofHours(25)));
    Load byDay = queue.load(START, Duration.ofDays(1), 3);
    assertEquals(List.of(Amount.exactly(1), Amount.exactly(1), Amount.exactly(0)), byDay.buckets());
    assertEquals(START.plus(Duration.ofDays(2)), byDay.start(2));
    assertEquals(List.of(Amount.exactly(1), Amount.exactly(0)),
        queue.load(START.plusSeconds(59 * 60), Duration.ofMinutes(1), 2).buckets());
  }

  @Test
  void whatIsNoForecastIsRefused() {
    Duration hour = Duration.ofHours(1);
    for (Executable call : List.<Executable>of(() -> queue.load(START, Duration.ZERO, 1),
        () -> queue.load(START, Duration.ofMillis(-1), 1), () -> queue.load(START, Duration.ofNanos(1_500_000), 1),
        () -> queue.load(START, Duration.ofSeconds(Long.MAX_VALUE), 1), () -> queue.load(Instant.MAX, hour, 1),
        () -> queue.load(Instant.MIN, hour, 1), () -> queue.load(Instant.EPOCH.minusMillis(1), hour, 1),
        () -> queue.load(START, hour, 0), () -> queue.load(START, hour, Load.MOST + 1))) {
      assertThrows(IllegalArgumentException.class, call);
    }
    assertEquals(1, queue.load(START.plusNanos(1), Duration.ofMillis(1), 1).buckets().size());
  }

  @Test
  void timeRemainingIsShown() {
    queue.schedule("a", "", LATER);
    clock.addAndGet(60_000);
    assertEquals(Duration.ofMinutes(29), queue.inspect("a").orElseThrow().remaining());
  }

  @Test
  void theBusinessAndTheQueueAreReconciled() {
    queue.schedule("both", "", LATER);
    queue.schedule("forgotten by the business", "", LATER);
    complete("paid");
    Reconciliation differences = queue.reconcile(List.of("both", "paid", "forgotten by the queue", "both"));
    assertEquals(List.of("forgotten by the queue"), differences.missing());
    assertEquals(List.of("forgotten by the business"), differences.unexpected());
    assertEquals(List.of("paid"), differences.finished().stream().map(Task::id).toList());
    assertEquals(Optional.of("skipped: paid"), differences.finished().get(0).outcome());
    assertFalse(differences.agrees());
    assertEquals(START, differences.at());
  }

  @Test
  void allAgreesWhenBothHaveTheSame() {
    List<String> open = IntStream.range(0, 2_500).mapToObj(i -> "t" + i).toList();
    queue.scheduleAll(open.stream().map(id -> Entry.of(id, "", LATER)).toList());
    assertTrue(queue.reconcile(open).agrees());
    assertEquals(2_500, queue.reconcile(List.of()).unexpected().size());
    assertEquals(List.of(), queue.reconcile(open).missing());
  }

  @Test
  void whatChangesDuringAReconciliationIsNoDifference() {
    queue.schedule("ends meanwhile", "", LATER);
    AtomicBoolean once = new AtomicBoolean();
    store.before(call -> {
      if (call.kind() == TappedStore.Kind.LOOK && !once.getAndSet(true)) {
        clock.addAndGet(1);
        queue.schedule("new", "", LATER);
      }
    });
    store.after(call -> {
      if (call.kind() == TappedStore.Kind.LOOK) {
        queue.cancel("ends meanwhile");
      }
    });
    Reconciliation differences = queue.reconcile(List.of());
    assertTrue(once.get());
    assertEquals(List.of(), differences.unexpected());
  }

  @Test
  void aClosedBideShowsNothing() {
    bide.close();
    assertThrows(IllegalStateException.class, () -> queue.list(TaskQuery.of(TaskView.LIVE), 1));
    assertThrows(IllegalStateException.class, queue::counts);
    assertThrows(IllegalStateException.class, bide::counts);
    assertThrows(IllegalStateException.class, () -> queue.reconcile(List.of()));
  }
}
