package dev.bide.checks.bad.delay;

import org.jspecify.annotations.NullMarked;

@NullMarked
public record Later(long millis) {}
