/**
 * Callers to Cove: the native API over HTTP. Enter at {@link EdgeServer}.
 *
 * <p>Turns requests into calls on control and on a sandbox's agent, and their answers into
 * responses. It decides nothing about sandboxes and keeps nothing between requests. Every byte that
 * arrives is hostile: it is bounded before it is read and checked before it is used.
 */
@NullMarked
package dev.cove.edge;

import org.jspecify.annotations.NullMarked;
