/** Races in what timers share between threads; beside the classes they need, which are not public. */
@NullMarked
package dev.bide.timer;

import org.jspecify.annotations.NullMarked;
