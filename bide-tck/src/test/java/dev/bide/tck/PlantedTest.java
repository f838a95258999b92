package dev.bide.tck;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The simulator finds what engine and store could get wrong, in a few of the worlds that the build plays. */
class PlantedTest {
  private static final int WORLDS = 10_000;

  @TempDir
  Path folder;

  @ParameterizedTest
  @MethodSource({"settling", "claiming", "engine", "repeating", "coalescing"})
  void isFound(Planted planted) throws Exception {
    assertTrue(planted.play(WORLDS, folder).isPresent(), () -> "not found in " + WORLDS + " worlds: " + planted);
  }

  static Stream<Planted> settling() {
    return Stream.of(
        Planted.in("spi/Rules", "settles under any token",
            "} else if (task.heldUnder(settlement.token())) {",
            "} else if (task.state == TaskState.PROCESSING) {"),
        Planted.in("spi/Rules", "matches a settlement by id and token instead of seq",
            "StoredTask task = live.get(settlement.seq()); if (task == null) {",
            "StoredTask task = records.live(settings.name(), List.of(settlement.id())).get(settlement.id());"
                + " if (task == null) {"),
        Planted.in("spi/Rules", "lets the end of a lease overwrite a settled task",
            "task.settle(settlement, records.now(), settings); records.changed(task);",
            """
                boolean ranOut = task.lapsed(records.now());
                task.settle(settlement, records.now(), settings);
                records.changed(task);
                if (ranOut && task.state == TaskState.COMPLETED) {
                  StoredTask again = StoredTask.create(new Write.Insert(task.queue, task.id, task.payload,
                      Due.at(task.dueAt)), task.seq, records.now());
                  again.token = task.token + 1;
                  again.lapses = 1;
                  records.add(again);
                }
                """));
  }

  static Stream<Planted> claiming() {
    return Stream.of(
        Planted.in("spi/Rules", "renews under any token",
            "if (task == null || !task.heldUnder(claim.token())) { answers.add(Renewed.LOST);",
            "if (task == null || task.state != TaskState.PROCESSING) { answers.add(Renewed.LOST);"),
        Planted.in("memory/MemoryTaskStore", "decides by the clock of the node what is due",
            "return transaction(() -> Rules.exchange(records, settlements, request));",
            """
                return transaction(() -> {
                  records.begin(request.stamp().notAfter() - 10_000 + request.stamp().node().hashCode() % 500);
                  return Rules.exchange(records, settlements, request);
                });
                """),
        Planted.in("spi/Rules", "cancels without looking whether the task has been claimed",
            "task.requestCancel(cancel.by(), now); records.changed(task);",
            "task.cancel(cancel.by(), now); records.changed(task); return task.written(Answer.CANCELLED, found);"),
        Planted.in("spi/StoredTask", "does not count the attempt of a lost lease", "lapses++; token++;",
            "lapses++; token++; attempt--;"),
        Planted.in("spi/StoredTask", "counts a claim twice that is sent again",
            "prolong(leaseMillis, now); return claimed(grave(attempt, settings), pause);",
            "prolong(leaseMillis, now); attempt++; return claimed(grave(attempt, settings), pause);"),
        Planted.in("spi/StoredTask", "keeps the attempt of a claim that is given back", "attempt--;", ""),
        Planted.in("spi/Rules", "claims from a paused queue", "if (pause.paused()) {", "if (pause == null) {"),
        Planted.in("spi/Rules", "hands suspects out with all others",
            "return suspects.size() > allowed || !graves.isEmpty();",
            "graves.stream().limit(request.limit() - claims.size()).forEach(this::hand); return false;"));
  }

  static Stream<Planted> engine() {
    return Stream.of(
        Planted.in("Workers", "settles before the handler runs", "dispatcher.started(claim);",
            """
                dispatcher.started(claim);
                if (claim.beginSettling()) {
                  node.engineThread().accept(() -> dispatcher.settle(claim, Outcome.done()));
                }
                """),
        Planted.in("HeldClaim", "starts without looking at the lease",
            "if (stage != Stage.HELD || leaseEnd <= now || taken) {", "if (stage != Stage.HELD) {"),
        Planted.in("StoreTime", "relies on a lease to its last moment", "return nanos - nanos / DRIFT;",
            "return nanos + NANOS;"),
        Planted.in("Dispatcher", "stops renewing at shutdown", "workers.stop(); giveBackUnstarted();",
            "workers.stop(); giveBackUnstarted(); leases.stop();")
            .and("Leases", "boolean isEmpty() {",
                "void stop() { renewals.replaceAll((claim, moment) -> NEVER); } boolean isEmpty() {"),
        Planted.in("Dispatcher", "gives nothing back at shutdown",
            "workers.stop(); giveBackUnstarted();", "workers.stop();"),
        Planted.in("Dispatcher", "does not wake for an earlier insert", "if (moment < asksAt && moment <",
            "if (moment < 0 && moment <"),
        Planted.in("Dispatcher", "sleeps longer than a second",
            "Math.min(wakeAt, node.driver().nextLook(lookedAt))", "wakeAt"),
        Planted.in("Dispatcher", "forgets what was settled when the exchange fails",
            "settled.forEach(each -> each.sentTwice = true);", "settled = List.of();"),
        Planted.in("Workers", "runs more handlers than it may", "while (running.size() < handlers) {",
            "while (true) {"),
        Planted.in("Workers", "gives the place of a handler away that ignores its interrupt",
            "claim.taken(); settle(claim, outcome);", "claim.taken(); running.remove(claim); settle(claim, outcome);"),
        Planted.in("Workers", "settles for a handler that has time left", "now + timeoutNanos",
            "now + timeoutNanos / 2"),
        Planted.in("Dispatcher", "starts what comes in while the circuit breaker is open",
            "if (stopping || !exchange.ask.probe && !breaker.closed()) {", "if (stopping) {"),
        Planted.in("SuspectGate", "lets a grave suspect come beside others", "closed = empty();", "closed = true;"));
  }

  static Stream<Planted> repeating() {
    return Stream.of(
        Planted.in("spi/Rules", "does a repeated write again",
            "if (last.isPresent() && stamp.number() == last.get().number()) { return",
            "if (last.isPresent() && stamp.number() < 0) { return"),
        Planted.in("spi/Rules", "does a write that comes late",
            "stamp.number() < last.get().number() || stamp.late(now)) {",
            "stamp.number() < 0) {"),
        Planted.in("spi/Rules", "claims for a request that comes late", "if (outrun || stamp.late(now)) {",
            "if (stamp == null) {"));
  }

  static Stream<Planted> coalescing() {
    return Stream.of(
        Planted.in("Coalescer", "lets a batch hold a task twice",
            "bytes > MOST_BYTES || !keys.add(new Key(call.write.queue(), call.write.id()))", "bytes > MOST_BYTES"),
        Planted.in("Coalescer", "repeats a batch under a new stamp",
            "Attempt attempt = new Attempt(batch, delayNanos);",
            "batch.number = ++number; Attempt attempt = new Attempt(batch, delayNanos);"),
        Planted.in("Coalescer", "lets the last one in line go first", "line.add(call);", "line.addFirst(call);"),
        Planted.in("Coalescer", "tells callers what others were answered",
            "call.answer.complete(answers.get(i));", "call.answer.complete(answers.get(0));"));
  }
}
