/** Wires all parts into one process. */
@NullMarked
package dev.cove.server;

import org.jspecify.annotations.NullMarked;
