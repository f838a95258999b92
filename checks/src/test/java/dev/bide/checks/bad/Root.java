package dev.bide.checks.bad;

import dev.bide.checks.bad.delay.Later;
import org.jspecify.annotations.NullMarked;

/** The root package may use the packages below it. */
@NullMarked
public record Root(Later later) {}
