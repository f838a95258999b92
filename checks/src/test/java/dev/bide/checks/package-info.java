/** Checks of the code base as a whole: its arrows, and the samples in its documents. */
@NullMarked
package dev.bide.checks;

import org.jspecify.annotations.NullMarked;
