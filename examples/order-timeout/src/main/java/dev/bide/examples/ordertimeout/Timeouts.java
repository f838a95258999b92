package dev.bide.examples.ordertimeout;

import static java.lang.System.Logger.Level.WARNING;

import dev.bide.Bide;
import dev.bide.Claim;
import dev.bide.Entry;
import dev.bide.Outcome;
import dev.bide.ProcessingLog;
import dev.bide.QueueSpec;
import dev.bide.Retry;
import dev.bide.TaskQueue;
import dev.bide.delay.When;
import dev.bide.examples.ordertimeout.Orders.Order;
import dev.bide.spi.StoreException;
import dev.bide.sqlite.SqliteStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/**
 * Cancels orders that are not paid in time. This is all that the shop has to do with Bide; the rest of it would look
 * the same without.
 *
 * <p>Thread-safe. Tasks wait in a file of their own and survive any crash.
 */
final class Timeouts implements AutoCloseable {

  /** What a task carries: the number of the order. How the order stands is looked up when its time has come. */
  record CancelOrder(long order) {}

  private static final System.Logger LOG = System.getLogger(Timeouts.class.getName());
  static final int HYBRID_CREDIT = 4;
  private static final Duration BACKLOG = Duration.ofMillis(200);

  private final Orders orders;
  private final ProcessingLog log;
  private final Bide bide;
  private final TaskQueue<CancelOrder> queue;
  private final Puller<CancelOrder> puller;

  /** Opens the tasks, and begins to handle those that are due. */
  Timeouts(Settings settings, Orders orders) throws SQLException {
    this.orders = orders;
    log = ProcessingLog.to(settings.log());
    bide = Bide.on(SqliteStore.at(settings.tasks())).name("shop").listener(log).start();
    queue = bide.queue(spec(settings));
    puller = new Puller<>(queue, this::cancelUnlessPaid, settings.backoff());
    scheduleOpenOrders();
    switch (settings.mode()) {
      case PUSH -> queue.handle(this::cancelUnlessPaid);
      case PULL -> puller.pullAlways();
      case HYBRID -> {
        puller.pullWhenAsked();
        queue.handle(this::cancelUnlessPaidAndAskForHelp);
        queue.credit(HYBRID_CREDIT);
      }
    }
  }

  static QueueSpec<CancelOrder> spec(Settings settings) {
    return QueueSpec.of("order-timeout", CancelOrder.class)
        .retry(Retry.exponential(settings.backoff(), Duration.ofMinutes(10)).attempts(settings.attempts()))
        .lease(settings.lease())
        .updateStored(); // what the command says holds, also for a queue that was made with other settings
  }

  /**
   * Gives an open order its task. An order is written before its task, so a crash in between leaves one without; all
   * others have theirs, and keep it: the id makes a second call harmless.
   */
  private void scheduleOpenOrders() throws SQLException {
    queue.scheduleAll(orders.open().stream().map(Timeouts::entry).toList());
  }

  /** Has an order cancelled at its time. */
  void schedule(Order order) {
    queue.schedule(entry(order));
  }

  private static Entry<CancelOrder> entry(Order order) {
    return Entry.of(id(order.id()), new CancelOrder(order.id()), When.at(order.expiresAt()));
  }

  /**
   * Drops the task of an order that was paid. It does not matter whether that succeeds: where it comes too late, or the
   * shop crashes before, the handler finds the order paid.
   */
  void paid(Order order) {
    try {
      queue.cancel(id(order.id()));
    } catch (StoreException e) {
      LOG.log(WARNING, "the task of paid order " + order.id() + " stays, and will be skipped", e);
    }
  }

  /** Returns the id of the task of an order. */
  static String id(long order) {
    return "cancel_order_" + order;
  }

  /**
   * The handler. It may run twice for a task, as when the shop crashes before Bide has noted the first time, so it
   * looks before it leaps: checking that the order is open and cancelling it are one transaction.
   */
  private Outcome cancelUnlessPaid(Claim<CancelOrder> claim) throws SQLException {
    Optional<Orders.State> found = orders.cancel(claim.payload().order());
    if (found.isEmpty()) {
      return Outcome.fail("there is no such order");
    }
    return switch (found.get()) {
      case OPEN -> Outcome.done();
      case PAID -> Outcome.skip("paid");
      case CANCELLED -> Outcome.skip("cancelled before");
    };
  }

  private Outcome cancelUnlessPaidAndAskForHelp(Claim<CancelOrder> claim) throws SQLException {
    if (Duration.between(claim.dueAt(), claim.claimedAt()).compareTo(BACKLOG) > 0) {
      puller.ask();
    }
    return cancelUnlessPaid(claim);
  }

  /** Stops taking tasks, waits for those being handled, and closes the file. */
  @Override
  public void close() {
    puller.close();
    bide.close();
    log.close();
  }
}
