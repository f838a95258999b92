/** Virtual time for those who test their tasks; contract kits for those who write a store. */
@NullMarked
package dev.bide.tck;

import org.jspecify.annotations.NullMarked;
