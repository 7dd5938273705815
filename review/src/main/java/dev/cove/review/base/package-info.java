/**
 * What sandboxes began with, where the host's own files cannot tell any more. Enter at {@link
 * dev.cove.review.base.KeptBases}.
 */
@NullMarked
package dev.cove.review.base;

import org.jspecify.annotations.NullMarked;
