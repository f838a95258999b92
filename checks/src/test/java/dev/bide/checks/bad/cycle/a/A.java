package dev.bide.checks.bad.cycle.a;

import dev.bide.checks.bad.cycle.b.B;
import org.jspecify.annotations.NullMarked;

@NullMarked
public interface A {
  void use(B b);
}
