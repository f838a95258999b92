/** Ways for tasks to reach the code that works on them. */
@NullMarked
package dev.bide.bench.pullpush;

import org.jspecify.annotations.NullMarked;
