package dev.bide.timer;

class HierarchicalWheelTest extends TimerQueueContract {

  @Override
  TimerQueue create() {
    return new HierarchicalWheel(4);
  }
}
