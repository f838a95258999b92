/** Values that every part of Bide shares: tasks, their states, payloads, due times and attempts. */
@NullMarked
package dev.bide.task;

import org.jspecify.annotations.NullMarked;
