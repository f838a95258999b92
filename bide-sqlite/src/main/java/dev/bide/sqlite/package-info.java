/** A durable store in one file. */
@NullMarked
package dev.bide.sqlite;

import org.jspecify.annotations.NullMarked;
