package dev.bide.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.ClaimRequest.Claimant;
import dev.bide.spi.Claimed;
import dev.bide.spi.End;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Held;
import dev.bide.spi.Host;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Settled;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.StoreException;
import dev.bide.spi.TaskStore;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Amount;
import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.Payload;
import dev.bide.task.Task;
import dev.bide.task.TaskCounts;
import dev.bide.task.TaskState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a file adds to the contract: durability, other processes, mishaps. */
class SqliteStoreTest {
  private static final QueueSettings QUEUE = new QueueSettings("q", 1, 3, 1000, 60_000, 60_000);
  private static final boolean LONG = Boolean.getBoolean("bide.long");

  @TempDir
  Path folder;

  private final List<TaskStore> stores = new ArrayList<>();
  private final AtomicLong now = new AtomicLong(1_000_000);
  private Path file;
  private long number;

  @BeforeEach
  void nameTheFile() {
    file = folder.resolve("bide.db");
  }

  @AfterEach
  void closeTheStores() {
    stores.forEach(TaskStore::close);
  }

  // Opening and closing.

  @Test
  void tasksSurviveReopeningUnderAnyFileName() throws IOException {
    file = folder.resolve("a file?name=with %20 #marks.db");
    TaskStore store = open();
    write(store, insert("a", "text"), insert("b", ""));
    store.close();
    store.close();
    assertEquals(List.of(file), filesIn(folder), "the log is taken into the file");

    store = open();
    assertEquals(QUEUE, store.queues().find("q").orElseThrow());
    assertEquals(List.of(), claim(store).claims());
    now.addAndGet(10);
    Exchanged claimed = claim(store);
    assertEquals(List.of("a", "b"), claimed.claims().stream().map(Claimed::id).toList());
    assertEquals(List.of("text", ""), claimed.claims().stream().map(claim -> claim.payload().text()).toList());
    claim(store, claimed.claims().stream().map(SqliteStoreTest::done).toArray(Settlement[]::new));
    store.close();

    List<Optional<Task>> found = open().find("q", List.of("b", "none", "a")).value();
    assertEquals(TaskState.COMPLETED, found.get(0).orElseThrow().state());
    assertEquals(Optional.empty(), found.get(1));
    assertEquals("text", found.get(2).orElseThrow().payload().text());
  }

  @Test
  void theSafeSettingsAreTheDefaultAndTheOthersHaveAName() {
    try (SqliteFile full = SqliteStore.file(file).connect();
        SqliteFile normal = SqliteStore.file(file).durability(SqliteStore.Durability.NORMAL).connect()) {
      assertEquals("2", full.execute("PRAGMA synchronous"));
      assertEquals("1", normal.execute("PRAGMA synchronous"));
      assertEquals("wal", full.execute("PRAGMA journal_mode"));
      assertEquals("0", full.execute("PRAGMA busy_timeout"));
    }
    assertThrows(IllegalArgumentException.class, () -> SqliteStore.file(file).busyLimit(Duration.ofMillis(-1)));
    assertThrows(IllegalArgumentException.class, () -> SqliteStore.file(file).busyLimit(Duration.ofDays(2)));
  }

