/** Contract kits and virtual time, for those who write or test a store. */
@NullMarked
package dev.bide.tck;

import org.jspecify.annotations.NullMarked;
