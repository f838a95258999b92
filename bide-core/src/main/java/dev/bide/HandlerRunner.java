package dev.bide;

import dev.bide.spi.Codec;
import org.jspecify.annotations.Nullable;

/**
 * Calls a handler, and makes an outcome of whatever comes of it.
 *
 * @param <P> the type of the payloads
 */
final class HandlerRunner<P> implements Workers.Runner {
  private final Handler<P> handler;
  private final QueueSpec<P> spec;
  private final Codec codec;
  private final Node node;

  HandlerRunner(Handler<P> handler, QueueSpec<P> spec, Codec codec, Node node) {
    this.handler = handler;
    this.spec = spec;
    this.codec = codec;
    this.node = node;
  }

  @Override
  public Outcome run(HeldClaim claim) {
    P payload;
    try {
      payload = codec.decode(claim.task.payload(), spec.type());
    } catch (RuntimeException e) {
      return undecodable(e);
    }
    try {
      Outcome outcome = handler.handle(new Claim<>(claim, payload, node, null));
      return outcome == null ? failed(claim, "the handler returned null instead of an outcome", null) : outcome;
    } catch (VirtualMachineError e) {
      throw e;
    } catch (Throwable e) {
      return thrown(claim, e);
    }
  }

  @Override
  public Outcome thrown(HeldClaim claim, Throwable failure) {
    return failed(claim, Texts.of(failure), failure);
  }

  static Outcome undecodable(RuntimeException failure) {
    return Outcome.hopeless("the payload cannot be read: " + Texts.of(failure), failure);
  }

  private Outcome failed(HeldClaim claim, String why, @Nullable Throwable cause) {
    try {
      long delayMillis = spec.retry().delayMillis(claim.task.attempt(), node.chance().getAsDouble());
      return Outcome.failed(delayMillis, why, cause);
    } catch (RuntimeException e) {
      return Outcome.hopeless("the backoff failed: " + Texts.of(e) + "; after: " + why, e);
    }
  }
}
