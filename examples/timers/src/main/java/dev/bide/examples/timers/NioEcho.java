package dev.bide.examples.timers;

import dev.bide.timer.LoopTimer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Echoes what it is sent, and closes connections on which nothing came for a while: any number of them, on the one
 * thread that calls {@link #run}. Each connection has one timer, which is moved whenever something comes.
 */
final class NioEcho implements Runnable, AutoCloseable {
  private static final int CALLBACKS = 1_000;
  private static final Duration RECOVERY = Duration.ofMillis(100);

  private final Duration idle;
  private final Selector selector = Selector.open();
  private final ServerSocketChannel server = ServerSocketChannel.open();
  private final LoopTimer timer = new LoopTimer(selector::wakeup);
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
  private volatile boolean closed;

  /** Listens on this machine only; port 0 is any that is free. */
  NioEcho(int port, Duration idle) throws IOException {
    this.idle = idle;
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_024);
    server.configureBlocking(false);
    server.register(selector, SelectionKey.OP_ACCEPT);
  }

  /** Takes a port and the seconds after which a silent connection is closed. */
  public static void main(String[] args) throws IOException {
    try (NioEcho echo = new NioEcho(Integer.parseInt(args[0]), Duration.ofSeconds(Long.parseLong(args[1])))) {
      System.out.println("listening on port " + echo.port());
      echo.run();
    }
  }

  int port() {
    return server.socket().getLocalPort();
  }

  /** Returns how many connections there are: each has a timer. */
  int connections() {
    return timer.pending();
  }

  /** Serves until it is closed. */
  @Override
  public void run() {
    try {
      while (!closed) {
        timer.select(selector);
        selector.selectedKeys().forEach(this::serve);
        selector.selectedKeys().clear();
        timer.runDue(CALLBACKS);
      }
      for (SelectionKey key : selector.keys()) {
        key.channel().close();
      }
      selector.close();
    } catch (IOException e) {
      throw new IllegalStateException("the selector failed", e);
    }
  }

  /** Ends {@link #run}, which closes the connections. */
  @Override
  public void close() {
    closed = true;
    selector.wakeup();
  }

  private void serve(SelectionKey key) {
    if (key.attachment() instanceof Connection connection) {
      connection.serve();
    } else {
      accept(key);
    }
  }

  private void accept(SelectionKey listening) {
    try {
      for (SocketChannel channel = server.accept(); channel != null; channel = server.accept()) {
        channel.configureBlocking(false);
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        key.attach(new Connection(key, channel));
      }
    } catch (IOException e) {
      // There are too many, most likely; whoever wants to connect waits until some have gone.
      listening.interestOps(0);
      timer.schedule(RECOVERY, () -> listening.interestOps(SelectionKey.OP_ACCEPT));
    }
  }

  private final class Connection {
    private final SelectionKey key;
    private final SocketChannel channel;
    private final long timeout = timer.schedule(idle, this::close);
    private @Nullable ByteBuffer unsent;

    private Connection(SelectionKey key, SocketChannel channel) {
      this.key = key;
      this.channel = channel;
    }

    private void serve() {
      try {
        if (unsent != null) {
          send(unsent);
        } else if (channel.read(buffer.clear()) < 0) {
          close();
        } else {
          timer.move(timeout, idle);
          send(buffer.flip());
        }
      } catch (IOException e) {
        // Gone, without a word.
        close();
      }
    }

    /** Reads nothing more while the other side does not take what it was sent. */
    private void send(ByteBuffer bytes) throws IOException {
      channel.write(bytes);
      if (bytes.hasRemaining() && unsent == null) {
        unsent = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
        key.interestOps(SelectionKey.OP_WRITE);
      } else if (!bytes.hasRemaining() && unsent != null) {
        unsent = null;
        key.interestOps(SelectionKey.OP_READ);
      }
    }

    private void close() {
      timer.cancel(timeout);
      try {
        channel.close();
      } catch (IOException e) {
        throw new IllegalStateException("a connection could not be closed", e);
      }
    }
  }
}
