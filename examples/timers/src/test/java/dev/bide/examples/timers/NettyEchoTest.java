package dev.bide.examples.timers;

import java.time.Duration;

class NettyEchoTest extends EchoContract {

  @Override
  Running start(Duration idle) {
    NettyEcho echo = new NettyEcho(0, idle);
    return new Running(echo.port(), echo::connections, echo);
  }
}
