/** A store in the memory of one process, for tests and for what may be lost with the process. */
@NullMarked
package dev.bide.memory;

import org.jspecify.annotations.NullMarked;
