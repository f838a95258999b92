package dev.bide.tck;

import dev.bide.Bide;
import java.time.Instant;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each test a {@link VirtualTime} of its own, and its {@link VirtualTime#bide() node} as a {@link Bide}: as
 * parameters of the test and of the methods before and after each. It is closed after them. With
 * {@code @ExtendWith(VirtualTimeExtension.class)} at the class of the tests, one of them is:
 *
 * <pre>{@code
 * void anUnpaidOrderIsCancelledAfterHalfAnHour(VirtualTime time, Bide bide) {
 *   bide.queue(ORDER_TIMEOUT).handle(new CancelUnpaid(orders));
 *   bide.queue(ORDER_TIMEOUT).schedule("order-42", "42", When.in(ofMinutes(30)));
 *   time.advance(ofMinutes(30));
 *   assertEquals(List.of("order-42"), time.ran());
 * }
 * }</pre>
 */
public final class VirtualTimeExtension implements ParameterResolver, AfterEachCallback {
  private static final Namespace OURS = Namespace.create(VirtualTimeExtension.class);

  private final Instant start;

  /** Virtual time from {@link VirtualTime#START} on. */
  public VirtualTimeExtension() {
    this(VirtualTime.START);
  }

  private VirtualTimeExtension(Instant start) {
    this.start = start;
  }

  /** Virtual time from {@code start} on, for a field with {@code @RegisterExtension}. */
  public static VirtualTimeExtension from(Instant start) {
    return new VirtualTimeExtension(start);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == VirtualTime.class || type == Bide.class;
  }

  /**
   * Returns what the test is given.
   *
   * @throws ParameterResolutionException for a constructor or a method that is called once for all tests
   */
  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    if (context.getTestMethod().isEmpty()) {
      throw new ParameterResolutionException(
          "virtual time is of one test: it can be had in its method and in those before and after each");
    }
    ExtensionContext.Store kept = context.getStore(OURS);
    VirtualTime time = kept.get(VirtualTime.class, VirtualTime.class);
    if (time == null) {
      time = VirtualTime.begin(start);
      kept.put(VirtualTime.class, time);
    }
    return parameter.getParameter().getType() == Bide.class ? time.bide() : time;
  }

  @Override
  public void afterEach(ExtensionContext context) {
    VirtualTime time = context.getStore(OURS).remove(VirtualTime.class, VirtualTime.class);
    if (time != null) {
      time.close();
    }
  }
}
