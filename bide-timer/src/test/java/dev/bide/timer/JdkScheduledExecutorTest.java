package dev.bide.timer;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

class JdkScheduledExecutorTest extends ScheduledExecutorContract {

  private final ScheduledExecutorService service = new ScheduledThreadPoolExecutor(3);

  @Override
  ScheduledExecutorService service() {
    return service;
  }

  @Override
  void end() {}
}
