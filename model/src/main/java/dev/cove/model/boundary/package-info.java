/**
 * What holds a sandbox: what its tier really is on this host, and what a caller insists on. Enter
 * at {@link Boundary} and {@link TierWish}. Nothing here chooses or builds anything.
 */
@NullMarked
package dev.cove.model.boundary;

import org.jspecify.annotations.NullMarked;
