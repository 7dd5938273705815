/**
 * What a sandbox changed: read from an overlay's writable folder and the host's folder below it.
 *
 * <p>Enter at {@link dev.cove.review.change.OverlayChanges}. It costs in proportion to what
 * changed, never to the tree. Everything that was touched is listed, ignored and hidden places too;
 * what is dangerous comes first. The content of a hidden path of the host is never read.
 */
@NullMarked
package dev.cove.review.change;

import org.jspecify.annotations.NullMarked;
