package dev.bide;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Bounds what has been accepted and is not told yet: so many calls, and so many bytes. Who finds no room waits until
 * half of it is free, so that he is not woken for each place. For those who cannot wait there is as much room again.
 * Thread-safe.
 */
final class Room {
  private final int mostCalls;
  private final long mostBytes;
  // Guarded by this.
  private int calls;
  private long bytes;
  private @Nullable CompletableFuture<Void> freed;
  private boolean closed;
  private final CompletableFuture<Void> empty = new CompletableFuture<>();

  Room(int mostCalls, long mostBytes) {
    this.mostCalls = mostCalls;
    this.mostBytes = mostBytes;
  }

  /** Takes a place, if there is one; else returns what to wait for before the next try. */
  synchronized @Nullable CompletableFuture<Void> enter(int size) {
    if (calls < mostCalls && bytes + size <= mostBytes) {
      take(size);
      return null;
    }
    CompletableFuture<Void> wanted = freed == null ? new CompletableFuture<>() : freed;
    freed = wanted;
    return wanted;
  }

  /** Takes a place, in the room for those who cannot wait too; false if there is none. */
  synchronized boolean enterBeyond(int size) {
    if (calls - mostCalls >= mostCalls || bytes + size - mostBytes > mostBytes) {
      return false;
    }
    take(size);
    return true;
  }

  private void take(int size) {
    calls++;
    bytes += size;
  }

  /** Gives a place back. */
  void leave(int size) {
    CompletableFuture<Void> wanted;
    boolean last;
    synchronized (this) {
      calls--;
      bytes -= size;
      wanted = calls <= mostCalls / 2 && bytes <= mostBytes / 2 ? wanted() : null;
      last = closed && calls == 0;
    }
    complete(wanted, last);
  }

  /** Wakes those who wait, once: whether they find room or not, nothing is accepted any more. */
  void close() {
    CompletableFuture<Void> wanted;
    boolean last;
    synchronized (this) {
      closed = true;
      wanted = wanted();
      last = calls == 0;
    }
    complete(wanted, last);
  }

  private @Nullable CompletableFuture<Void> wanted() {
    CompletableFuture<Void> wanted = freed;
    freed = null;
    return wanted;
  }

  private void complete(@Nullable CompletableFuture<Void> wanted, boolean last) {
    if (wanted != null) {
      wanted.complete(null);
    }
    if (last) {
      empty.complete(null);
    }
  }

  /** Returns what is complete when all have left after {@link #close}. */
  CompletableFuture<Void> empty() {
    return empty;
  }
}
