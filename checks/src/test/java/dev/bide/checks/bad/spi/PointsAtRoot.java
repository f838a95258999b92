package dev.bide.checks.bad.spi;

import dev.bide.checks.bad.Root;
import org.jspecify.annotations.NullMarked;

@NullMarked
public interface PointsAtRoot {
  void use(Root root);
}
