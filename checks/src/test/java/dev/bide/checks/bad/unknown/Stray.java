package dev.bide.checks.bad.unknown;

import org.jspecify.annotations.NullMarked;

@NullMarked
public interface Stray {}
