/**
 * Makes sandboxes real on one machine. Enter at {@link Node}.
 *
 * <p>Owns what a sandbox needs on this host: its cage, the link to its agent, the template it
 * starts from, the pool of warm cages. It does not know who asked; that is for control.
 */
@NullMarked
package dev.cove.node;

import org.jspecify.annotations.NullMarked;
