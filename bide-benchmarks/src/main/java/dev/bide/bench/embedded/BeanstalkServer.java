package dev.bide.bench.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.bide.bench.frame.Companion;
import dev.bide.bench.frame.Meter;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;

/** A beanstalkd of our own, on a free port of the loopback, that syncs each write to its log. */
final class BeanstalkServer implements AutoCloseable {
  private static final String COMMAND = "beanstalkd";
  private static final long PATIENCE_NANOS = 10_000_000_000L;

  private final Companion server;
  private final int port;

  private BeanstalkServer(Companion server, int port) {
    this.server = server;
    this.port = port;
  }

  /** Returns name and version, or the empty text if it is not installed. */
  static String version() throws IOException, InterruptedException {
    try {
      Process process = new ProcessBuilder(COMMAND, "-v").redirectErrorStream(true).start();
      String text = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
      process.waitFor();
      return text;
    } catch (IOException e) {
      return "";
    }
  }

  /** Starts it with its log in {@code folder}. */
  static BeanstalkServer start(Path folder) throws IOException, InterruptedException {
    int port = freePort();
    Companion started = Companion
        .start(new ProcessBuilder(COMMAND, "-l", InetAddress.getLoopbackAddress().getHostAddress(), "-p",
            "" + port, "-b", folder.toString(), "-f", "0").inheritIO());
    BeanstalkServer open = new BeanstalkServer(started, port);
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      try {
        open.connect().close();
        return open;
      } catch (ConnectException e) {
        if (!started.process().isAlive() || System.nanoTime() > end) {
          open.close();
          throw e;
        }
        Thread.sleep(10);
      }
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  Meter meter() {
    return Meter.beside(server.process().toHandle());
  }

  BeanstalkClient connect() throws IOException {
    return new BeanstalkClient(port);
  }

  @Override
  public void close() {
    server.close();
  }
}
