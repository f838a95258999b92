/** Short answers to common questions. */
@NullMarked
package dev.bide.examples.recipes;

import org.jspecify.annotations.NullMarked;
