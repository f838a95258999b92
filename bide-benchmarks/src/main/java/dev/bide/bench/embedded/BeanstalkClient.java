package dev.bide.bench.embedded;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;

/** A connection to a beanstalkd that puts delayed jobs and deletes them. Not thread-safe. */
final class BeanstalkClient implements AutoCloseable {
  private static final int LONGEST_REPLY = 224;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  /** Connects to a port of this machine. */
  BeanstalkClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream());
    out = new BufferedOutputStream(socket.getOutputStream());
  }

  /** Puts a job that is ready after a delay, and returns its id. */
  long put(long delaySeconds, byte[] body) throws IOException {
    out.write(("put 0 " + delaySeconds + " 60 " + body.length + "\r\n").getBytes(US_ASCII));
    out.write(body);
    out.write('\r');
    out.write('\n');
    return Long.parseLong(reply("INSERTED "));
  }

  /** Deletes a job, delayed or ready. */
  void delete(long id) throws IOException {
    out.write(("delete " + id + "\r\n").getBytes(US_ASCII));
    reply("DELETED");
  }

  /** Returns what follows {@code expected}. */
  private String reply(String expected) throws IOException {
    out.flush();
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("beanstalkd closed the connection after \"" + line + '"');
      }
      if (line.append((char) c).length() > LONGEST_REPLY) {
        throw new IOException("no reply of beanstalkd: " + line);
      }
    }
    String reply = line.toString().strip();
    if (!reply.startsWith(expected.strip())) {
      throw new IOException("beanstalkd answered " + reply + " instead of " + expected.strip());
    }
    return reply.substring(expected.strip().length()).strip();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
