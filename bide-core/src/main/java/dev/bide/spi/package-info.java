/**
 * What a store of tasks must do, for those who write one; {@link dev.bide.spi.TaskStore} is the place to begin.
 *
 * <p>A store in one process can leave the rules of the contract to {@link dev.bide.spi.Rules} and provide only
 * {@link dev.bide.spi.Records}.
 */
@NullMarked
package dev.bide.spi;

import org.jspecify.annotations.NullMarked;
