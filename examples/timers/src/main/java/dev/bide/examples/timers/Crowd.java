package dev.bide.examples.timers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * Clients of an echo server: as many connections as one likes, each of which says one thing, hears it, and falls silent
 * until the server closes it.
 */
final class Crowd {
  private static final byte WORD = 42;

  private final Selector selector = Selector.open();
  private final ByteBuffer word = ByteBuffer.allocate(2);
  private int heard;
  private int open;

  private Crowd() throws IOException {}

  /** Takes the port of a server on this machine, and the number of connections. */
  public static void main(String[] args) throws IOException {
    Crowd crowd = new Crowd();
    InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
    int connections = Integer.parseInt(args[1]);
    for (int i = 0; i < connections; i++) {
      crowd.connect(server);
    }
    while (crowd.heard < connections) {
      crowd.listen();
    }
    System.out.println(connections + " connections have been echoed to");
    long silent = System.nanoTime();
    while (crowd.open > 0) {
      crowd.listen();
    }
    System.out.printf("the last was closed after %.1f s%n", (System.nanoTime() - silent) / 1e9);
  }

  private void connect(InetSocketAddress server) throws IOException {
    SocketChannel channel = SocketChannel.open(server);
    channel.write(word.clear().put(WORD).flip());
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ);
    open++;
  }

  private void listen() throws IOException {
    selector.select();
    for (SelectionKey key : selector.selectedKeys()) {
      int read = ((SocketChannel) key.channel()).read(word.clear());
      if (read < 0) {
        key.channel().close();
        open--;
      } else {
        heard += read;
      }
    }
    selector.selectedKeys().clear();
  }
}
