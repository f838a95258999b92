package dev.bide;

import dev.bide.Breaker.Sign;
import dev.bide.spi.Codec;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls a handler, and makes an outcome of whatever comes of it.
 *
 * @param <P> the type of the payloads
 */
final class HandlerRunner<P> implements Workers.Runner {
  /** For a handler that ended so badly that not even that could be told. */
  static final Outcome UNTOLD = Outcome.failed(1_000, "the handler broke down", null);

  /** A handler of either kind: what comes of it is told before it returns, or later. */
  private interface Work<P> {
    void begin(HeldClaim held, Claim<P> claim, BiConsumer<@Nullable Outcome, @Nullable Throwable> ended)
        throws Exception;
  }

  private final Work<P> work;
  private final QueueSpec<P> spec;
  private final Codec codec;
  private final Node node;

  private HandlerRunner(Work<P> work, QueueSpec<P> spec, Codec codec, Node node) {
    this.work = work;
    this.spec = spec;
    this.codec = codec;
    this.node = node;
  }

  static <P> HandlerRunner<P> of(Handler<P> handler, QueueSpec<P> spec, Codec codec, Node node) {
    return new HandlerRunner<>((held, claim, ended) -> ended.accept(handler.handle(claim), null), spec, codec, node);
  }

  static <P> HandlerRunner<P> ofAsync(AsyncHandler<P> handler, QueueSpec<P> spec, Codec codec, Node node) {
    return new HandlerRunner<>((held, claim, ended) -> {
      CompletionStage<Outcome> stage = handler.handle(claim);
      if (stage == null) {
        ended.accept(null, null);
        return;
      }
      // What depends on a stage is a stranger's code, and a cancel runs it.
      held.goesOn(() -> node.callbacks().execute(() -> cancel(stage)));
      var unused = stage.whenComplete(ended);
    }, spec, codec, node);
  }

  private static void cancel(CompletionStage<Outcome> stage) {
    try {
      stage.toCompletableFuture().cancel(true);
    } catch (RuntimeException e) {
      // One that cannot be cancelled runs on, as a handler does that ignores its interrupt.
    }
  }

  @Override
  public void run(HeldClaim claim, Consumer<Outcome> told) {
    try {
      P payload;
      try {
        payload = codec.decode(claim.task.payload(), spec.type());
      } catch (RuntimeException e) {
        told.accept(undecodable(e));
        return;
      }
      work.begin(claim, new Claim<>(claim, payload, node, null),
          (outcome, failure) -> tell(told, () -> outcome(claim, outcome, failure)));
    } catch (VirtualMachineError e) {
      tell(told, () -> thrown(claim, e));
      throw e;
    } catch (Throwable e) {
      tell(told, () -> thrown(claim, e));
    }
  }

  /** Tells an outcome; one that cannot even be worked out must be told too. */
  private static void tell(Consumer<Outcome> told, Supplier<Outcome> outcome) {
    Outcome counted = UNTOLD;
    try {
      counted = outcome.get();
    } finally {
      told.accept(counted);
    }
  }

  private Outcome outcome(HeldClaim claim, @Nullable Outcome outcome, @Nullable Throwable failure) {
    if (failure != null) {
      Throwable cause = failure.getCause();
      return thrown(claim, failure instanceof CompletionException && cause != null ? cause : failure);
    }
    return outcome == null
        ? failed(spec, node, claim, "the handler returned null instead of an outcome", null)
        : outcome;
  }

  private Outcome thrown(HeldClaim claim, Throwable failure) {
    return failed(spec, node, claim, Texts.of(failure), failure);
  }

  @Override
  public Outcome timedOut(HeldClaim claim) {
    try {
      return failed(spec, node, claim, "the handler did not return in " + spec.handlerTimeout(), null);
    } catch (Error e) {
      // A stranger's backoff, called on the engine's thread.
      return UNTOLD;
    }
  }

  static Outcome undecodable(RuntimeException failure) {
    return Outcome.hopeless("the payload cannot be read: " + Texts.of(failure), Sign.NOTHING, failure);
  }

  /** Returns the outcome of an attempt that failed: another follows after the backoff of {@code spec}. */
  static Outcome failed(QueueSpec<?> spec, Node node, HeldClaim claim, String why, @Nullable Throwable cause) {
    try {
      long delayMillis = spec.retry().delayMillis(claim.task.attempt(), node.chance());
      return Outcome.failed(delayMillis, why, cause);
    } catch (RuntimeException e) {
      return Outcome.hopeless("the backoff failed: " + Texts.of(e) + "; after: " + why, Sign.FAILURE, e);
    }
  }
}
