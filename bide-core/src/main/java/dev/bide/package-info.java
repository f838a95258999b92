/**
 * The library as an application sees it: {@link dev.bide.Bide} is the place to begin.
 *
 * <p>The engine behind it is package-private. It consists of steps on the monotonic clock ({@code Duty}) that hand out
 * requests to the store and are called again with the replies, so that all of it runs on one thread and can be driven
 * by a test.
 */
@NullMarked
package dev.bide;

import org.jspecify.annotations.NullMarked;
