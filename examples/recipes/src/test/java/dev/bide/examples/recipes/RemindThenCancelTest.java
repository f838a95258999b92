package dev.bide.examples.recipes;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.bide.Bide;
import dev.bide.Outcome;
import dev.bide.QueueSpec;
import dev.bide.TaskQueue;
import dev.bide.delay.When;
import dev.bide.tck.VirtualTime;
import dev.bide.tck.VirtualTimeExtension;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An unpaid order: a reminder after 20 minutes, the end after 30, and neither once it is paid; in virtual time. */
@ExtendWith(VirtualTimeExtension.class)
class RemindThenCancelTest {
  private static final QueueSpec<String> REMINDERS = QueueSpec.of("reminders", String.class);
  private static final QueueSpec<String> TIMEOUTS = QueueSpec.of("timeouts", String.class);

  private final Set<String> unpaid = new HashSet<>();
  private final List<String> mails = new ArrayList<>();

  @BeforeEach
  void handle(Bide bide) {
    bide.queue(REMINDERS).handle(claim -> {
      mails.add("please pay order " + claim.payload());
      return Outcome.done();
    });
    bide.queue(TIMEOUTS).handle(claim -> {
      if (!unpaid.remove(claim.payload())) {
        return Outcome.skip("paid");
      }
      mails.add("cancelled order " + claim.payload());
      return Outcome.done();
    });
  }

  private void order(Bide bide, String id) {
    unpaid.add(id);
    bide.queue(REMINDERS).schedule(id, id, When.in(ofMinutes(20)));
    bide.queue(TIMEOUTS).schedule(id, id, When.in(ofMinutes(30)));
  }

  private void pay(Bide bide, String id) {
    unpaid.remove(id);
    for (TaskQueue<String> queue : List.of(bide.queue(REMINDERS), bide.queue(TIMEOUTS))) {
      queue.cancel(id);
    }
  }

  @Test
  void anOrderThatIsNotPaidIsRemindedOfAndThenCancelled(VirtualTime time, Bide bide) {
    order(bide, "42");
    time.advance(ofMinutes(20).minusMillis(1));
    assertEquals(List.of(), mails);
    time.advance(ofMillis(1));
    assertEquals(List.of("please pay order 42"), mails);
    time.advance(ofMinutes(10).minusMillis(1));
    assertEquals(Set.of("42"), unpaid);
    time.advance(ofMillis(1));
    assertEquals(List.of("please pay order 42", "cancelled order 42"), mails);
  }

  @Test
  void anOrderThatIsPaidInTimeIsLeftAlone(VirtualTime time, Bide bide) {
    order(bide, "42");
    time.advance(ofMinutes(30).minusMillis(1));
    pay(bide, "42");
    time.advance(ofMinutes(30));
    assertEquals(List.of("please pay order 42"), mails);
  }
}
