/**
 * Files below a folder that is held open, reached without following a link.
 *
 * <p>Enter at {@link dev.cove.review.tree.HeldFolder}. A sandbox may have chosen every name and
 * every link here, and may change them while they are looked at, so nothing is found by a path that
 * the kernel resolves freely: each way down is one {@code openat2} that refuses links and other
 * file systems.
 */
@NullMarked
package dev.cove.review.tree;

import org.jspecify.annotations.NullMarked;
