/** Timer queues in memory: structures that yield items at their deadline. */
@NullMarked
package dev.bide.timer;

import org.jspecify.annotations.NullMarked;
