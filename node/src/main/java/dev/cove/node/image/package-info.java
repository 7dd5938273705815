/**
 * Container images as others publish them: in a registry, or in an archive of the OCI's or Docker's
 * kind. Enter at {@link dev.cove.node.image.Image}.
 *
 * <p>Everything that comes from outside is bounded, and checked against its digest before it
 * counts. Nothing is unpacked here: a layer's files come into being only inside a sandbox.
 */
@NullMarked
package dev.cove.node.image;

import org.jspecify.annotations.NullMarked;
