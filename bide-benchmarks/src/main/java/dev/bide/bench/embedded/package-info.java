/** The library with its embedded store, beside a bare loop on SQLite and beside beanstalkd. */
@NullMarked
package dev.bide.bench.embedded;

import org.jspecify.annotations.NullMarked;
