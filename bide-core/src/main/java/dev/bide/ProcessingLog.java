package dev.bide;

import static java.util.Objects.requireNonNull;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.function.Consumer;

/**
 * Writes a line for each event, a JSON object, so that a task's whole life on this node is found by searching for
 * {@code "task":"cancel-41"}, and tools that know JSON can read it:
 *
 * <pre>{@code
 * {"at":"2026-03-01T10:00:00.005Z","event":"CLAIMED","queue":"orders","task":"cancel-41","token":3,"attempt":2,
 *     "node":"shop-7f3a","latenessMs":5}
 * }</pre>
 *
 * <p>The fields are those of {@link TaskEvent} in this order: {@code at} (UTC, always with milliseconds), {@code event}
 * (its kind), {@code queue}, {@code task}, {@code token}, {@code attempt}, {@code node}, {@code latenessMs} (whole
 * milliseconds), {@code detail}, and {@code cause}, the class and the message of what was thrown and of its own cause.
 * A field that has nothing to say is absent. Never the payload.
 *
 * <p>Thread-safe, if the place it writes to is.
 */
public final class ProcessingLog implements TaskListener, AutoCloseable {
  private static final DateTimeFormatter MILLIS = new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

  private final Consumer<String> lines;
  private final Runnable close;

  private ProcessingLog(Consumer<String> lines, Runnable close) {
    this.lines = requireNonNull(lines, "lines");
    this.close = close;
  }

  /** A log that hands each line, without its end, to {@code lines}: to a logger, for instance. */
  public static ProcessingLog to(Consumer<String> lines) {
    return new ProcessingLog(lines, () -> {});
  }

  /**
   * A log that appends its lines to a file, as UTF-8. Each is handed to the operating system at once, so a kill of the
   * process loses none; it is not synced, so a power cut may. Several processes can append to one file. The file is
   * never cut, renamed or removed.
   *
   * <p>Where a line cannot be written, on a full disk for instance, it is lost, the engine warns of it as of every
   * listener that throws, and tasks go on; so does the log, once there is room.
   *
   * @throws UncheckedIOException if the file cannot be opened
   */
  public static ProcessingLog to(Path file) {
    LineFile lines = LineFile.at(requireNonNull(file, "file"));
    return new ProcessingLog(lines::add, lines::close);
  }

  @Override
  public void on(TaskEvent event) {
    JsonLine line = new JsonLine();
    line.text("at", MILLIS.format(event.at()));
    line.text("event", event.kind().name());
    line.text("queue", event.queue());
    line.text("task", event.task());
    if (event.token() != 0) {
      line.number("token", event.token());
    }
    if (event.attempt() != 0) {
      line.number("attempt", event.attempt());
    }
    line.text("node", event.node());
    event.lateness().ifPresent(lateness -> line.number("latenessMs", lateness.toMillis()));
    line.text("detail", event.detail());
    event.cause().ifPresent(cause -> line.text("cause", Texts.of(cause)));
    lines.accept(line.end());
  }

  /** Closes the file, if it writes to one; to be done after the {@link Bide} was closed. */
  @Override
  public void close() {
    close.run();
  }
}