  @Test
  void manyMayCreateTheSameFileAtOnce() throws Exception {
    ExecutorService threads = Host.pool("creator");
    List<Future<Answer>> answers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      String id = "task-" + i;
      answers.add(threads.submit(() -> {
        try (TaskStore store = SqliteStore.file(file).clock(now::get).open()) {
          store.queues().define(QUEUE);
          return store.write(List.of(insert(id, "")), new Stamp(id, "write", 1, Long.MAX_VALUE)).value().get(0)
              .answer();
        }
      }));
    }
    for (Future<Answer> answer : answers) {
      assertEquals(Answer.CREATED, answer.get());
    }
    threads.shutdown();
    assertEquals(8, open().find("q", IntStream.range(0, 8).mapToObj(i -> "task-" + i).toList()).value().stream()
        .flatMap(Optional::stream).map(Task::seq).distinct().count());
  }

  @Test
  void tablesOfALaterVersionAreUsedIfTheyAllowIt() throws SQLException {
    open().close();
    sql(file, "UPDATE bide_meta SET version = 7, readable_from = 1");
    assertEquals(Answer.CREATED, write(open(), insert("a", "")).get(0).answer());
  }

  @Test
  void tablesOfALaterVersionAreRefusedIfTheyDoNot() throws SQLException {
    open().close();
    sql(file, "UPDATE bide_meta SET version = 7, readable_from = 2");
    StoreException refused = assertThrows(StoreException.class, this::open);
    assertEquals("the tables of Bide in " + file + " have version 7, which needs at least version 2 of the code, and"
        + " this is version 1; use a later release of Bide", refused.getMessage());
    assertFalse(refused.isTransient());
  }

  @Test
  void otherTablesInTheFileAreLeftAlone() throws SQLException {
    sql(file, "CREATE TABLE orders (id TEXT)");
    write(open(), insert("a", ""));
    sql(file, "INSERT INTO orders VALUES ('1')");
  }

  // Time.

  @Test
  void nowIsNeverBelowTheLatestInTheFile() {
    now.set(5_000_000);
    TaskStore ahead = open();
    TaskStore behind = open(() -> 2_000_000);
    write(ahead, insert("a", ""));
    assertEquals(5_000_000, behind.now());
    assertEquals(5_000_010, write(behind, insert("b", "")).get(0).dueAt());
    assertEquals(5_000_000, behind.find("q", List.of("a")).now());
    now.set(6_000_000);
    assertEquals(List.of("a", "b"), claim(ahead).claims().stream().map(Claimed::id).toList());
    Exchanged late = claim(behind);
    assertEquals(6_000_000, late.now());
    assertEquals(6_001_000, late.next());
  }

  @Test
  void theClockOfThisMachineIsRaisedToTheLatestInTheFile() {
    long wall = Host.wallMillis();
    long latest = wall + 30_000;
    now.set(latest);
    TaskStore ahead = open();
    write(ahead, insert("a", ""));
    try (TaskStore real = SqliteStore.at(file)) {
      long first = real.now();
      assertTrue(first >= latest, () -> first + " is before " + latest);
      long second = claim(real).now();
      assertTrue(second >= first && second < latest + 20_000, () -> second + " after " + first);
    }
  }

  @Test
  void aFileFarAheadOfTheClockIsToldAtOpening() {
    write(open(), insert("a", ""));
    now.addAndGet(-60_000);
    assertEquals(List.of(), warningsOf(this::open));
    now.decrementAndGet();
    assertEquals(
        List.of(file + " was last written 60001 ms ahead of the clock here; until they meet, tasks run early by"
            + " as much, and time goes slower"),
        warningsOf(this::open));
  }

  private static List<String> warningsOf(Runnable work) {
    List<String> warnings = new ArrayList<>();
    Handler handler = new Handler() {
      @Override
      public void publish(LogRecord logged) {
        if (logged.getLevel().equals(Level.WARNING)) {
          warnings.add(logged.getMessage());
        }
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
    Logger logger = Logger.getLogger(SqliteStore.class.getName());
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    work.run();
    logger.setUseParentHandlers(true);
    logger.removeHandler(handler);
    return warnings;
  }

  // Another process that is in the way.

  @Test
  void aFileThatStaysBusyIsAPassingMishap() throws SQLException {
    TaskStore store = open(SqliteStore.file(file).busyLimit(Duration.ofMillis(20)));
    try (Connection other = connect(file); Statement statement = other.createStatement()) {
      statement.execute("BEGIN IMMEDIATE");
      StoreException busy = assertThrows(StoreException.class, () -> write(store, insert("a", "")));
      assertEquals(file + " is busy: another process has been writing to it for PT0.02S; look which one holds it so"
          + " long, or allow a longer wait", busy.getMessage());
      assertTrue(busy.isTransient());
      assertEquals(List.of(Optional.empty()), store.find("q", List.of("a")).value(), "reading goes on");
      statement.execute("ROLLBACK");
    }
    assertEquals(Answer.CREATED, write(store, insert("a", "")).get(0).answer());
  }

  @Test
  void aFileThatIsBusyForAMomentIsWaitedFor() throws Exception {
    TaskStore store = open();
    ExecutorService thread = Host.single("waiting");
    try (Connection other = connect(file); Statement statement = other.createStatement()) {
      statement.execute("BEGIN IMMEDIATE");
      Future<List<Written>> written = thread.submit(() -> write(store, insert("a", "")));
      Host.pause(20_000_000);
      assertFalse(written.isDone());
      statement.execute("COMMIT");
      assertEquals(Answer.CREATED, written.get().get(0).answer());
    }
    thread.shutdown();
  }

  @Test
  void anInterruptEndsTheWaitAndNothingElse() throws SQLException {
    TaskStore store = open();
    Thread.currentThread().interrupt();
    assertEquals(Answer.CREATED, write(store, insert("a", "")).get(0).answer());
    try (Connection other = connect(file); Statement statement = other.createStatement()) {
      statement.execute("BEGIN IMMEDIATE");
      StoreException interrupted = assertThrows(StoreException.class, () -> write(store, insert("b", "")));
      assertTrue(interrupted.isTransient());
    }
    assertTrue(Thread.interrupted(), "the interrupt stays set");
  }

  // Mishaps at opening.

  @Test
  void aMissingFolderIsNamed() {
    file = folder.resolve("none").resolve("bide.db");
    assertRefused(file + " cannot be opened: there is no folder " + folder.resolve("none") + "; create it");
  }

  @Test
  void aFileInPlaceOfTheFolderIsNamed() throws IOException {
    Path inTheWay = Files.writeString(folder.resolve("file"), "");
    file = inTheWay.resolve("bide.db");
    assertRefused(file + " cannot be opened: there is no folder " + inTheWay + "; create it");
  }

  @Test
  void aFolderInPlaceOfTheFileIsNamed() {
    file = folder;
    assertRefused(folder + " is a folder; name a file in it");
  }

  @Test
  void aFileOfAnotherKindIsRefused() throws IOException {
    Files.writeString(file, "This is no database. ".repeat(1000));
    assertRefused(file + " is not an SQLite database; name another file");
  }

  @Test
  void aDamagedFileIsRefused() throws IOException {
    open().close();
    byte[] bytes = Files.readAllBytes(file);
    for (int i = 4096; i < bytes.length; i++) {
      bytes[i] = (byte) 0xa5;
    }
    Files.write(file, bytes, StandardOpenOption.TRUNCATE_EXISTING);
    assertRefused(
        file + " is damaged; restore a backup, or save what is readable with the .recover command of sqlite3");
  }

  @Test
  void aReadOnlyFileIsRefused() {
    open().close();
    SqliteFile connected = SqliteStore.file(file).connect();
    connected.execute("PRAGMA query_only = 1");
    StoreException refused = assertThrows(StoreException.class, () -> open(connected));
    assertEquals(file + " cannot be written: the file or its folder is read-only; let this process write both",
        refused.getMessage());
    assertThrows(IllegalStateException.class, () -> connected.execute("PRAGMA query_only"), "it is closed");
  }

  private void assertRefused(String message) {
    StoreException refused = assertThrows(StoreException.class, this::open);
    assertEquals(message, refused.getMessage());
    assertFalse(refused.isTransient());
  }

  // Mishaps later.

  @Test
  void aFileThatBecomesReadOnlyIsNamedAndReadingGoesOn() {
    SqliteFile connected = SqliteStore.file(file).connect();
    TaskStore store = open(connected);
    write(store, insert("a", ""));
    connected.execute("PRAGMA query_only = 1");
    StoreException refused = assertThrows(StoreException.class, () -> write(store, insert("b", "")));
    assertEquals(file + " cannot be written: the file or its folder is read-only; let this process write both",
        refused.getMessage());
    assertFalse(refused.isTransient());
    assertEquals(List.of(true, false), found(store, "a", "b"));
    connected.execute("PRAGMA query_only = 0");
    assertEquals(Answer.CREATED, write(store, insert("b", "")).get(0).answer());
  }

  @Test
  void aFullDiskLosesNothingAndIsOverWhenThereIsRoom() {
    SqliteFile connected = SqliteStore.file(file).connect();
    TaskStore store = open(connected);
    write(store, insert("before", ""));
    connected.execute("PRAGMA max_page_count = 40");
    String large = "x".repeat(10_000);
    Write[] batch = IntStream.range(0, 100).mapToObj(i -> insert("large-" + i, large)).toArray(Write[]::new);
    StoreException full = assertThrows(StoreException.class, () -> write(store, batch));
    assertEquals(file + " cannot grow: the disk is full; make room, and the store goes on by itself",
        full.getMessage());
    assertTrue(full.isTransient());
    assertEquals(List.of(true, false, false), found(store, "before", "large-0", "large-99"));
    assertEquals(Answer.CREATED, write(store, insert("small", "")).get(0).answer(), "what has room is taken");
    connected.execute("PRAGMA max_page_count = 1000000");
    assertTrue(write(store, batch).stream().allMatch(written -> written.answer() == Answer.CREATED));
    store.close();
    assertEquals(List.of(true, true, true, true), found(open(), "before", "large-0", "large-99", "small"));
  }

  @Test
  void aCommitThatFailsIsRolledBackAndReported() throws SQLException {
    SqliteFile connected = SqliteStore.file(file).connect();
    TaskStore store = open(connected);
    write(store, insert("before", ""));
    connected.execute("PRAGMA foreign_keys = 1");
    connected.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY)");
    connected.execute("CREATE TABLE child (id INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED)");
    connected
        .execute("CREATE TRIGGER fail_at_commit AFTER INSERT ON bide_tasks BEGIN INSERT INTO child VALUES (1); END");
    StoreException failed = assertThrows(StoreException.class, () -> write(store, insert("a", "")));
    assertInstanceOf(SQLException.class, failed.getCause());
    assertTrue(String.valueOf(failed.getMessage()).startsWith(file + " refused a statement: "), failed::toString);
    assertEquals(List.of(true, false), found(store, "before", "a"));
    connected.execute("DROP TRIGGER fail_at_commit");
    assertEquals(Answer.CREATED, write(store, insert("a", "")).get(0).answer());
    assertEquals(List.of(true, true), found(store, "before", "a"));
  }

  @Test
  void whatIsRolledBackIsNotCounted() {
    SqliteFile connected = SqliteStore.file(file).connect();
    TaskStore store = open(connected);
    write(store, insert("before", ""));
    connected.execute("CREATE TRIGGER fail AFTER INSERT ON bide_tasks WHEN NEW.id = 'z'"
        + " BEGIN SELECT RAISE(ROLLBACK, 'no'); END");
    Write[] many = IntStream.range(0, 1_000)
        .mapToObj(i -> new Write.Insert("q", i == 999 ? "z" : "a" + i, Payload.EMPTY, Due.fromNow(i * 3_600_000L)))
        .toArray(Write[]::new);
    assertThrows(StoreException.class, () -> write(store, many));
    assertEquals(1, counts(store).waiting());
    connected.execute("DROP TRIGGER fail");
    write(store, many);
    assertEquals(1_001, counts(store).waiting());
    write(store, insert("after", ""));
    store.close();
    assertEquals(1_002, counts(open()).waiting());
  }

  @Test
  void storesOnOneFileCountTogether() {
    TaskStore one = open();
    TaskStore other = open();
    for (int i = 0; i < 300; i++) {
      write(i % 2 == 0 ? one : other, new Write.Insert("q", "a" + i, Payload.EMPTY, Due.fromNow(i * 3_600_000L)));
      assertEquals(i + 1, counts(i % 3 == 0 ? one : other).waiting());
    }
    for (int i = 0; i < 300; i++) {
      write(i % 3 == 0 ? one : other, new Write.Cancel("q", "a" + i, "me"));
      assertEquals(i + 1, counts(i % 2 == 0 ? one : other).cancelled());
    }
    assertEquals(0, counts(one).waiting());
    assertEquals(0, one.load("q", 0, 86_400_000, 20).value().buckets().stream().mapToLong(Amount::count).sum());
  }

  /** The store that claimed knows the task still, as it was before the other one came. */
  @Test
  void whatAnotherStoreDidToAClaimedTaskIsSeen() {
    TaskStore one = open();
    TaskStore other = open();
    write(one, insert("a", ""), insert("b", ""));
    now.addAndGet(10);
    List<Claimed> claims = claim(one).claims();
    write(other, new Write.Cancel("q", "a", "somebody"));
    List<Settled> answers = claim(one, claims.stream().map(claim -> new Settlement(claim.id(), claim.seq(),
        claim.token(), End.RETRY, 0, "")).toArray(Settlement[]::new)).settled();
    assertEquals(List.of(TaskState.CANCELLED, TaskState.WAITING), answers.stream().map(Settled::state).toList());

    Claimed lapsed = claim(one).claims().get(0);
    now.addAndGet(QUEUE.leaseMillis());
    assertEquals(1, claim(other).claims().size(), "the other has it now");
    assertEquals(Settled.Verdict.STALE, claim(one, done(lapsed)).settled().get(0).verdict());
  }

  private static TaskCounts counts(TaskStore store) {
    return store.counts(List.of("q")).value().get(0);
  }

  @Test
  void aBatchThatIsRefusedLeavesNothing() {
    TaskStore store = open();
    assertThrows(IllegalArgumentException.class, () -> write(store, insert("a", ""), insert("a", "")));
    assertThrows(IllegalArgumentException.class,
        () -> write(store, insert("b", ""), new Write.Cancel("unknown", "a", "me")));
    assertEquals(List.of(false, false), found(store, "a", "b"));
    assertEquals(Answer.CREATED, write(store, insert("a", "")).get(0).answer());
  }

  // The log.

  @Test
  void aLargeLogIsReadBackAfterACrash() throws IOException {
    SqliteFile connected = SqliteStore.file(file).durability(SqliteStore.Durability.NORMAL).connect();
    TaskStore store = open(connected);
    connected.execute("PRAGMA wal_autocheckpoint = 0");
    int batches = LONG ? 2000 : 30;
    for (int batch = 0; batch < batches; batch++) {
      int first = batch * 1000;
      write(store, IntStream.range(first, first + 1000).mapToObj(i -> insert("task-" + i, "payload " + i))
          .toArray(Write[]::new));
    }
    Path crashed = Files.createDirectory(folder.resolve("crashed")).resolve("bide.db");
    Files.copy(file, crashed);
    Path log = Files.copy(beside(file, "-wal"), beside(crashed, "-wal"), StandardCopyOption.REPLACE_EXISTING);
    assertTrue(Files.size(log) > batches * 100_000L, "the log is large");

    TaskStore again = open(SqliteStore.file(crashed));
    List<String> ids = IntStream.range(0, batches).mapToObj(batch -> "task-" + (batch * 1000 + 999)).toList();
    assertEquals(ids, again.find("q", ids).value().stream().map(found -> found.orElseThrow().id()).toList());
  }

  @Test
  void theLogStaysSmallWhileThereAreReaders() throws Exception {
    TaskStore store = open(SqliteStore.file(file).durability(SqliteStore.Durability.NORMAL));
    ExecutorService readers = Host.pool("reader");
    List<Future<Integer>> reads = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      reads.add(readers.submit(() -> {
        int count = 0;
        while (!found(store, "last").get(0)) {
          count++;
        }
        return count;
      }));
    }
    String payload = "x".repeat(1000);
    for (int batch = 0; batch < (LONG ? 500 : 40); batch++) {
      int first = batch * 1000;
      write(store,
          IntStream.range(first, first + 1000).mapToObj(i -> insert("task-" + i, payload)).toArray(Write[]::new));
    }
    long size = Files.size(beside(file, "-wal"));
    write(store, insert("last", ""));
    for (Future<Integer> read : reads) {
      assertTrue(read.get() > 0);
    }
    readers.shutdown();
    assertTrue(size < 40_000_000, () -> "the log has " + size + " bytes");
  }

  /** It changes between transactions only, so what is set after a call is what its commit was made with. */
  @Test
  void onlyAClaimThatComesAloneForItsOwnProcessIsNotSynced() {
    SqliteFile connected = SqliteStore.file(file).connect();
    TaskStore store = open(connected);
    assertEquals("2", connected.execute("PRAGMA synchronous"), "define");
    write(store, insert("a", ""), insert("b", ""), insert("c", ""));
    now.addAndGet(10);
    for (Runnable synced : List.<Runnable>of(
        () -> write(store, insert("d", "")),
        () -> write(store, new Write.Cancel("q", "d", "me")),
        () -> store.renew(List.of(new Held("q", 1, 1)), 1000),
        () -> store.prune("q", 10),
        () -> store.queues().update(QUEUE),
        () -> store.queues().pause("q"),
        () -> store.queues().resume("q"),
        () -> claim(store),
        () -> store.exchange(List.of(new Settlement("a", 1, 1, End.COMPLETE, 0, "done")),
            request(Claimant.THIS_PROCESS)),
        () -> store.exchange(List.of(new Settlement("a", 1, 9, End.COMPLETE, 0, "done")),
            request(Claimant.THIS_PROCESS)))) {
      store.exchange(List.of(), request(Claimant.THIS_PROCESS));
      assertEquals("1", connected.execute("PRAGMA synchronous"), "claim alone");
      synced.run();
      assertEquals("2", connected.execute("PRAGMA synchronous"));
    }
  }

  @Test
  void aClaimThatEndsATaskIsSynced() {
    SqliteFile connected = SqliteStore.file(file).connect();
    TaskStore store = open(connected);
    write(store, insert("a", ""));
    for (int attempt = 1; attempt <= QUEUE.maxAttempts(); attempt++) {
      now.addAndGet(QUEUE.leaseMillis());
      assertEquals(1, store.exchange(List.of(), request(Claimant.THIS_PROCESS)).claims().size());
    }
    assertEquals("1", connected.execute("PRAGMA synchronous"));
    now.addAndGet(QUEUE.leaseMillis());
    assertEquals(1, store.exchange(List.of(), request(Claimant.THIS_PROCESS)).ended().size());
    assertEquals("2", connected.execute("PRAGMA synchronous"));
  }

  @Test
  void aClaimThatFailsLeavesTheNextWriteSynced() {
    SqliteFile connected = SqliteStore.file(file).connect();
    TaskStore store = open(connected);
    assertThrows(IllegalArgumentException.class, () -> store.exchange(List.of(),
        new ClaimRequest("unknown", Set.of(0), stamp("claim"), false, 10, 1, true, 1000, Claimant.THIS_PROCESS)));
    write(store, insert("a", ""));
    assertEquals("2", connected.execute("PRAGMA synchronous"));
  }

  /** What a power cut leaves: the log up to what was synced. */
  @Test
  void aPowerCutThatUndoesAClaimLeavesTheTaskToBeClaimedAgain() throws IOException {
    TaskStore store = open();
    write(store, insert("a", ""));
    now.addAndGet(10);
    Path after = Files.createDirectory(folder.resolve("after"));
    Files.copy(beside(file, "-wal"), after.resolve("bide.db-wal"));
    assertEquals(1, store.exchange(List.of(), request(Claimant.THIS_PROCESS)).claims().size());
    Files.copy(file, after.resolve("bide.db"));
    file = after.resolve("bide.db");
    Claimed again = claim(open()).claims().get(0);
    assertEquals(1, again.attempt());
    assertEquals(0, again.lapses());
  }

  // Helpers.

  private TaskStore open() {
    return open(now::get);
  }

  private TaskStore open(LongSupplier clock) {
    return kept(SqliteStore.file(file).clock(clock).open());
  }

  private TaskStore open(SqliteStore.Builder builder) {
    return kept(builder.clock(now::get).open());
  }

  private TaskStore open(SqliteFile connected) {
    return kept(SqliteStore.file(file).clock(now::get).open(connected));
  }

  private TaskStore kept(TaskStore store) {
    stores.add(store);
    store.queues().define(QUEUE);
    return store;
  }

  private static Write insert(String id, String payload) {
    return new Write.Insert("q", id, Payload.of(payload), Due.fromNow(10));
  }

  private List<Written> write(TaskStore store, Write... writes) {
    return store.write(List.of(writes), stamp("write")).value();
  }

  private Exchanged claim(TaskStore store, Settlement... settlements) {
    return store.exchange(List.of(settlements), request(Claimant.OUTSIDE));
  }

  private ClaimRequest request(Claimant claimant) {
    return new ClaimRequest("q", Set.of(0), stamp("claim"), false, 10, 1, true, 1000, claimant);
  }

  private Stamp stamp(String stream) {
    return new Stamp("node", stream, ++number, Long.MAX_VALUE);
  }

  private static Settlement done(Claimed claim) {
    return new Settlement(claim.id(), claim.seq(), claim.token(), End.COMPLETE, 0, "done");
  }

  private static List<Boolean> found(TaskStore store, String... ids) {
    return store.find("q", List.of(ids)).value().stream().map(Optional::isPresent).toList();
  }

  private static Connection connect(Path file) throws SQLException {
    return DriverManager.getConnection("jdbc:sqlite:" + file);
  }

  private static void sql(Path file, String sql) throws SQLException {
    try (Connection connection = connect(file); Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static Path beside(Path file, String suffix) {
    return file.resolveSibling(file.getFileName() + suffix);
  }

  private static List<Path> filesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }
}
