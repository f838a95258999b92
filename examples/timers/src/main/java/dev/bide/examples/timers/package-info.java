/** Timers by themselves: idle timeouts in event loops, heartbeats, a rate limit. */
@NullMarked
package dev.bide.examples.timers;

import org.jspecify.annotations.NullMarked;
