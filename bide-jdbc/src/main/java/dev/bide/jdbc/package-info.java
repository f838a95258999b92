/** A store on any SQL database that has a dialect here. */
@NullMarked
package dev.bide.jdbc;

import org.jspecify.annotations.NullMarked;
