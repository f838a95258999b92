/** When a task is due, as a caller says it; pure functions without a store or a clock. */
@NullMarked
package dev.bide.delay;

import org.jspecify.annotations.NullMarked;
