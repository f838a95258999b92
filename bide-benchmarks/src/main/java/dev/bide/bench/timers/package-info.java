/** Timers in memory, ours beside others. */
@NullMarked
package dev.bide.bench.timers;

import org.jspecify.annotations.NullMarked;
