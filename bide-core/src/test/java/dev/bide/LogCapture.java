package dev.bide;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Keeps what the library logs away from the console, and shows it to the test. */
final class LogCapture extends Handler implements AutoCloseable {
  /** Held here, since a logger that nobody holds forgets its handlers. */
  private static final Logger LOGGER = Logger.getLogger(Bide.class.getName());

  private final List<LogRecord> records = new CopyOnWriteArrayList<>();

  LogCapture() {
    LOGGER.addHandler(this);
    LOGGER.setUseParentHandlers(false);
  }

  @Override
  public void publish(LogRecord entry) {
    records.add(entry);
  }

  /** Returns what was logged so far. */
  List<String> messages() {
    return records.stream().map(LogRecord::getMessage).toList();
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    LOGGER.removeHandler(this);
    LOGGER.setUseParentHandlers(true);
  }
}
