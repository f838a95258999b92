/** Runs the races. */
@NullMarked
package dev.bide.stress;

import org.jspecify.annotations.NullMarked;
