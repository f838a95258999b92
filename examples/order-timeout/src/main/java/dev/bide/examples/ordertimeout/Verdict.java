package dev.bide.examples.ordertimeout;

import dev.bide.examples.ordertimeout.Evidence.Event;
import dev.bide.examples.ordertimeout.Orders.Order;
import dev.bide.examples.ordertimeout.Orders.State;
import dev.bide.task.Task;
import dev.bide.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the evidence says of the promises.
 *
 * @param orders all orders in the shop's table, by number
 * @param changes how often each order has changed its state, by the journal
 * @param stockBefore what was in stock at first, by item
 * @param stockAfter what is in stock now, by item
 * @param tasks Bide's record of the task of each order
 * @param events the processing log
 * @param acknowledged the numbers of the orders that were confirmed to a customer
 * @param payments what each payment was answered with, by order
 * @param unanswered how many orders and payments were not answered to the end
 * @param killed when the shop was killed
 * @param back when it was open again
 */
record Verdict(Map<Long, Order> orders, Map<Long, Long> changes, Map<String, Long> stockBefore,
    Map<String, Long> stockAfter, Map<Long, Task> tasks, List<Event> events, Set<Long> acknowledged,
    Map<Long, Integer> payments, int unanswered, Instant killed, Instant back) {

  /** A promise, and whether it was kept. */
  record Promise(String text, Collection<?> broken) {
    boolean kept() {
      return broken.isEmpty();
    }

    @Override
    public String toString() {
      return kept() ? "ok      " + text : "FAILED  " + text + ": not kept for " + some(broken);
    }

    private static String some(Collection<?> all) {
      String first = all.stream().limit(5).map(Object::toString).collect(Collectors.joining(", "));
      return all.size() <= 5 ? first : first + " and " + (all.size() - 5) + " more";
    }
  }

  List<Promise> promises() {
    Set<Long> dead = dead();
    return List.of(
        new Promise("every customer was answered at last",
            unanswered == 0 ? List.of() : List.of(unanswered + " times")),
        new Promise("every acknowledged order is paid or cancelled, but for the dead letter", acknowledged.stream()
            .filter(id -> !dead.contains(id) && state(id) != State.PAID && state(id) != State.CANCELLED).sorted()
            .toList()),
        new Promise("no order is cancelled before its time", early()),
        new Promise("no order is both paid and cancelled",
            those(order -> order.paidAt().isPresent() && order.cancelledAt().isPresent())),
        new Promise("each payment was answered as it ended: 200 is paid, 409 is cancelled", misled()),
        new Promise("each order is paid or cancelled once in effect",
            those(order -> changes.getOrDefault(order.id(), 0L) != (order.state() == State.OPEN ? 0 : 1))),
        new Promise("the stock adds up", unbalanced()),
        new Promise("nothing is left waiting",
            those(order -> !finished(order.id()))),
        new Promise("the dead letter is found, with its reason: " + dead.stream().map(this::reason).toList(),
            lostLetters(dead)));
  }

  private List<Long> those(Predicate<Order> condition) {
    return orders.values().stream().filter(condition).map(Order::id).toList();
  }

  private @Nullable State state(long id) {
    Order order = orders.get(id);
    return order == null ? null : order.state();
  }

  private List<Long> early() {
    return those(order -> order.cancelledAt().isPresent() && order.cancelledAt().get().isBefore(order.expiresAt()));
  }

  private List<Long> misled() {
    Set<Long> misled = new TreeSet<>(those(order -> order.state() == State.PAID && !payments.containsKey(order.id())));
    payments.forEach((id, status) -> {
      State state = status == 200 ? State.PAID : State.CANCELLED;
      if (status != 200 && status != 409 || state(id) != state) {
        misled.add(id);
      }
    });
    return List.copyOf(misled);
  }

  private List<String> unbalanced() {
    Map<String, Long> gone = new HashMap<>();
    orders.values().stream().filter(order -> order.state() != State.CANCELLED)
        .forEach(order -> gone.merge(order.item(), (long) order.quantity(), Long::sum));
    return stockBefore.entrySet().stream()
        .filter(item -> stockAfter.getOrDefault(item.getKey(), -1L) != item.getValue()
            - gone.getOrDefault(item.getKey(), 0L))
        .map(Map.Entry::getKey).sorted().toList();
  }

  /** Returns the orders whose task has failed for good. */
  Set<Long> dead() {
    return tasks.entrySet().stream().filter(task -> task.getValue().state() == TaskState.FAILED).map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the poisonous orders that are no dead letter with a reason, and others that are one. */
  private List<Long> lostLetters(Set<Long> dead) {
    return those(order -> order.item().equals(DemoShop.POISON)
        ? !dead.contains(order.id()) || !reason(order.id()).contains("poison")
        : dead.contains(order.id()));
  }

  private boolean finished(long id) {
    Task task = tasks.get(id);
    return task != null && task.state().finished();
  }

  private String reason(long id) {
    Task task = tasks.get(id);
    return task == null ? "" : task.outcome().orElse("");
  }

  /** Returns the table of what happened. */
  String table() {
    List<Event> claims = events.stream().filter(e -> e.is("CLAIMED") && e.field("attempt").equals("1")).toList();
    Set<Long> before = Set.copyOf(those(order -> order.expiresAt().isBefore(back)));
    Predicate<Event> held = claim -> !claim.at().isBefore(killed) && before.contains(claim.order());
    List<Event> during = claims.stream().filter(held).toList();
    List<Event> others = claims.stream().filter(held.negate()).toList();
    return row("", "while the shop was open", "held up while it was down")
        + row("tasks due", others.size() + "", during.size() + "")
        + row("lateness p50", percentile(others, 50), percentile(during, 50))
        + row("lateness p99", percentile(others, 99), percentile(during, 99))
        + "\n"
        + row("early", early().size() + "")
        + row("cancelled", count(State.CANCELLED) + "")
        + row("paid", count(State.PAID) + "")
        + row("skipped because paid",
            events.stream().filter(e -> e.field("detail").equals("skipped: paid")).count() + "")
        + row("retried", events.stream().filter(e -> e.is("RETRIED")).count() + "")
        + row("taken over after the kill", tasks.values().stream().mapToInt(Task::lapses).sum() + "")
        + row("dead letters", dead().size() + "");
  }

  private long count(State state) {
    return orders.values().stream().filter(order -> order.state() == state).count();
  }

  private static String row(String name, String... cells) {
    StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "%-26s", name));
    for (String cell : cells) row.append(String.format(Locale.ROOT, "%29s", cell));
    return row.append('\n').toString();
  }

  private static String percentile(List<Event> claims, int percent) {
    if (claims.isEmpty()) {
      return "-";
    }
    List<Duration> sorted = claims.stream().map(Event::lateness).sorted().toList();
    return sorted.get((sorted.size() * percent + 99) / 100 - 1).toMillis() + " ms";
  }
}
