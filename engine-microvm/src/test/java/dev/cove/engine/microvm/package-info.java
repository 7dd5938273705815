/** Real machines, on whatever this host has for them. */
@NullMarked
package dev.cove.engine.microvm;

import org.jspecify.annotations.NullMarked;
