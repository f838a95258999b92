/** Payloads as JSON. */
@NullMarked
package dev.bide.json;

import org.jspecify.annotations.NullMarked;
