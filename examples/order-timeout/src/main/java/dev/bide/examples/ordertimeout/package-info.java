/** An application that cancels orders not paid in time. */
@NullMarked
package dev.bide.examples.ordertimeout;

import org.jspecify.annotations.NullMarked;
