package dev.bide.checks.bad.cycle.b;

import dev.bide.checks.bad.cycle.a.A;
import org.jspecify.annotations.NullMarked;

@NullMarked
public interface B {
  void use(A a);
}
