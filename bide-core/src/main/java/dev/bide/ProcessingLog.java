package dev.bide;

import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Writes one line for each event, so that a task's whole life on this node is found by searching for its id:
 *
 * <pre>2026-03-01T10:00:00.005Z CLAIMED queue=orders task=cancel-41 token=3 attempt=2 node=shop-7f3a lateness=PT0.005S</pre>
 *
 * <p>Thread-safe if the place it writes to is.
 */
public final class ProcessingLog implements TaskListener {
  /** What ends a line, or could end one where it is read. */
  private static final Pattern BREAKS = Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}]");

  private final Consumer<String> lines;

  private ProcessingLog(Consumer<String> lines) {
    this.lines = lines;
  }

  /** A log that hands each line, without its end, to {@code lines}. */
  public static ProcessingLog to(Consumer<String> lines) {
    return new ProcessingLog(lines);
  }

  @Override
  public void on(TaskEvent event) {
    StringBuilder line = new StringBuilder(160).append(event.at()).append(' ').append(event.kind());
    field(line, "queue", event.queue());
    field(line, "task", event.task());
    field(line, "token", event.token() == 0 ? "" : Long.toString(event.token()));
    field(line, "attempt", event.attempt() == 0 ? "" : Integer.toString(event.attempt()));
    field(line, "node", event.node());
    event.lateness().ifPresent(lateness -> field(line, "lateness", lateness.toString()));
    field(line, "detail", event.detail());
    event.cause().ifPresent(cause -> field(line, "cause", cause.toString()));
    lines.accept(line.toString());
  }

  private static void field(StringBuilder line, String name, String value) {
    if (!value.isEmpty()) {
      String oneLine = BREAKS.matcher(value).replaceAll(" ");
      boolean quoted = oneLine.indexOf(' ') >= 0 || oneLine.indexOf('"') >= 0;
      line.append(' ').append(name).append('=')
          .append(quoted ? '"' + oneLine.replace('"', '\'') + '"' : oneLine);
    }
  }
}
