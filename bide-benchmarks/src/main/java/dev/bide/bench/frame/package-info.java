/** What every benchmark needs: rounds that alternate, figures, goals and tables. */
@NullMarked
package dev.bide.bench.frame;

import org.jspecify.annotations.NullMarked;
