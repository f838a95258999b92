package dev.bide.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.bide.spi.ClaimRequest;
import dev.bide.spi.ClaimRequest.Claimant;
import dev.bide.spi.Claimed;
import dev.bide.spi.End;
import dev.bide.spi.Exchanged;
import dev.bide.spi.Held;
import dev.bide.spi.Renewed;
import dev.bide.spi.Reply;
import dev.bide.spi.Settled;
import dev.bide.spi.Settlement;
import dev.bide.spi.Stamp;
import dev.bide.spi.TaskStore;
import dev.bide.spi.Write;
import dev.bide.spi.Written;
import dev.bide.task.Due;
import dev.bide.task.OnExisting;
import dev.bide.task.Payload;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A node as a store sees it: calls under stamps of its own, one at a time.
 *
 * <p>Takes every suspect unless a request says otherwise. Not thread-safe, as a stream of stamps is not: a thread has a
 * node of its own.
 */
final class Node {
  /** As {@code notAfter}: the sender waits for ever. */
  static final long FOREVER = Due.LAST;

  private final Supplier<TaskStore> store;
  private final String name;
  private final String queue;
  private final Set<Integer> shards;
  private long writes;
  private long claims;

  Node(Supplier<TaskStore> store, String name, String queue, Set<Integer> shards) {
    this.store = store;
    this.name = name;
    this.queue = queue;
    this.shards = shards;
  }

  // What callers want of it.

  Written schedule(String id, Due due) {
    return schedule(id, due, OnExisting.KEEP);
  }

  Written schedule(String id, Due due, OnExisting onExisting) {
    return write(insert(id, due, onExisting));
  }

  Written cancel(String id) {
    return write(new Write.Cancel(queue, id, name));
  }

  Written move(String id, Due due) {
    return write(new Write.Move(queue, id, due, null));
  }

  Written extend(String id, long millis) {
    return write(extension(id, millis));
  }

  /** A move by {@code millis}, counted from the present due time. */
  Write.Move extension(String id, long millis) {
    return new Write.Move(queue, id, new Due(Due.Base.FROM_DUE, millis, 0, 1, Due.Past.RUN, 0, false), null);
  }

  Written write(Write write) {
    return write(List.of(write)).get(0);
  }

  List<Written> write(List<? extends Write> batch) {
    Reply<List<Written>> reply = store.get().write(List.copyOf(batch), nextWrite());
    assertFalse(reply.late(), "a write under a new number is not late");
    assertEquals(batch.size(), reply.value().size(), "each write has an answer");
    return reply.value();
  }

  /** An insert whose payload is its id. */
  Write.Insert insert(String id, Due due, OnExisting onExisting) {
    return new Write.Insert(queue, id, Payload.of(id), due, onExisting, null, null, List.of());
  }

  Write.Insert insert(String id, Due due) {
    return insert(id, due, OnExisting.KEEP);
  }

  Stamp nextWrite() {
    return new Stamp(name, "writes of " + queue, ++writes, FOREVER);
  }

  // What it takes and gives back.

  /** Takes the one task that is due. */
  Claimed claim() {
    List<Claimed> claimed = claim(2);
    assertEquals(1, claimed.size(), () -> "exactly one task is due, got " + claimed);
    return claimed.get(0);
  }

  List<Claimed> claim(int limit) {
    return exchange(limit).claims();
  }

  Exchanged exchange(int limit, Settlement... settlements) {
    return exchange(request(limit), settlements);
  }

  Exchanged exchange(ClaimRequest request, Settlement... settlements) {
    Exchanged reply = store.get().exchange(List.of(settlements), request);
    assertEquals(settlements.length, reply.settled().size(), "each settlement has an answer");
    return reply;
  }

  ClaimRequest request(int limit) {
    return request(limit, limit, true);
  }

  ClaimRequest request(int limit, int suspects, boolean grave) {
    return new ClaimRequest(queue, shards, nextClaim(), false, limit, suspects, grave, StoreTest.LEASE,
        Claimant.OUTSIDE);
  }

  Stamp nextClaim() {
    return new Stamp(name, "claims of " + queue, ++claims, FOREVER);
  }

  Settled complete(Claimed claim) {
    return settle(completed(claim));
  }

  Settled retry(Claimed claim, long delayMillis) {
    return settle(retried(claim, delayMillis));
  }

  Settled release(Claimed claim) {
    return settle(released(claim));
  }

  Settled fail(Claimed claim) {
    return settle(failed(claim));
  }

  /** Settles and takes nothing. */
  Settled settle(Settlement settlement) {
    return exchange(0, settlement).settled().get(0);
  }

  Renewed renew(Claimed claim) {
    return renew(claim, StoreTest.LEASE);
  }

  Renewed renew(Claimed claim, long leaseMillis) {
    return store.get().renew(List.of(held(claim)), leaseMillis).value().get(0);
  }

  Held held(Claimed claim) {
    return new Held(queue, claim.seq(), claim.token());
  }

  static Settlement completed(Claimed claim) {
    return new Settlement(claim.id(), claim.seq(), claim.token(), End.COMPLETE, 0, "done");
  }

  static Settlement retried(Claimed claim, long delayMillis) {
    return new Settlement(claim.id(), claim.seq(), claim.token(), End.RETRY, delayMillis, "no answer");
  }

  static Settlement released(Claimed claim) {
    return new Settlement(claim.id(), claim.seq(), claim.token(), End.RELEASE, 0, "");
  }

  static Settlement failed(Claimed claim) {
    return new Settlement(claim.id(), claim.seq(), claim.token(), End.FAIL, 0, "no such order");
  }
}
