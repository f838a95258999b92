/** The command line of the benchmarks. */
@NullMarked
package dev.bide.bench;

import org.jspecify.annotations.NullMarked;
