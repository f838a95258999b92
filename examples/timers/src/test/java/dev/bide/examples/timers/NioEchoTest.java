package dev.bide.examples.timers;

import java.io.IOException;
import java.time.Duration;

class NioEchoTest extends EchoContract {

  @Override
  Running start(Duration idle) throws IOException {
    NioEcho echo = new NioEcho(0, idle);
    Thread loop = new Thread(echo, "echo");
    loop.start();
    return new Running(echo.port(), echo::connections, () -> {
      echo.close();
      loop.join();
    });
  }
}
