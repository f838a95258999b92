package dev.bide.examples.timers;

import dev.bide.timer.LoopTimer;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Does what {@link NioEcho} does, on an event loop of Netty. */
final class NettyEcho implements AutoCloseable {
  private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final LoopTimer timer = new NettyTimers(group.next()).timer();
  private final Duration idle;
  private final Channel server;

  /** Listens on this machine only; port 0 is any that is free. */
  NettyEcho(int port, Duration idle) {
    this.idle = idle;
    server = new ServerBootstrap().group(group).channel(NioServerSocketChannel.class)
        .childHandler(new ChannelInitializer<>() {
          @Override
          protected void initChannel(Channel channel) {
            channel.pipeline().addLast(new Connection());
          }
        })
        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)).syncUninterruptibly().channel();
  }

  /** Takes a port and the seconds after which a silent connection is closed. */
  public static void main(String[] args) {
    try (NettyEcho echo = new NettyEcho(Integer.parseInt(args[0]), Duration.ofSeconds(Long.parseLong(args[1])))) {
      System.out.println("listening on port " + echo.port());
      echo.server.closeFuture().syncUninterruptibly();
    }
  }

  int port() {
    return ((InetSocketAddress) server.localAddress()).getPort();
  }

  /** Returns how many connections there are: each has a timer. */
  int connections() {
    return timer.pending();
  }

  /** Closes the connections, and ends the loop. */
  @Override
  public void close() {
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @SuppressWarnings("FutureReturnValueIgnored") // what fails comes to exceptionCaught, the end to channelInactive
  private final class Connection extends ChannelInboundHandlerAdapter {
    private long timeout;

    @Override
    public void channelActive(ChannelHandlerContext context) {
      timeout = timer.schedule(idle, context::close);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      timer.move(timeout, idle);
      context.writeAndFlush(message, context.voidPromise());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      timer.cancel(timeout);
    }

    /** Reads nothing more while the other side does not take what it was sent. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      context.channel().config().setAutoRead(context.channel().isWritable());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
