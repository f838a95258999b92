package dev.bide.examples.timers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What an echo server with idle timeouts does. It has 2,000 connections here, so that the test suits any machine;
 * {@code -Dbide.connections=10000} asks for more, and where file descriptors do not suffice, two a connection, it takes
 * fewer and says so.
 */
@Timeout(120)
abstract class EchoContract {
  private static final int WANTED = Integer.getInteger("bide.connections", 2_000);
  private static final int SPARE_DESCRIPTORS = 500;
  private static final Duration IDLE = Duration.ofSeconds(2);

  /** A server that runs, and how many connections it has. */
  record Running(int port, IntSupplier connections, AutoCloseable server) implements AutoCloseable {
    InetSocketAddress address() {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    @Override
    public void close() throws IOException {
      try {
        server.close();
      } catch (Exception e) {
        throw new IOException("cannot be closed", e);
      }
    }
  }

  /** Starts a server on a port that is free. */
  abstract Running start(Duration idle) throws IOException;

  @Test
  final void aConnectionIsClosedWhenItHasBeenSilentForSoLongAndNotBefore() throws Exception {
    try (Running server = start(IDLE); Selector selector = Selector.open()) {
      List<Client> clients = new ArrayList<>();
      for (int i = connections(); i > 0; i--) {
        clients.add(new Client(server, selector));
      }
      List<Client> silent = clients.subList(0, clients.size() * 9 / 10);
      List<Client> talkers = clients.subList(silent.size(), clients.size());
      while (silent.stream().anyMatch(Client::open)) {
        talkers.stream().filter(Client::mayTalk).forEach(Client::talk);
        hear(selector);
      }
      while (talkers.stream().anyMatch(Client::open)) {
        hear(selector);
      }
      assertTrue(talkers.stream().anyMatch(client -> client.echoes > 1));
      assertEquals(0, server.connections.getAsInt());
      assertTrue(clients.stream().allMatch(client -> client.silentNanos >= IDLE.toNanos()), "closed early");
    }
  }

  @Test
  final void whatIsSentComesBackThoughItIsMoreThanFitsOnTheWay() throws Exception {
    byte[] sent = new byte[20_000_000];
    new Random(1).nextBytes(sent);
    try (Running server = start(Duration.ofMinutes(1));
        Socket socket = new Socket(server.address().getAddress(), server.port)) {
      Thread sender = new Thread(() -> send(socket, sent));
      sender.start();
      byte[] heard = socket.getInputStream().readNBytes(sent.length);
      sender.join();
      assertArrayEquals(sent, heard);
    }
  }

  @Test
  final void whoHangsUpLeavesNoTimerBehind() throws Exception {
    try (Running server = start(Duration.ofMinutes(1))) {
      for (int i = 0; i < 100; i++) {
        try (Socket socket = new Socket(server.address().getAddress(), server.port)) {
          socket.getOutputStream().write(i);
          assertEquals(i, socket.getInputStream().read());
          assertTrue(server.connections.getAsInt() > 0);
        }
      }
      while (server.connections.getAsInt() > 0) {
        Thread.onSpinWait();
      }
    }
  }

  private static void hear(Selector selector) throws IOException {
    selector.select(IDLE.toMillis() / 20);
    for (SelectionKey key : selector.selectedKeys()) {
      ((Client) key.attachment()).hear();
    }
    selector.selectedKeys().clear();
  }

  private static void send(Socket socket, byte[] bytes) {
    try {
      OutputStream out = socket.getOutputStream();
      out.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int connections() {
    if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system)) {
      return WANTED;
    }
    long free = system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount() - SPARE_DESCRIPTORS;
    if (free / 2 < WANTED) {
      System.out.println(free / 2 + " connections, since file descriptors do not suffice for " + WANTED);
    }
    return (int) Math.min(free / 2, WANTED);
  }

  /**
   * The other end of a connection. It counts its silence from when it sent what was echoed last, so that this is not
   * shorter than what the server saw.
   */
  private static final class Client {
    private final SocketChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(1);
    private long sentAt = System.nanoTime();
    private long silentSince = sentAt;
    private boolean waits;
    int echoes;
    long silentNanos;

    Client(Running server, Selector selector) throws IOException {
      channel = SocketChannel.open(server.address());
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ, this);
    }

    boolean open() {
      return channel.isOpen();
    }

    boolean mayTalk() {
      return open() && !waits;
    }

    void talk() {
      sentAt = System.nanoTime();
      waits = true;
      try {
        channel.write(buffer.clear());
      } catch (IOException e) {
        // Closed meanwhile, which it hears.
      }
    }

    void hear() throws IOException {
      if (ended()) {
        silentNanos = System.nanoTime() - silentSince;
        channel.close();
      } else {
        silentSince = sentAt;
        waits = false;
        echoes++;
      }
    }

    private boolean ended() {
      try {
        return channel.read(buffer.clear()) < 0;
      } catch (IOException e) {
        // The server closed it without having read what was sent last.
        return true;
      }
    }
  }
}
