package dev.bide.checks.bad.task;

import dev.bide.checks.bad.delay.Later;
import org.jspecify.annotations.NullMarked;

@NullMarked
public interface PointsAtDelay {
  void wait(Later later);
}
