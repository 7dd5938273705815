/**
 * The vocabulary that every part of Cove shares: ids, specs, states, errors.
 *
 * <p>Values only: no I/O, no threads, no dependency. A value that exists is valid; constructors
 * refuse the rest, so nobody checks twice.
 */
@NullMarked
package dev.cove.model;

import org.jspecify.annotations.NullMarked;
