package dev.bide;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Tells when the engine's state has come to something. State changes on the engine's thread only, and each change is
 * followed by a turn.
 */
final class Watch implements Duty {
  private final List<Awaited> awaited = new ArrayList<>();

  private record Awaited(BooleanSupplier condition, CompletableFuture<Void> met) {}

  /** Completes {@code met} in the first turn in which {@code condition} holds. */
  void await(BooleanSupplier condition, CompletableFuture<Void> met) {
    awaited.add(new Awaited(condition, met));
  }

  @Override
  public long turn(long now, Consumer<StoreRequest<?>> out) {
    awaited.removeIf(each -> each.condition.getAsBoolean() && each.met.complete(null));
    return NEVER;
  }
}
