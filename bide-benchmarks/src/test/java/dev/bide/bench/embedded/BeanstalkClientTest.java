package dev.bide.bench.embedded;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Speaks with a server that expects the very bytes of a request and answers what it is told. */
class BeanstalkClientTest {

  @Test
  void aJobIsPutWithItsDelay() throws Exception {
    try (Scripted server = new Scripted("put 0 60 60 5\r\nhello\r\n", "INSERTED 17\r\n");
        BeanstalkClient client = server.connect()) {
      assertEquals(17, client.put(60, "hello".getBytes(US_ASCII)));
      server.done();
    }
  }

  @Test
  void aJobIsDeleted() throws Exception {
    try (Scripted server = new Scripted("delete 17\r\n", "DELETED\r\n"); BeanstalkClient client = server.connect()) {
      client.delete(17);
      server.done();
    }
  }

  @Test
  void anyOtherAnswerIsAFailure() throws Exception {
    try (Scripted server = new Scripted("delete 17\r\n", "NOT_FOUND\r\n"); BeanstalkClient client = server.connect()) {
      IOException failure = assertThrows(IOException.class, () -> client.delete(17));
      assertTrue(failure.toString().contains("NOT_FOUND"), failure.toString());
    }
  }

  @Test
  void aServerThatLeavesIsAFailure() throws Exception {
    try (Scripted server = new Scripted("delete 17\r\n", "DEL"); BeanstalkClient client = server.connect()) {
      assertThrows(EOFException.class, () -> client.delete(17));
    }
  }

  /** Takes one connection and one request. */
  private static final class Scripted implements AutoCloseable {
    private final ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final CompletableFuture<String> got;

    Scripted(String request, String reply) throws IOException {
      got = CompletableFuture.supplyAsync(() -> {
        try (Socket client = socket.accept()) {
          String read = new String(client.getInputStream().readNBytes(request.length()), US_ASCII);
          assertEquals(request, read);
          client.getOutputStream().write(reply.getBytes(US_ASCII));
          return read;
        } catch (IOException e) {
          throw new AssertionError(e);
        }
      });
    }

    BeanstalkClient connect() throws IOException {
      return new BeanstalkClient(socket.getLocalPort());
    }

    void done() throws Exception {
      got.get();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
